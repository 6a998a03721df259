// WriteOptions: what a write path can be told. Plain values; used by whoever makes one.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace armature::table {

inline constexpr uint64_t kMaxCollectionBytes = uint64_t{10} << 30;

// What becomes of a request that meets an item of a transaction under way: it waits for its turn, or it is refused, as
// on AWS.
enum class TransactionConflicts { kWait, kFail };

struct WriteOptions {
  uint64_t max_collection_bytes = kMaxCollectionBytes;
  TransactionConflicts conflicts = TransactionConflicts::kWait;
  std::function<void(std::string_view step)> at_step = nullptr;  // hears of labelled points, for tests that crash there
};

}  // namespace armature::table
