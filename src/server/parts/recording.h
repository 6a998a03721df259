// Recording: the audit log of a server, from its options to its last line.
//
// Stands on the Store, whose clock, metrics and random numbers it uses; opened before the first client comes, and
// stopped when the last is gone.
#pragma once

#include <memory>

#include "audit/audit.h"
#include "audit/audit_log.h"
#include "base/random.h"
#include "base/result.h"
#include "server/parts/options.h"
#include "server/parts/store.h"

namespace armature::server {

class Recording {
 public:
  // Null where no audit log is asked for. The error is one line fit for a user.
  static Result<std::unique_ptr<Recording>> Open(const ServeOptions& options, Store& store);

  const audit::Audit& audit() const { return audit_; }
  void Start() { log_.Start(); }
  // All that was recorded is on the disk.
  void Stop() { log_.Stop(); }

 private:
  Recording(const ServeOptions& options, Store& store, std::unique_ptr<audit::Disk> disk,
            std::unique_ptr<audit::LogFiles> files, const audit::HashKey& hash_key);

  const std::unique_ptr<audit::Disk> disk_;
  audit::AuditLog log_;
  const audit::Audit audit_;
};

}  // namespace armature::server
