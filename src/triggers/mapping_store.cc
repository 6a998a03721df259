#include "triggers/mapping_store.h"

#include "table/key_layout.h"

namespace armature::triggers {

Task<Status> MappingStore::Load() {
  const storage::KeyRange range = table::TriggerRange();
  storage::ScanOp scan;
  scan.partition = storage::kSystemPartition;
  scan.begin = range.begin;
  scan.end = range.end;
  engine_.Scan(scan);
  co_await scan.done;
  if (!scan.status.ok()) co_return scan.status;
  std::lock_guard lock(mutex_);
  for (const auto& row : scan.rows) {
    auto mapping = DecodeMapping(row.value);
    if (!mapping) co_return mapping.error();
    std::string uuid = mapping->uuid;
    mappings_[std::move(uuid)] = std::make_shared<Mapping>(std::move(*mapping));
  }
  co_return Status::Ok();
}

MappingStore::Ref MappingStore::Find(std::string_view uuid) const {
  std::lock_guard lock(mutex_);
  const auto found = mappings_.find(uuid);
  return found == mappings_.end() ? nullptr : found->second;
}

std::vector<MappingStore::Ref> MappingStore::List() const {
  std::lock_guard lock(mutex_);
  std::vector<Ref> all;
  for (const auto& [uuid, mapping] : mappings_) all.push_back(mapping);
  return all;
}

Task<model::ApiResult<MappingStore::Ref>> MappingStore::Change(Decide decide) {
  const auto guard = co_await change_latch_.LockStripe(0);
  std::map<std::string, Ref, std::less<>> all;
  {
    std::lock_guard lock(mutex_);
    all = mappings_;
  }
  auto decided = decide(all);
  if (!decided || !*decided) co_return decided;
  const Ref mapping = *decided;
  storage::Batch batch;
  batch.Put(table::TriggerKey(mapping->uuid), EncodeMapping(*mapping));
  const Status status = co_await Commit(batch);
  if (!status.ok()) co_return model::FromStatus(status);
  std::lock_guard lock(mutex_);
  mappings_[mapping->uuid] = mapping;
  co_return mapping;
}

Task<Status> MappingStore::Remove(std::string uuid) {
  const auto guard = co_await change_latch_.LockStripe(0);
  storage::Batch batch;
  batch.Delete(table::TriggerKey(uuid));
  const Status status = co_await Commit(batch);
  if (!status.ok()) co_return status;
  std::lock_guard lock(mutex_);
  mappings_.erase(uuid);
  co_return Status::Ok();
}

Task<Status> MappingStore::Commit(const storage::Batch& batch) {
  storage::CommitOp commit;
  commit.partition = storage::kSystemPartition;
  commit.epoch = table::kSystemEpoch;
  commit.batch = &batch;
  engine_.Commit(commit);
  co_await commit.done;
  if (!commit.status.ok()) co_return commit.status;
  storage::DurableOp durable;
  durable.sequence = commit.sequence;
  engine_.WhenDurable(durable);
  co_await durable.done;
  co_return durable.status;
}

}  // namespace armature::triggers
