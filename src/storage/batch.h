// Batch: the finished changes a writer hands to an engine, in order.
//
// One flat buffer, so that building a batch costs an append and applying it one pass. Reusable by Clear().
// Not thread-safe. Built by table/, read by engines through ForEach.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "storage/counts.h"

namespace armature::storage {

class Batch {
 public:
  enum class Kind : uint8_t { kPut = 1, kDelete = 2, kPutNumbered = 3 };

  void Put(std::string_view key, std::string_view value) { Append(Kind::kPut, key, value); }
  void Delete(std::string_view key) { Append(Kind::kDelete, key, {}); }
  // Puts under `prefix` and a number of the commit, 8 bytes big-endian: the first of them has the commit's first
  // number.
  void PutNumbered(std::string_view prefix, std::string_view value) {
    Append(Kind::kPutNumbered, prefix, value);
    ++numbered_;
  }

  // Adds to what the partition counts in the slot; with the commit or not at all.
  void Count(uint32_t slot, int64_t rows, int64_t bytes) { counts_.Add(slot, {rows, bytes}); }
  const Counts& counts() const { return counts_; }

  // All of another's changes, behind the own.
  void Append(const Batch& other) {
    buffer_ += other.buffer_;
    count_ += other.count_;
    numbered_ += other.numbered_;
    counts_.Add(other.counts_);
  }
  // The changes, without the counts, as bytes, and back. False: they are not what data() gives; nothing is appended
  // then.
  const std::string& data() const { return buffer_; }
  bool Append(std::string_view data) {
    size_t count = 0, numbered = 0;
    ByteReader reader(data);
    while (!reader.at_end()) {
      const auto kind = static_cast<Kind>(reader.Byte());
      if (kind != Kind::kPut && kind != Kind::kDelete && kind != Kind::kPutNumbered) return false;
      reader.LengthPrefixed();
      if (kind != Kind::kDelete) reader.LengthPrefixed();
      if (!reader.ok()) return false;
      ++count;
      numbered += kind == Kind::kPutNumbered;
    }
    buffer_ += data;
    count_ += count;
    numbered_ += numbered;
    return true;
  }

  bool empty() const { return count_ == 0 && counts_.empty(); }
  size_t count() const { return count_; }
  size_t bytes() const { return buffer_.size(); }
  // How many numbers the commit takes.
  size_t numbers() const { return numbered_ == 0 ? 1 : numbered_; }
  void Clear() {
    buffer_.clear();
    count_ = 0;
    numbered_ = 0;
    counts_.Clear();
  }

  // Calls visit(kind, key, value) for every change, in order.
  template <class Visitor>
  void ForEach(Visitor&& visit) const {
    ByteReader reader(buffer_);
    while (!reader.at_end()) {
      const auto kind = static_cast<Kind>(reader.Byte());
      const auto key = reader.LengthPrefixed();
      const auto value = kind == Kind::kDelete ? std::string_view() : reader.LengthPrefixed();
      visit(kind, key, value);
    }
  }

 private:
  void Append(Kind kind, std::string_view key, std::string_view value) {
    buffer_.reserve(std::max(buffer_.size() + key.size() + value.size() + kMostFraming, kFirstBytes));
    AppendByte(buffer_, static_cast<uint8_t>(kind));
    AppendLengthPrefixed(buffer_, key);
    if (kind != Kind::kDelete) AppendLengthPrefixed(buffer_, value);
    ++count_;
  }

  static constexpr size_t kFirstBytes = 1000;         // for some more changes; as cheap for malloc as fewer
  static constexpr size_t kMostFraming = 1 + 2 * 10;  // the kind and two lengths

  std::string buffer_;
  size_t count_ = 0;
  size_t numbered_ = 0;
  Counts counts_;
};

}  // namespace armature::storage
