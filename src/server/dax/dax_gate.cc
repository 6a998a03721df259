#include "server/dax/dax_gate.h"

#include "base/async.h"
#include "iam/seed/seed_file.h"
#include "iam/store/key_source.h"
#include "server/process/failure_log.h"
#include "storage/memory/memory_engine.h"

namespace armature::server {

DaxGate::DaxGate(const DaxOptions& options, const Clock& clock, Metrics& metrics)
    : engine_(storage::OpenMemoryEngine(metrics)),
      directory_(*engine_, clock, secrets_, iam::FindMasterKey({}, {})),
      usage_(*engine_),
      keys_(directory_, usage_),
      backoff_({}, clock, secrets_.NextU64()),
      believing_(options.account),
      verifying_(keys_, clock, &backoff_),
      posture_(keys_, believing_, verifying_) {}

DaxGate::~DaxGate() { LogFailure("closing", engine_->Close()); }

Result<std::unique_ptr<DaxGate>> DaxGate::Open(const DaxOptions& options, const Clock& clock, Metrics& metrics) {
  std::unique_ptr<DaxGate> gate(new DaxGate(options, clock, metrics));
  if (Status status = gate->Load(options); !status.ok()) return status;
  return gate;
}

Status DaxGate::Load(const DaxOptions& options) {
  if (Status status = RunBlocking(directory_.Load()); !status.ok()) return status;
  if (options.iam_file.empty()) return Status::Ok();
  ARMATURE_TRY(const iam::Seed seed, iam::ReadSeedFile(options.iam_file, options.account));
  if (Status status = RunBlocking(iam::ApplySeed(directory_, seed)); !status.ok()) return status;
  // Who names a file means to be asked who comes.
  if (is_shut()) return Status::Ok();
  return Status::InvalidArgument(options.iam_file + " has no access key: nobody could sign in");
}

}  // namespace armature::server
