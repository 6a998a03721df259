#include "table/partition/partition.h"

#include <algorithm>
#include <bit>

#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"

namespace armature::table {

namespace {

constexpr size_t kPortionBytes = 1 << 20;
// Enough that the writers of a partition which is busier than others seldom meet.
constexpr size_t kFewestLatches = 128;

Task<Status> LoadRows(storage::Engine& engine, const storage::OpenPartition& handle, Space space, PendingRows& rows) {
  std::string begin(1, static_cast<char>(space));
  for (;;) {
    storage::ScanOp scan;
    scan.partition = &handle;
    scan.begin = begin;
    scan.limit_bytes = kPortionBytes;
    scan.at.view = storage::View::kLatest;
    if (Status status = co_await storage::Run(engine, scan); !status.ok()) co_return status;
    for (const auto& row : scan.rows) rows.Put(row.key, row.value);
    if (!scan.has_more || scan.rows.empty()) co_return Status::Ok();
    begin.assign(scan.rows.back().key).push_back('\0');
  }
}

}  // namespace

size_t Partition::LatchesFor(const storage::HashRange& hashes) {
  const int halvings = std::min(std::countl_zero(hashes.last - hashes.first), 16);  // of all hashes
  return std::clamp(4 * LatchTable::kDefaultStripes >> halvings, kFewestLatches, LatchTable::kDefaultStripes);
}

Task<Result<std::shared_ptr<Partition>>> Partition::Open(storage::Engine& engine,
                                                         std::shared_ptr<storage::OpenPartition> handle,
                                                         const Partition* before) {
  auto partition = std::make_shared<Partition>(std::move(handle), before);
  if (engine.capabilities().multi_partition_atomic || partition->has_ended()) co_return partition;
  const storage::OpenPartition& opened = partition->handle();
  Status status = co_await LoadRows(engine, opened, Space::kIntents, partition->intents_);
  if (status.ok()) status = co_await LoadRows(engine, opened, Space::kIndexNotes, partition->notes_);
  if (!status.ok()) co_return status;
  co_return partition;
}

Partition::Pending::Pending(const storage::Batch& batch) {
  batch.ForEach([&](storage::Batch::Kind kind, std::string_view key, std::string_view value) {
    if (kind != storage::Batch::Kind::kPut) return;
    const auto space = static_cast<Space>(key.front());
    if (space == Space::kIntents) intents.Add(key, value);
    if (space == Space::kIndexNotes) notes.Add(key, value);
  });
}

void Partition::TakePending(const storage::Batch& batch, Pending& put) noexcept {
  batch.ForEach([&](storage::Batch::Kind kind, std::string_view key, std::string_view) {
    if (kind != storage::Batch::Kind::kDelete) return;
    const auto space = static_cast<Space>(key.front());
    if (space == Space::kIntents) intents_.Erase(key);
    if (space == Space::kIndexNotes) notes_.Erase(key);
  });
  intents_.Enter(put.intents);
  notes_.Enter(put.notes);
}

}  // namespace armature::table
