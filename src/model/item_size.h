// Item sizes in DynamoDB's bytes: what limits, capacity units and TableSizeBytes count.
//
// Pure functions over Values. See the facts sheet 3.4 for the rules and their measured points.
#pragma once

#include <cstddef>

#include "model/value.h"

namespace armature::model {

inline constexpr size_t kMaxItemBytes = 400 * 1024;
inline constexpr size_t kMaxHashKeyBytes = 2048;
inline constexpr size_t kMaxRangeKeyBytes = 1024;
inline constexpr int kMaxNestingLevels = 32;

size_t ValueSize(const Value& value);
size_t ItemSize(Item item);
// Levels of nesting, a scalar being 1.
int NestingLevels(const Value& value);

}  // namespace armature::model
