#include "server/parts/gate.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/async.h"
#include "iam/seed/seed_file.h"
#include "iam/store/key_source.h"
#include "server/process/failure_log.h"

namespace armature::server {

namespace {

constexpr int kTicksPerWrite = 60;  // KeepHouse is called once a second

auth::KeyAccounts KeyAccountsFrom(const ServeOptions& options) {
  return options.sharing == TableSharing::kPerKeyAndRegion ? auth::KeyAccounts::kOneEach
                                                           : auth::KeyAccounts::kOneForAll;
}

bool IsKnown(const iam::Snapshot& state, std::string_view id) {
  if (state.FindKeyOwner(id)) return true;
  bool is_role = false;
  state.accounts().ForEach(
      [&](const auto&, const auto& account) { is_role |= account->roles.FindById(id) != nullptr; });
  return is_role;
}

}  // namespace

Gate::Gate(const ServeOptions& options, Store& store, Tables& tables)
    : options_(options),
      directory_(*store.engine, store.clock, secrets_,
                 iam::FindMasterKey(options.in_memory ? std::string() : options.data_directory, options.iam_key_file,
                                    store.is_encrypted() ? store.keyring->iam_key_text() : std::string())),
      usage_(*store.engine),
      keys_(directory_, usage_),
      backoff_(options.failed_signatures, store.clock, store.random.NextU64()),
      believing_(options.account, KeyAccountsFrom(options)),
      verifying_(keys_, store.clock, &backoff_),
      posture_(keys_, believing_, verifying_),
      table_policies_(tables.catalog(), tables.journal()),
      authorizer_(&table_policies_) {
  const auth::PrincipalLimitOptions limits{options.rate_per_principal, options.max_connections_per_principal};
  if (limits.has_any())
    limits_.emplace(limits, uncounted_verifier(), store.clock, store.random.NextU64(), store.metrics);
}

Status Gate::Load() {
  if (options_.believes_everybody) return Status::Ok();
  if (Status status = RunBlocking(directory_.Load()); !status.ok()) return status;
  if (Status status = Seed(); !status.ok()) return status;
  return directory_.is_untouched() ? Status::Ok() : LoadUsage();
}

Status Gate::Seed() {
  if (options_.iam_file.empty()) return Status::Ok();
  ARMATURE_TRY(const iam::Seed seed, iam::ReadSeedFile(options_.iam_file, options_.account));
  return RunBlocking(iam::ApplySeed(directory_, seed));
}

Status Gate::LoadUsage() {
  const auto state = directory_.Current();
  return RunBlocking(usage_.Load([&](std::string_view id) { return IsKnown(*state, id); }));
}

const auth::Verifier& Gate::verifier() const {
  if (limits_) return *limits_;
  return uncounted_verifier();
}

const auth::Verifier& Gate::uncounted_verifier() const {
  if (options_.believes_everybody) return believing_;
  return posture_;
}

void Gate::WriteUsage() {
  // Nobody is deleted without a new version.
  if (const uint64_t version = directory_.version(); version != usage_version_) {
    const auto state = directory_.Current();
    const Status status = RunBlocking(usage_.Forget([&](std::string_view id) { return IsKnown(*state, id); }));
    LogFailure("forgetting when deleted access keys were last used", status);
    if (status.ok()) usage_version_ = version;
  }
  LogFailure("noting when access keys were last used", RunBlocking(usage_.Write()));
}

void Gate::KeepHouse() {
  if (++ticks_ % kTicksPerWrite == 0 && is_shut()) WriteUsage();
}

void Gate::Stop() {
  if (is_shut()) WriteUsage();
}

}  // namespace armature::server
