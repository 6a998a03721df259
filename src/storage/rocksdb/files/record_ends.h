// RecordEnds: where the last whole record of a log ends, as the bytes of the log go by.
//
// RocksDB empties its buffer when that is full, in the middle of a large record if need be, while another thread syncs:
// then more of the log is synced than whole records, and to say so would make the rest of that record look lost if the
// process ends before it comes. Follows RocksDB's log format (survey/log_scanner.h) without looking at checksums. One
// thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace armature::storage {

class RecordEnds {
 public:
  // The bytes that follow those before.
  void Take(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t in_block = kBlock - offset_ % kBlock;
      if (left_ > 0) {
        Pass(bytes, left_);
      } else if (header_bytes_ == 0 && in_block < kHeader) {
        left_ = in_block;  // where no header fits in, a block holds nothing
        is_last_ = false;
      } else {
        const size_t taken = std::min(bytes.size(), kHeader - header_bytes_);
        std::memcpy(&header_[header_bytes_], bytes.data(), taken);
        header_bytes_ += taken;
        offset_ += taken;
        bytes.remove_prefix(taken);
        if (header_bytes_ == kHeader) BeginPiece();
      }
    }
  }

  // Behind the last whole record.
  uint64_t end() const { return end_; }

 private:
  static constexpr size_t kBlock = 32 << 10;
  static constexpr size_t kHeader = 7;  // checksum, length, type
  static constexpr uint8_t kFull = 1, kLast = 4;

  void BeginPiece() {
    header_bytes_ = 0;
    left_ = static_cast<uint8_t>(header_[4]) | size_t{static_cast<uint8_t>(header_[5])} << 8;
    const auto type = static_cast<uint8_t>(header_[6]);
    is_last_ = type == kFull || type == kLast;
    if (left_ == 0 && is_last_) end_ = offset_;
  }
  void Pass(std::string_view& bytes, size_t& left) {
    const size_t passed = std::min(bytes.size(), left);
    offset_ += passed;
    left -= passed;
    bytes.remove_prefix(passed);
    if (left == 0 && is_last_) end_ = offset_;
  }

  uint64_t offset_ = 0;
  uint64_t end_ = 0;
  std::array<char, kHeader> header_{};
  size_t header_bytes_ = 0;  // of the next one
  size_t left_ = 0;          // of the payload, or of a block's empty end
  bool is_last_ = false;     // with it a record ends
};

}  // namespace armature::storage
