#include "server/encryption/rekeying.h"

#include <set>

#include <fmt/format.h>

#include "base/async.h"
#include "base/log.h"
#include "server/process/failure_log.h"

namespace armature::server {

namespace {

constexpr std::chrono::minutes kInterval(1);
// Far longer than it takes to make a file.
constexpr std::chrono::seconds kUntilSettled(50);

}  // namespace

std::string DescribeRenewal(const storage::Keyring::Renewal& renewal) {
  return fmt::format(
      "the keys of the data are sealed under the master key {} now, no longer under {}; new files get data "
      "key {}",
      renewal.new_master, renewal.old_master, renewal.data_key);
}

Rekeying::Rekeying(storage::Keyring& keyring, storage::Engine& engine, Metrics& metrics)
    : keyring_(keyring),
      engine_(engine),
      settled_(keyring.state().newest),
      seen_(settled_),
      seen_at_(Clock::now()),
      thread_(kInterval, [this] { Step(); }) {
  metrics.AddGauge("armature_encryption_older_files", "Files that are written under older data keys than the newest.",
                   [files = older_files_] { return static_cast<double>(files->load()); });
}

void Rekeying::Start() {
  const auto renewal = keyring_.Renew();
  // No reason not to serve, on a full disk say: the keys are open.
  if (!renewal) LogError("the keys of the data could not be sealed anew: {}", renewal.error().message());
  else if (*renewal) LogInfo("{}", DescribeRenewal(**renewal));
  thread_.Start();
  thread_.RunSoon();
}

Result<std::optional<storage::Keyring::Renewal>> Rekeying::Reload() {
  auto renewal = keyring_.Reload();
  if (renewal && *renewal) thread_.RunSoon();
  return renewal;
}

void Rekeying::Step() {
  DropKeys();
  const uint32_t newest = keyring_.state().newest;
  if (older_files_->load() == 0 || written_for_ == newest) return;
  LogInfo("{} files are of older data keys: tables are written anew under data key {}", older_files_->load(), newest);
  const Status status = RunBlocking(engine_.RewriteUnderNewestKey());
  if (status.code() == StatusCode::kUnavailable) return;  // the engine is closed
  LogFailure("writing tables anew under the newest data key", status);
  if (!status.ok()) return;
  LogInfo("tables were written anew under data key {}", newest);
  written_for_ = newest;
  DropKeys();
}

void Rekeying::DropKeys() {
  const storage::Keyring::State state = keyring_.state();
  if (state.newest != seen_) {
    seen_ = state.newest;
    seen_at_ = Clock::now();
  }
  if (Clock::now() - seen_at_ > kUntilSettled) settled_ = seen_;
  if (state.data_keys < 2) return older_files_->store(0);
  const auto files = RunBlocking(engine_.FilesByDataKey());
  if (!files && files.error().code() == StatusCode::kUnavailable) return;
  LogFailure("counting files by data key", files ? Status::Ok() : files.error());
  // An engine that cannot tell says nothing; an encrypted store has files.
  if (!files || files->empty()) return;
  std::set<uint32_t> in_use;
  for (uint32_t number = settled_; number <= state.newest; ++number) in_use.insert(number);
  uint64_t older = 0;
  for (const auto& [number, count] : *files) {
    in_use.insert(number);
    if (number < state.newest) older += count;
  }
  older_files_->store(older);
  const auto dropped = keyring_.Retire(in_use);
  LogFailure("dropping data keys that no file needs", dropped ? Status::Ok() : dropped.error());
  if (dropped && *dropped > 0) LogInfo("data keys that no file needs any more were dropped: {}", *dropped);
}

}  // namespace armature::server
