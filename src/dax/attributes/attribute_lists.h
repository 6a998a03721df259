// AttributeLists: which id stands for which names, for ever.
//
// Items travel without their attributes' names: a number stands for the list of them. Numbers are given in turn, an id
// never changes its meaning and survives a restart, because clients keep ids without asking again. Id 1 is the empty
// list. Intern gives an id at once; it may leave the node only when Settled has said so, which is at once but for new
// ones. How many lists there are, and how long they may be, is bounded. Thread-safe. One for a process: its nodes
// share it, so that an item's bytes mean the same on all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/result.h"

namespace armature::dax {

inline constexpr uint64_t kEmptyAttributeList = 1;

using AttributeNames = std::vector<std::string>;

// Where lists are kept. Appends are called by one caller at a time, in the order of ids.
class AttributeListStore {
 public:
  virtual ~AttributeListStore() = default;
  // All there are, in the order they were appended.
  virtual Result<std::vector<AttributeNames>> Load() = 0;
  // Ok when they are durable. Blocks the calling thread, which is one made for it.
  virtual Status Append(std::span<const std::shared_ptr<const AttributeNames>> lists) = 0;
};

}  // namespace armature::dax
