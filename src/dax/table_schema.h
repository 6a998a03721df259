// TableSchema: what a DAX node has to know of a table: its name and its key. Immutable, shared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.h"

namespace armature::dax {

struct KeyPart {
  std::string name;
  model::Type type = model::Type::kS;  // kS, kN or kB
};

struct TableSchema {
  std::string name;
  uint32_t number = 0;         // of this table in the caches; another one after it was made anew
  std::vector<KeyPart> parts;  // the partition key, then perhaps the sort key

  bool has_sort_key() const { return parts.size() > 1; }
};

using TableSchemaPtr = std::shared_ptr<const TableSchema>;

}  // namespace armature::dax
