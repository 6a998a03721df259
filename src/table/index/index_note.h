// IndexNote: what the rows of an item in global indexes have yet to follow.
//
//   0x13 | item key behind its space  →  version 1 | where the partition key ends, 4 bytes | (index id, 4 bytes |
//                                        row key)…
//
// Where an item and its rows in global indexes cannot be one commit, the item's commit leaves a note, and whoever
// follows it up (index_follower.h) makes the rows. A note names the rows that may be there of images the item had since
// its rows last agreed with it; which one should be there is what the item says when it is followed up. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace armature::table {

struct IndexNote {
  struct Row {
    uint32_t index_id = 0;
    std::string key;
    bool operator==(const Row&) const = default;
  };
  // Of the item's storage key: up to there is its partition key.
  uint32_t partition_end = 0;
  std::vector<Row> rows;

  void Add(uint32_t index_id, std::string_view row_key);
  bool Names(uint32_t index_id, std::string_view row_key) const;
  std::string Encode() const;
  static Result<IndexNote> Decode(std::string_view bytes);
};

}  // namespace armature::table
