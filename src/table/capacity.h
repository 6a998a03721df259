// Capacity: what an operation costs, in DynamoDB's units (docs/dynamodb.md 9.1).
//
// Pure arithmetic on sizes; who is charged and how it is reported is api/'s business.
#pragma once

#include <cstddef>

namespace armature::table {

inline constexpr size_t kReadUnitBytes = 4096;
inline constexpr size_t kWriteUnitBytes = 1024;

// One item read; a missing item costs as much as the smallest one.
double ReadUnits(size_t item_size, bool is_consistent);
// One item written: the larger of its old and new size counts, at least one unit.
double WriteUnits(size_t old_size, size_t new_size);

}  // namespace armature::table
