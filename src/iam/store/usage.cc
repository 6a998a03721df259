#include "iam/store/usage.h"

#include <array>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text/json_writer.h"
#include "model/codec/json_record.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::iam {

namespace {

constexpr int64_t kRecordVersion = 1;
constexpr int64_t kGrainMillis = 60'000;  // two uses within that count as one

uint64_t NextSerial() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::string Encode(const Usage& usage) {
  std::string record;
  JsonWriter json(record);
  json.BeginObject();
  json.MemberInt("version", kRecordVersion);
  json.MemberInt("at", usage.at_millis);
  json.Member("service", usage.service);
  json.Member("region", usage.region);
  json.EndObject();
  return record;
}

Result<Usage> Decode(std::string_view record) {
  return model::ReadJsonRecord(record, "its record", kRecordVersion, [](const model::JsonRecord& members) {
    return Result<Usage>(Usage{members.Int("at"), members.Text("service"), members.Text("region")});
  });
}

// What a thread has noted lately, by the hash of all that was noted: a collision costs a note that is not made, or one
// made twice.
struct Memo {
  uint64_t hash = 0;
  int64_t grain = 0;
};
constexpr size_t kMemos = 256;

bool IsNotedAlready(uint64_t hash, int64_t grain) {
  thread_local std::array<Memo, kMemos> memos{};
  Memo& memo = memos[hash % kMemos];
  if (memo.hash == hash && memo.grain == grain) return true;
  memo = {hash, grain};
  return false;
}

}  // namespace

UsageTable::UsageTable(storage::Engine& engine) : engine_(engine), serial_(NextSerial()) {}

Task<Status> UsageTable::Load(std::function<bool(std::string_view)> is_known) {
  const storage::KeyRange range = table::IamUsageRange();
  storage::ScanOp scan;
  if (Status status = co_await table::ReadSystemRecords(engine_, range, scan); !status.ok()) co_return status;
  storage::Batch forgotten;
  {
    MutexLock lock(mutex_);
    for (const auto& row : scan.rows) {
      const std::string_view id = row.key.substr(range.begin.size());
      auto usage = Decode(row.value);
      if (!usage) LogWarn("when {} was last used cannot be read any more: {}", id, usage.error().message());
      if (usage && is_known(id)) entries_[std::string(id)] = {std::move(*usage), true};
      else forgotten.Delete(row.key);
    }
  }
  if (forgotten.empty()) co_return Status::Ok();
  co_return co_await table::WriteSystemRecords(engine_, forgotten);
}

void UsageTable::Note(std::string_view id, std::string_view service, std::string_view region, int64_t now_millis) {
  const std::hash<std::string_view> hash;
  const uint64_t all = (hash(id) * 31 + hash(service)) * 31 + hash(region) + serial_ * 0x9E3779B97F4A7C15;
  if (IsNotedAlready(all, now_millis / kGrainMillis)) return;
  MutexLock lock(mutex_);
  auto found = entries_.find(id);
  if (found == entries_.end()) found = entries_.emplace(id, Entry()).first;
  if (found->second.usage.at_millis > now_millis) return;  // another thread was later
  found->second.usage = {now_millis, std::string(service), std::string(region)};
  found->second.is_stored = false;
}

std::optional<Usage> UsageTable::Find(std::string_view id) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? std::nullopt : std::optional(found->second.usage);
}

Task<Status> UsageTable::Forget(std::function<bool(std::string_view)> is_known) {
  storage::Batch batch;
  std::vector<std::string> gone;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (is_known(id)) continue;
      batch.Delete(table::IamUsageKey(id));
      gone.push_back(id);
    }
  }
  if (gone.empty()) co_return Status::Ok();
  if (Status status = co_await table::WriteSystemRecords(engine_, batch); !status.ok()) co_return status;
  MutexLock lock(mutex_);
  for (const std::string& id : gone) entries_.erase(id);
  co_return Status::Ok();
}

Task<Status> UsageTable::Write() {
  storage::Batch batch;
  std::vector<std::pair<std::string, int64_t>> written;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (entry.is_stored) continue;
      batch.Put(table::IamUsageKey(id), Encode(entry.usage));
      written.emplace_back(id, entry.usage.at_millis);
    }
  }
  if (batch.empty()) co_return Status::Ok();
  if (Status status = co_await table::WriteSystemRecords(engine_, batch); !status.ok()) co_return status;
  MutexLock lock(mutex_);
  for (const auto& [id, at_millis] : written)
    if (const auto found = entries_.find(id); found != entries_.end() && found->second.usage.at_millis == at_millis)
      found->second.is_stored = true;
  co_return Status::Ok();
}

}  // namespace armature::iam
