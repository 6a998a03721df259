#include "storage/rocksdb/setup/copy_store.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include <rocksdb/file_system.h>
#include <rocksdb/utilities/checkpoint.h>

#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/setup/data_directory.h"

namespace armature::storage {

Status CopyStore(rocksdb::DB& db, const std::string& from, const std::string& directory) {
  std::error_code error;
  if (std::filesystem::exists(directory, error)) return Status::InvalidArgument(directory + " exists already");
  std::filesystem::create_directories(directory, error);
  if (error) return Status::IoError("cannot create " + directory + ": " + error.message());
  rocksdb::Checkpoint* created = nullptr;
  if (auto status = rocksdb::Checkpoint::Create(&db, &created); !status.ok()) return FromRocksDb(status);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(created);
  if (auto status = checkpoint->CreateCheckpoint(DataDirectory::DatabasePath(directory)); !status.ok())
    return FromRocksDb(status);
  // Behind the files, so that all their keys are there.
  if (Status status = DataDirectory::CopyKeys(from, directory); !status.ok()) return status;
  // Last, so that a copy cut short is not taken for a store.
  return DataDirectory::WriteFormat(*rocksdb::FileSystem::Default(), directory);
}

}  // namespace armature::storage
