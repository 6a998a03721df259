// LogScanner: reads a file in RocksDB's log format (logs and manifests), by itself and without judging it.
//
// RocksDB's own reader leaves out what it cannot read and goes on; whoever must know *where* something is missing, and
// whether anything lies behind it, uses this one. The format: blocks of 32 KiB; in them pieces, each with a header of
// seven bytes (masked CRC-32C of type and payload, length, type); a record is one full piece or a first, any number of
// middle and a last one. A header of zeros ends what was written: logs are zeroed ahead (store_file_system.h).
//
// Behind a gap it goes on with the next piece, as far as the broken one's length leads to one, and with the next block
// otherwise: never with bytes from within a record, which a client may have chosen. One thread. Used by the checks
// at opening and by `armature doctor`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <rocksdb/file_system.h>

#include "base/result.h"

namespace armature::storage {

class LogScanner {
 public:
  enum class Event {
    kRecord,  // a whole record, sound
    kGap,     // not readable from begin() on; `fault()` says why
    kEnd,     // of the file
  };

  // Of each record no more than `kept_bytes` are kept.
  LogScanner(std::unique_ptr<rocksdb::FSSequentialFile> file, size_t kept_bytes)
      : file_(std::move(file)), kept_bytes_(kept_bytes) {}
  static Result<LogScanner> Open(rocksdb::FileSystem& files, const std::string& path, size_t kept_bytes);

  // One gap is reported for all that is unreadable up to the next record. An error is one of reading the file.
  Result<Event> Next();

  // Of the last record: where it begins and ends. Of the last gap and the end: where it begins.
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  const std::string& record() const { return record_; }
  // Of the last gap, in words for a human.
  const char* fault() const { return fault_; }
  // The gap begins with zeros: nothing was ever written there, or it was lost.
  bool is_gap_of_zeros() const { return is_gap_of_zeros_; }

 private:
  static constexpr size_t kBlock = 32 << 10;
  static constexpr size_t kHeader = 7;
  static constexpr size_t kBlocksAtOnce = 32;

  enum class Piece { kSound, kBroken, kZeros, kEndOfFile };

  Status Fill();
  // Reads the piece at offset_ and goes behind it, or behind what cannot be read.
  Result<Piece> NextPiece();
  void LeaveBlock() { offset_ += kBlock - offset_ % kBlock; }
  Event Gap(uint64_t at, const char* fault, bool is_zeros);

  std::unique_ptr<rocksdb::FSSequentialFile> file_;
  const size_t kept_bytes_;
  std::string buffer_;          // from buffer_offset_ on
  uint64_t buffer_offset_ = 0;  // a multiple of kBlock
  bool is_at_end_ = false;      // the buffer reaches the end of the file
  uint64_t offset_ = 0;         // of the next piece

  // The last piece.
  uint64_t piece_offset_ = 0;
  uint8_t type_ = 0;
  std::string_view payload_;
  const char* piece_fault_ = "";

  bool is_in_gap_ = false;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  std::string record_;
  const char* fault_ = "";
  bool is_gap_of_zeros_ = false;
};

}  // namespace armature::storage
