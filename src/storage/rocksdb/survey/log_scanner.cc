#include "storage/rocksdb/survey/log_scanner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/codec/crc32c.h"
#include "storage/rocksdb/files/status_mapping.h"

namespace armature::storage {
namespace {

enum PieceType : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

constexpr const char* kZeroFault = "nothing was written there, or it was lost";
constexpr const char* kCutFault = "the file ends within a record";
constexpr const char* kHeaderFault = "a record's header makes no sense";
constexpr const char* kChecksumFault = "a record's checksum does not hold";
constexpr const char* kOrderFault = "a part of a record is missing";

uint32_t Masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

uint32_t LittleEndian32(const char* bytes) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8) | static_cast<uint8_t>(bytes[i]);
  return value;
}

bool IsZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

}  // namespace

Result<LogScanner> LogScanner::Open(rocksdb::FileSystem& files, const std::string& path, size_t kept_bytes) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  const auto status = files.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (!status.ok()) return FromRocksDb(status);
  return LogScanner(std::move(file), kept_bytes);
}

Status LogScanner::Fill() {
  buffer_offset_ = offset_ - offset_ % kBlock;
  buffer_.resize(kBlock * kBlocksAtOnce);
  size_t filled = 0;
  while (filled < buffer_.size() && !is_at_end_) {
    rocksdb::Slice read;
    const auto status =
        file_->Read(buffer_.size() - filled, rocksdb::IOOptions(), &read, buffer_.data() + filled, nullptr);
    if (!status.ok()) return FromRocksDb(status);
    if (read.data() != buffer_.data() + filled) std::memmove(buffer_.data() + filled, read.data(), read.size());
    filled += read.size();
    is_at_end_ = read.empty();
  }
  buffer_.resize(filled);
  return {};
}

Result<LogScanner::Piece> LogScanner::NextPiece() {
  // What is left of a block is filled up when no header fits into it.
  if (kBlock - offset_ % kBlock < kHeader) LeaveBlock();
  if (offset_ >= buffer_offset_ + buffer_.size() && !is_at_end_)
    if (Status status = Fill(); !status.ok()) return status;
  piece_offset_ = offset_;
  if (offset_ >= buffer_offset_ + buffer_.size()) return Piece::kEndOfFile;

  const size_t at = offset_ - buffer_offset_;
  const size_t in_block = kBlock - offset_ % kBlock;
  const std::string_view rest = std::string_view(buffer_).substr(at, in_block);
  if (IsZero(rest.substr(0, kHeader))) {
    LeaveBlock();
    piece_fault_ = kZeroFault;
    return Piece::kZeros;
  }
  if (rest.size() < kHeader) {
    LeaveBlock();
    piece_fault_ = kCutFault;
    return Piece::kBroken;
  }
  const size_t length = static_cast<uint8_t>(rest[4]) | static_cast<size_t>(static_cast<uint8_t>(rest[5])) << 8;
  type_ = static_cast<uint8_t>(rest[6]);
  if (kHeader + length > rest.size()) {
    LeaveBlock();
    piece_fault_ = kHeader + length <= in_block ? kCutFault : kHeaderFault;
    return Piece::kBroken;
  }
  // Where the header is sound the next one follows, whatever has become of the payload.
  offset_ += kHeader + length;
  if (Masked(Crc32c(rest.substr(kHeader - 1, 1 + length))) != LittleEndian32(rest.data())) {
    piece_fault_ = kChecksumFault;
    return Piece::kBroken;
  }
  if (type_ < kFull || type_ > kLast) {
    piece_fault_ = kHeaderFault;
    return Piece::kBroken;
  }
  payload_ = rest.substr(kHeader, length);
  return Piece::kSound;
}

LogScanner::Event LogScanner::Gap(uint64_t at, const char* fault, bool is_zeros) {
  is_in_gap_ = true;
  begin_ = end_ = at;
  fault_ = fault;
  is_gap_of_zeros_ = is_zeros;
  return Event::kGap;
}

Result<LogScanner::Event> LogScanner::Next() {
  bool is_within = false;
  uint64_t first = 0;
  for (;;) {
    ARMATURE_TRY(const Piece piece, NextPiece());
    if (piece == Piece::kEndOfFile) {
      if (is_within && !is_in_gap_) return Gap(first, kCutFault, false);
      begin_ = end_ = is_in_gap_ ? end_ : piece_offset_;
      return Event::kEnd;
    }
    if (piece != Piece::kSound) {
      if (!is_in_gap_) return Gap(is_within ? first : piece_offset_, piece_fault_, piece == Piece::kZeros);
      is_within = false;
      continue;
    }
    const bool begins = type_ == kFull || type_ == kFirst;
    if (begins == is_within) {
      if (!is_in_gap_) {
        // The piece that does not fit may begin a record: it is read again behind the gap.
        if (begins) offset_ = piece_offset_;
        return Gap(is_within ? first : piece_offset_, kOrderFault, false);
      }
      if (!begins) continue;
    }
    if (begins) {
      first = piece_offset_;
      record_.clear();
    }
    record_.append(payload_.substr(0, kept_bytes_ - std::min(kept_bytes_, record_.size())));
    is_within = type_ == kFirst || type_ == kMiddle;
    if (is_within) continue;
    is_in_gap_ = false;
    begin_ = first;
    end_ = offset_;
    return Event::kRecord;
  }
}

}  // namespace armature::storage
