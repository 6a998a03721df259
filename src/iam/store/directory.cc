#include "iam/store/directory.h"

#include <set>

#include <fmt/format.h>

#include "base/log.h"
#include "iam/store/record_codec.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::iam {

namespace {

uint64_t NextSerial() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// How a log calls a record: no more than its key says, and nothing of what is in it.
std::string Label(std::string_view key) {
  const auto name = ParseRecordKey(key);
  if (!name) return "with a damaged key";
  return fmt::format("{} of account {}", name->id.empty() ? "of the account itself" : name->id, name->account);
}

}  // namespace

// What a thread has seen last of one directory.
struct Directory::ThreadView {
  uint64_t serial = 0;
  uint64_t version = 0;
  std::shared_ptr<const Snapshot> snapshot;
};

Directory::Directory(storage::Engine& engine, const Clock& clock, RandomSource& random, MasterKeySource key_source)
    : engine_(engine),
      clock_(clock),
      random_(random),
      key_source_(std::move(key_source)),
      serial_(NextSerial()),
      current_(std::make_shared<const Snapshot>()) {}

// --- reading

std::shared_ptr<const Snapshot> Directory::Current() const {
  MutexLock lock(mutex_);
  return current_;
}

const std::shared_ptr<const Snapshot>& Directory::Pinned() const {
  thread_local ThreadView view;
  const uint64_t now = version();
  if (view.serial != serial_ || view.version != now) [[unlikely]] {
    view.snapshot = Current();  // perhaps of a later version: it is asked for once more then
    view.serial = serial_;
    view.version = now;
  }
  return view.snapshot;
}

void Directory::Publish(std::shared_ptr<const Snapshot> next) noexcept {
  {
    MutexLock lock(mutex_);
    current_.swap(next);
  }
  version_.fetch_add(1, std::memory_order_release);
}

Result<std::shared_ptr<const MasterKeys>> Directory::master_keys() {
  MutexLock lock(mutex_);
  if (keys_) return keys_;
  auto keys = key_source_.Read(random_);
  if (!keys && keys.error().code() == StatusCode::kNotFound) keys = key_source_.Create(random_);
  if (!keys) return keys.error();
  keys_ = std::make_shared<const MasterKeys>(std::move(*keys));
  return keys_;
}

// --- loading

std::optional<std::string> Directory::FindUniqueId(std::string_view arn) const { return Current()->FindUniqueId(arn); }

Task<Status> Directory::Load() {
  const auto guard = co_await change_latch_.LockStripe(0);
  bool needs_sealing = false;
  if (Status status = co_await LoadRecords(needs_sealing, has_key_check_); !status.ok()) co_return status;
  is_untouched_.store(!has_key_check_ && set_aside_ == 0 && !Current()->has_principals(), std::memory_order_release);
  if (needs_sealing) co_return co_await SealAnew();
  co_return Status::Ok();
}

Status Directory::CheckKeys(std::string_view key_check) const {
  auto wanted = DecodeKeyCheck(key_check);
  if (!wanted) return wanted.error();
  auto keys = key_source_.Read(random_);
  if (!keys && keys.error().code() == StatusCode::kNotFound)
    return Status::InvalidArgument(
        fmt::format("IAM's secrets are encrypted with key {}, and {}", *wanted, keys.error().message()));
  if (!keys) return keys.error();
  if (!keys->Find(*wanted))
    return Status::InvalidArgument(fmt::format("IAM's secrets are encrypted with key {}, not with {}, which {} has",
                                               *wanted, keys->fingerprint(), key_source_.name()));
  return Status::Ok();
}

Task<Status> Directory::LoadRecords(bool& needs_sealing, bool& has_key_check) {
  const storage::KeyRange range = table::IamRange();
  storage::ScanOp scan;
  if (Status status = co_await table::ReadSystemRecords(engine_, range, scan); !status.ok()) co_return status;
  if (scan.rows.empty()) co_return Status::Ok();
  // Its key is a part of all others', so it comes first.
  const std::string check_key = table::IamKey();
  has_key_check = scan.rows.front().key == check_key;
  if (has_key_check)
    if (Status status = CheckKeys(scan.rows.front().value); !status.ok()) co_return status;
  auto keys = master_keys();
  if (!keys) co_return keys.error();
  const RecordCodec codec(**keys, random_);
  Draft draft(Snapshot(), clock_.NowMillis(), random_);
  for (const auto& row : scan.rows) {
    if (row.key == check_key) continue;
    const auto name = ParseRecordKey(row.key);
    const Status status = name ? codec.Decode(*name, row.value, draft, needs_sealing) : name.error();
    if (status.ok()) continue;
    ++set_aside_;
    LogError("the record of IAM {} cannot be read and is set aside: {}", Label(row.key), status.message());
  }
  Publish(std::move(draft).Finish());
  co_return Status::Ok();
}

// A new master key is in front: what the old one sealed is sealed with it, so that the old one can be forgotten.
Task<Status> Directory::SealAnew() {
  Draft draft(*Current(), clock_.NowMillis(), random_);
  co_return co_await Store(draft, /*is_all=*/true);
}

// --- changing

Task<IamResult<void>> Directory::Change(std::function<IamResult<void>(Draft&)> change) {
  const auto guard = co_await change_latch_.LockStripe(0);
  Draft draft(*Current(), clock_.NowMillis(), random_);
  auto done = change(draft);
  if (!done || draft.touched().empty()) co_return done;
  const Status stored = co_await Store(draft, /*is_all=*/false);
  if (!stored.ok()) co_return FromStatus(stored);
  co_return IamResult<void>();
}

// Stores what the draft has touched (or all that there is) and publishes it.
Task<Status> Directory::Store(Draft& draft, bool is_all) {
  auto keys = master_keys();
  if (!keys) co_return keys.error();
  const RecordCodec codec(**keys, random_);
  std::set<RecordName> names = draft.touched();
  if (is_all) names.merge(AllRecords(draft.state()));
  const auto before = Current();
  const bool has_principals = draft.state().has_principals();
  storage::Batch changes = undo_, undo = undo_;
  std::string record;
  for (const RecordName& name : names) {
    const std::string key = KeyOf(name);
    if (codec.Encode(draft.state(), name, record)) changes.Put(key, record);
    else changes.Delete(key);
    if (codec.Encode(*before, name, record)) undo.Put(key, record);
    else undo.Delete(key);
  }
  if (is_all || (has_principals && !has_key_check_)) changes.Put(table::IamKey(), EncodeKeyCheck(**keys));
  // Alone it would lock everybody out.
  if (!has_key_check_) undo.Delete(table::IamKey());
  auto next = std::move(draft).Finish();
  // From here on until the commit is known to be durable, a failure of any kind leaves what is to be taken back.
  undo_ = std::move(undo);
  Status status = co_await table::WriteSystemRecordsDurably(engine_, changes);
  if (!status.ok()) {
    if (const Status undone = co_await table::WriteSystemRecordsDurably(engine_, undo_); undone.ok()) undo_.Clear();
    co_return status;
  }
  undo_.Clear();
  has_key_check_ |= has_principals;
  if (has_principals) is_untouched_.store(false, std::memory_order_release);
  Publish(std::move(next));
  co_return Status::Ok();
}

}  // namespace armature::iam
