// Capacity: what an operation costs, in DynamoDB's units (docs/dynamodb.md 9.1).
//
// Pure arithmetic on sizes. The read and write paths work out by it what each operation costs, once, leave it with the
// operation and count it where it was done (partition/meter.h); api/ only tells it.
#pragma once

#include <cstddef>

namespace armature::table {

inline constexpr size_t kReadUnitBytes = 4096;
inline constexpr size_t kWriteUnitBytes = 1024;

// One item read; a missing item costs as much as the smallest one.
double ReadUnits(size_t item_size, bool is_consistent);
// One item written: the larger of its old and new size counts, at least one unit.
double WriteUnits(size_t old_size, size_t new_size);
// What the table pays for an item of a transaction, read or written, is so much more. Its indexes pay as always.
inline constexpr double kTransactionFactor = 2.0;

}  // namespace armature::table
