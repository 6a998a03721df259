#include "triggers/mappings/mapping_store.h"

#include "base/log.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::triggers {

Task<Status> MappingStore::Load() {
  const storage::KeyRange range = table::TriggerRange();
  storage::ScanOp scan;
  if (Status status = co_await table::ReadSystemRecords(engine_, range, scan); !status.ok()) co_return status;
  MutexLock lock(mutex_);
  for (const auto& row : scan.rows) {
    auto mapping = DecodeMapping(row.value);
    std::string uuid(row.key.substr(table::TriggerKey({}).size()));
    if (mapping && mapping->uuid != uuid) mapping = Status::Corruption("it is another's");
    if (!mapping) {
      LogError("trigger {} cannot be read and is set aside: {}", uuid, mapping.error().message());
      unreadable_.insert(std::move(uuid));
      continue;
    }
    mappings_[std::move(uuid)] = std::make_shared<Mapping>(std::move(*mapping));
  }
  co_return Status::Ok();
}

MappingStore::Ref MappingStore::Find(std::string_view uuid) const {
  MutexLock lock(mutex_);
  const auto found = mappings_.find(uuid);
  return found == mappings_.end() ? nullptr : found->second;
}

bool MappingStore::IsUnreadable(std::string_view uuid) const { return unreadable_.contains(uuid); }

std::vector<MappingStore::Ref> MappingStore::List() const {
  MutexLock lock(mutex_);
  std::vector<Ref> all;
  for (const auto& [uuid, mapping] : mappings_) all.push_back(mapping);
  return all;
}

Task<model::ApiResult<MappingStore::Ref>> MappingStore::Change(Decide decide) {
  const auto guard = co_await change_latch_.LockStripe(0);
  std::map<std::string, Ref, std::less<>> all;
  {
    MutexLock lock(mutex_);
    all = mappings_;
  }
  auto decided = decide(all);
  if (!decided || !*decided) co_return decided;
  const Ref mapping = *decided;
  all[mapping->uuid] = mapping;  // before it is stored: what is stored is in use from then on, memory or not
  storage::Batch batch;
  batch.Put(table::TriggerKey(mapping->uuid), EncodeMapping(*mapping));
  const Status status = co_await table::WriteSystemRecordsDurably(engine_, batch);
  if (!status.ok()) co_return model::FromStatus(status);
  MutexLock lock(mutex_);
  mappings_.swap(all);
  co_return mapping;
}

Task<Status> MappingStore::Remove(std::string uuid) {
  const auto guard = co_await change_latch_.LockStripe(0);
  storage::Batch batch;
  batch.Delete(table::TriggerKey(uuid));
  const Status status = co_await table::WriteSystemRecordsDurably(engine_, batch);
  if (!status.ok()) co_return status;
  MutexLock lock(mutex_);
  mappings_.erase(uuid);
  co_return Status::Ok();
}

}  // namespace armature::triggers
