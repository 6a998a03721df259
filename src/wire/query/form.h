// FormParameters: what a request of the Query protocol says, as names and values.
//
// The parameters of the query string and of the form body together, percent-decoded, in UTF-8 (bytes that are none
// become U+FFFD, as with Java), sorted so that what belongs to one member stands together: "Tags.member.1.Key" beside
// "Tags.member.1.Value". Views into the request or its arena. Bounded in bytes and in number, and made in O(n log n),
// whatever a client sends. Used by wire/query/ and front/.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "model/api_error.h"

namespace armature::wire {

// A policy has at most 131,072 characters; some operations take several.
inline constexpr size_t kMaxFormBytes = 1024 * 1024;
inline constexpr size_t kMaxFormParameters = 10'000;

struct FormParameter {
  std::string_view name;
  std::string_view value;
};

class FormParameters {
 public:
  // `query` and `body` are as sent. Of parameters with one name the first counts, and the query comes first.
  static model::ApiResult<FormParameters> Parse(std::string_view query, std::string_view body, Arena& arena);

  // Sorted by name, a dot before every other character; equal names in the order of the request.
  std::span<const FormParameter> all() const { return parameters_; }

 private:
  std::vector<FormParameter> parameters_;
};

// The first parameter of that name in a query string or body as sent, decoded; null text if there is none.
struct FoundParameter {
  bool found = false;
  std::string value;
};
FoundParameter FindInForm(std::string_view encoded, std::string_view name);

}  // namespace armature::wire
