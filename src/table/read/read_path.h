// The read path: items as of the durable view.
//
// A read never sees what a crash could take back; strongly and eventually consistent reads are answered
// alike, unless a lag was asked for, but they cost different numbers of units: what a read costs is worked out here,
// and counted by the meter of the partition that has the item. Where the table's capacity is limited it is asked first.
// Thread-safe. Called by api/ and workers/; calls storage/ only.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "model/api_error.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/read/lagged_view.h"
#include "table/table.h"
#include "table/throttle/admission.h"

namespace armature::table {

// One read, used once.
struct ItemRead {
  // in
  Table* table = nullptr;
  model::Item key;     // exactly the key attributes
  storage::ReadAt at;  // the durable view, or a snapshot for reads that belong together
  bool is_consistent = false;
  bool is_transacted = false;  // it stands for a transaction, and costs as much
  // out
  bool found = false;
  double read_units = 0;                                   // what it has cost
  std::string_view record() const { return read_.value; }  // the stored record, checksum not yet checked

 private:
  friend class ReadPath;
  std::string storage_key_;
  std::shared_ptr<Partition> partition_;
  storage::GetOp read_;
  Admission admission_;
};

// Several reads of one table, used once.
struct ItemsRead {
  // in
  Table* table = nullptr;
  std::span<const model::Item> keys;
  storage::ReadAt at;
  bool is_consistent = false;
  // There is room for items of so many bytes: the first that does not fit in is not taken, nor is any key behind it.
  size_t room_bytes = SIZE_MAX;
  // out
  size_t taken = 0;       // so many keys, from the front, those that were refused among them
  double read_units = 0;  // what those have cost
  size_t item_bytes = 0;  // the sizes of their items
  // One per key that was taken, in the order of `keys`.
  bool found(size_t i) const { return entries_[i].found; }
  std::string_view record(size_t i) const { return entries_[i].value; }
  // There was no capacity for it: it was not read, and cost nothing.
  bool is_refused(size_t i) const { return !refused_.empty() && refused_[i]; }
  std::optional<model::ApiError> refusal;  // what the first of those would be told alone

 private:
  friend class ReadPath;
  std::vector<std::string> storage_keys_;
  // Where the table's capacity is limited, of each key; else empty.
  std::vector<bool> refused_;
  std::vector<Admission> admissions_;
  std::vector<storage::MultiGetOp::Entry> entries_;
  std::vector<std::shared_ptr<Partition>> partitions_;  // that were read from
  std::vector<Meter*> meters_;                          // of the partition of each key
};

// What a read is answered from, for as long as this lives.
struct ReadView {
  storage::ReadAt at;
  std::shared_ptr<const storage::Snapshot> snapshot;  // null: the durable view
};

class ReadPath {
 public:
  // With `lagged`, reads that may be stale are.
  explicit ReadPath(storage::Engine& engine, const LaggedView* lagged = nullptr) : engine_(engine), lagged_(lagged) {}

  // What a request's reads see. Those that may be stale are as fresh as the others unless a lag was asked for: the
  // durable view costs no more. Keep it until the reads are done.
  ReadView ViewFor(bool is_consistent) const;

  Task<model::ApiResult<void>> Get(ItemRead& read) const;
  Task<model::ApiResult<void>> GetMany(ItemsRead& read) const;

 private:
  // Reads those of the keys that the partition has; kFenced if it is dead.
  Task<Status> GetFrom(const Partition& partition, ItemsRead& read, std::span<const size_t> positions) const;
  static model::ApiError Refuse(const Table& table, Limit limit);
  // Lets in as many as there is capacity for, one by one.
  static void AdmitEach(ItemsRead& read);
  static void Charge(ItemRead& read);
  static void Charge(ItemsRead& read);

  storage::Engine& engine_;
  const LaggedView* const lagged_;
};

}  // namespace armature::table
