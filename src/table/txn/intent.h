// Intents and transaction records: the stored forms of a transaction that cannot be one commit.
//
//   of an item, in its partition       0x12 | item key behind its space  →  Intent
//   of the transaction, in the system  'X' | transaction id, 16 bytes    →  TransactionRecord
//
// An intent says what a transaction will do with an item; as long as it is there nobody else writes the item. The
// record makes the transaction done: with it, whoever meets one of its intents carries it out, without it takes it
// away. Pure; used by the write path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/batch.h"

namespace armature::table {

inline constexpr size_t kTransactionIdBytes = 16;

// version 1 | transaction id | number of the action, 4 bytes | where the partition key ends, 4 bytes | bytes(counts) |
// changes
struct Intent {
  std::string transaction_id;
  uint32_t action = 0;  // they are carried out in this order
  uint32_t partition_end = 0;
  storage::Batch changes;  // of the item's partition; empty: the item was only looked at

  std::string Encode() const;
  static Result<Intent> Decode(std::string_view bytes);
};

// Whose it is. Empty: damaged.
std::string_view TransactionOfIntent(std::string_view bytes);

// version 1 | (table id, 8 bytes | item key)…
struct TransactionRecord {
  struct Item {
    uint64_t table_id = 0;
    std::string key;
  };
  std::vector<Item> items;

  std::string Encode() const;
  static Result<TransactionRecord> Decode(std::string_view bytes);
};

}  // namespace armature::table
