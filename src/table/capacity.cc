#include "table/capacity.h"

#include <algorithm>

namespace armature::table {

namespace {
double RoundedUp(size_t size, size_t unit) {
  return static_cast<double>(std::max<size_t>(1, (size + unit - 1) / unit));
}
}  // namespace

double ReadUnits(size_t item_size, bool is_consistent) {
  return RoundedUp(item_size, kReadUnitBytes) * (is_consistent ? 1.0 : 0.5);
}

double WriteUnits(size_t old_size, size_t new_size) { return RoundedUp(std::max(old_size, new_size), kWriteUnitBytes); }

}  // namespace armature::table
