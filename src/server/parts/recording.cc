#include "server/parts/recording.h"

#include <utility>

namespace armature::server {

Result<std::unique_ptr<Recording>> Recording::Open(const ServeOptions& options, Store& store) {
  if (options.audit_directory.empty()) return std::unique_ptr<Recording>();
  auto disk = std::make_unique<audit::Disk>();
  ARMATURE_TRY(auto files, audit::LogFiles::Open({.directory = options.audit_directory,
                                                  .file_bytes = options.audit_file_mebibytes << 20,
                                                  .files = options.audit_files},
                                                 *disk));
  SecretRandom secrets;
  ARMATURE_TRY(const audit::HashKey hash_key, audit::HashKey::ReadOrMake(options.audit_directory, secrets));
  return std::unique_ptr<Recording>(new Recording(options, store, std::move(disk), std::move(files), hash_key));
}

Recording::Recording(const ServeOptions& options, Store& store, std::unique_ptr<audit::Disk> disk,
                     std::unique_ptr<audit::LogFiles> files, const audit::HashKey& hash_key)
    : disk_(std::move(disk)),
      log_(std::move(files), store.clock, store.random, store.metrics),
      audit_(options.audit_data_events, options.account, options.region, hash_key, log_, store.clock, store.random) {}

}  // namespace armature::server
