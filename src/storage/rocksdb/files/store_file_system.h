// StoreFileSystem: the file system under RocksDB, with six changes.
//
// Length of logs: RocksDB reserves blocks for a log but leaves its length to grow with each write, so every fsync also
// writes the new length, through the file system's journal where there is one. Setting the length ahead is not enough:
// a reserved block becomes a written one through the same metadata. So the end of a log is written ahead with zeros,
// and most syncs then write records only (measured on ext4: 95 µs instead of 150). A clean close cuts the file
// to its contents; after a crash it ends in zeros, or has holes of them, and is cut before RocksDB sees it
// (store_survey.h).
//
// Shortages (a full disk, no descriptor left): RocksDB is never told. Told, version 7.8 can abort (a writer meets a
// failed log: assertion), never recover (a flush that was queued before the error is forgotten, and Resume waits for it
// for ever), or refuse writes until it is opened again (a file could not be opened). Instead
//  - a log keeps in memory what found no space, all of it if it could not even be created; its syncs succeed, but
//    is_short() is raised and WriteRests() must succeed before anything is acknowledged. The engine refuses writes
//    meanwhile, so the rest stays small (log_file.h);
//  - any other file (tables, manifest: written by background threads) waits between BePatient and GiveUp
//    (patient_file.h). So does a background thread that opens a table. A request that has to open one gets the error.
//
// OPTIONS files: refused. Our options come from code at every opening; writing, syncing and re-reading a
// text copy of them is a third of the time it takes to open an empty store.
//
// How far logs and the manifest are synced is kept and told (synced_point.h).
//
// Tables are not waited for by a thread that must not wait (cache_only.h).
//
// New stores: while DeferSyncs is on nothing is synced at all; see DataDirectory::FinishCreation.
#pragma once

#include <memory>
#include <string>

#include <rocksdb/file_system.h>

#include "base/result.h"
#include "storage/rocksdb/files/synced_files.h"

namespace armature::storage {

class DiskSpace;

class StoreFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `is_encrypted`: the base is an EncryptedFileSystem, whose tables know how not to wait.
  StoreFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base, bool is_encrypted);
  static const char* kClassName() { return "ArmatureStoreFileSystem"; }
  const char* Name() const override { return kClassName(); }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;

  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* context) override;

  // Some file has met a shortage that is not over. Cheap; any thread.
  bool is_short() const;
  // What to tell whoever is refused meanwhile: of the shortage that was met last.
  Status shortage() const;
  // Not ok once a log has failed for good; RocksDB may not know. Cheap while it is ok.
  Status log_failure() const;
  // Makes it so: files could not be synced.
  void BreakLog(const Status& failure);
  // Some log is not on disk as RocksDB believes.
  bool owes_log() const;
  // Tries again to write and sync what logs keep in memory. Ok when nothing is left; as shortage() when it may succeed
  // later; any other failure is for good.
  Status WriteRests();
  // From now on files wait in a shortage instead of failing: the store is open.
  void BePatient();
  // Nobody waits any more, RocksDB neither: the store is being closed.
  void GiveUp();
  void DeferSyncs(bool is_deferring);
  // See DiskSpace.
  void TellAppendFailures();

  // What syncs of files made here have confirmed.
  SyncedFiles& synced();

 private:
  rocksdb::IOStatus NewLog(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* context);
  static rocksdb::IOStatus CreateDurably(rocksdb::FileSystem& base, const std::string& path,
                                         const rocksdb::FileOptions& options,
                                         std::unique_ptr<rocksdb::FSWritableFile>* file);

  const std::shared_ptr<rocksdb::FileSystem> base_;
  const bool is_real_;  // the base is the operating system's own, with nothing in between
  const bool is_encrypted_;
  const std::shared_ptr<DiskSpace> space_;  // shared with files
};

}  // namespace armature::storage
