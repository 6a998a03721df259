// The stored form of a TableDef: one JSON object with a version, so that a person with a key-value browser can read the
// catalogue and later versions can add members. Unknown members are ignored, missing ones keep their defaults.
//
// Pure functions. What cannot be read is Corruption, what a newer version wrote is Format.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/table_def.h"

namespace armature::model {

inline constexpr int kTableRecordVersion = 1;

std::string EncodeTableDef(const TableDef& table);
Result<TableDef> DecodeTableDef(std::string_view record);

}  // namespace armature::model
