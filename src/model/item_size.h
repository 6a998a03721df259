// Item sizes in DynamoDB's bytes: what limits, capacity units and TableSizeBytes count.
//
// Pure functions over Values. The rules and their measured points: docs/dynamodb.md 3.4.
#pragma once

#include <cstddef>

#include "model/value.h"

namespace armature::model {

inline constexpr size_t kMaxItemBytes = 400 * 1024;
// Sizes of items beyond this are not counted to their end: an update can make one list the value of hundreds of
// attributes, and all that matters is that it is too much. More than any request could hold.
inline constexpr size_t kMaxCountedBytes = 16 << 20;
inline constexpr size_t kMaxHashKeyBytes = 2048;
inline constexpr size_t kMaxRangeKeyBytes = 1024;
inline constexpr int kMaxNestingLevels = 32;

size_t ValueSize(const Value& value);
size_t ItemSize(Item item);  // up to kMaxCountedBytes exact
// Levels of nesting, a scalar being 1.
int NestingLevels(const Value& value);

}  // namespace armature::model
