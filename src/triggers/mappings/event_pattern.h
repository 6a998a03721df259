// EventPattern: the filter language of Lambda's event source mappings, read once, matched many times.
//
// A pattern is a JSON object shaped like the records it selects; where a record has a value the pattern has an array of
// what that value may be: literals, null, or one of prefix, suffix, equals-ignore-case, anything-but, numeric, exists.
// Members of an object are ANDed, entries of an array and the objects under $or are ORed. An array in the record
// matches if one of its elements does, and several members below it must match in the same element. Immutable once
// read, so any thread may match. Used by triggers/ (records) and lambda/ (to refuse bad patterns); pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "base/result.h"

namespace armature::triggers {

inline constexpr size_t kMaxPatternBytes = 4096;

class EventPattern {
 public:
  // kInvalidArgument with the reason in words.
  static Result<EventPattern> Parse(std::string_view json);

  bool Matches(simdjson::dom::element record) const;

  struct Node;

 private:
  explicit EventPattern(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

  std::shared_ptr<const Node> root_;
};

// Several patterns, ORed, as a mapping has them; none at all lets everything through.
class EventFilter {
 public:
  static Result<EventFilter> Parse(const std::vector<std::string>& patterns);

  bool lets_everything_through() const { return patterns_.empty(); }
  bool Matches(simdjson::dom::element record) const;

 private:
  std::vector<EventPattern> patterns_;
};

}  // namespace armature::triggers
