#include "storage/rocksdb/setup/open_database.h"

#include <utility>

#include "storage/rocksdb/files/shortage.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/setup/open_attempt.h"

namespace armature::storage {
namespace {

// What a power cut leaves of a store whose creation it has cut short; not what a shortage or a bad disk says.
bool IsHalfMade(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound() || status.IsInvalidArgument();
}

rocksdb::Status Open(const rocksdb::Options& options, const std::string& path, std::unique_ptr<rocksdb::DB>& db) {
  rocksdb::DB* opened = nullptr;
  auto status = rocksdb::DB::Open(options, path, &opened);
  db.reset(opened);
  return status;
}

}  // namespace

Result<OpenedDatabase> OpenDatabase(const rocksdb::Options& options, const DataDirectory& directory,
                                    StoreFileSystem& files, rocksdb::Env& base) {
  OpenedDatabase result;
  result.is_empty = !base.FileExists(directory.database_path() + "/CURRENT").ok();
  files.DeferSyncs(result.is_empty);
  const OpenAttempt attempt(directory.database_path());
  rocksdb::Options adapted = options;
  if (result.is_empty) adapted.max_file_opening_threads = 1;  // there are no files: a thread would be made for nothing
  auto opened = Open(adapted, directory.database_path(), result.db);
  // Nothing of what a creation cut short has left was synced: its tables may be there by name only.
  if (opened.ok() && directory.is_new() && !result.is_empty) opened = result.db->VerifyChecksum();
  if (directory.is_new() && IsHalfMade(opened)) {
    result.db.reset();
    if (Status status = DataDirectory::ClearDatabase(*base.GetFileSystem(), directory.path()); !status.ok())
      return status;
    result.is_empty = true;
    files.DeferSyncs(true);
    opened = Open(options, directory.database_path(), result.db);
  }
  if (ShortageOf(opened) == Shortage::kSpace) attempt.TakeBack();
  if (!opened.ok()) return FromRocksDb(opened);
  return result;
}

}  // namespace armature::storage
