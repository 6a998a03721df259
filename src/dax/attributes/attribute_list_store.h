// AttributeListStore: where attribute lists are kept when the process ends.
//
// One list behind the other, in the order of their ids, each with whose it is. What is behind it is a file
// (attribute_list_file.h), or whatever a cluster shares.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace armature::dax {

using AttributeNames = std::vector<std::string>;

struct AttributeList {
  std::string account;  // whose clients know it; nobody else's are told what is in it
  AttributeNames names;

  bool operator==(const AttributeList&) const = default;
};

// Called by one caller at a time.
class AttributeListStore {
 public:
  virtual ~AttributeListStore() = default;
  // All there are, in the order they were appended. Called once, before anything is appended.
  virtual Result<std::vector<AttributeList>> Load() = 0;
  // Ok when they are durable. Otherwise none of them counts as appended, and they will come again. Blocks the calling
  // thread, which is one made for it.
  virtual Status Append(std::span<const std::shared_ptr<const AttributeList>> lists) = 0;
};

}  // namespace armature::dax
