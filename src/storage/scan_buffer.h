// ScanBuffer: fills a ScanOp's rows within its limits.
//
// Keeps offsets while the buffer grows and turns them into views at the end, because growing moves the
// bytes. One scan, one thread. Used by engines.
#pragma once

#include <algorithm>
#include <string_view>

#include "storage/engine.h"

namespace armature::storage {

class ScanBuffer {
 public:
  // What goes on keeps the rows that are there.
  explicit ScanBuffer(ScanOp& op, bool goes_on = false) : op_(op) {
    if (goes_on) return;
    op_.rows.clear();
    op_.buffer.clear();
    op_.has_more = false;
  }

  // False when the row reached a limit: the scan is over and has_more is set.
  bool Add(std::string_view key, std::string_view value) {
    if (op_.rows.empty()) MakeRoom(key.size() + value.size());
    op_.buffer.append(key).append(value);
    // Only the sizes matter until Finish.
    op_.rows.push_back({key, value});
    if (op_.rows.size() < op_.limit_rows && op_.buffer.size() < op_.limit_bytes) return true;
    op_.has_more = true;
    return false;
  }

  void Finish() {
    const char* next = op_.buffer.data();
    for (ScanOp::Row& row : op_.rows) {
      row.key = {next, row.key.size()};
      next += row.key.size();
      row.value = {next, row.value.size()};
      next += row.value.size();
    }
  }

 private:
  static constexpr size_t kExpectedRows = 32;
  static constexpr size_t kExpectedBytes = 16 * 1024;

  // Rows are much alike: a short page grows once, by the size of its first, and not with every other row.
  void MakeRoom(size_t row_bytes) {
    const size_t rows = std::min<size_t>(op_.limit_rows, kExpectedRows);
    op_.rows.reserve(rows);
    op_.buffer.reserve(std::min<size_t>({rows * row_bytes, op_.limit_bytes, kExpectedBytes}));
  }

  ScanOp& op_;
};

}  // namespace armature::storage
