#include "storage/rocksdb/survey/store_doctor.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>
#include <sys/file.h>
#include <unistd.h>

#include "storage/embedded_partition.h"
#include "storage/rocksdb/encrypted/store_encryption.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/rows/row_reads.h"
#include "storage/rocksdb/setup/data_directory.h"
#include "storage/rocksdb/setup/rocksdb_options.h"
#include "storage/rocksdb/setup/store_env.h"
#include "storage/rocksdb/survey/cut_view.h"

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

rocksdb::Options ReadingOptions(rocksdb::Env* env) {
  RocksDbOptions options;
  options.memory_bytes = size_t{64} << 20;
  rocksdb::Options result = MakeRocksDbOptions(options, env, MakeBlockCache(options));
  result.create_if_missing = false;
  return result;
}

std::shared_ptr<rocksdb::FileSystem> FilesUnder(std::shared_ptr<DataKeys> keys) {
  RocksDbOptions options;
  options.data_keys = std::move(keys);
  return DatabaseFiles(options);
}

Status Failure(std::string_view what, const fs::path& path, const std::error_code& error) {
  return Status::IoError(fmt::format("cannot {} {}: {}", what, path.string(), error.message()));
}

Status SyncPath(const fs::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_synced = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  return is_synced ? Status() : Failure("sync", path, std::error_code(error, std::generic_category()));
}

// The lock of the directory, taken without making anything: -1 when there is no file to lock.
Result<int> TakeLock(const std::string& directory) {
  const int lock = open((directory + "/LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  close(lock);
  return Status::Locked(fmt::format("{} is in use: stop the server first", directory));
}

}  // namespace

Result<std::unique_ptr<StoreDoctor>> StoreDoctor::Open(const std::string& data_directory,
                                                       std::shared_ptr<DataKeys> keys) {
  std::error_code error;
  if (!fs::is_directory(data_directory, error)) return Status::NotFound(data_directory + " is not a directory");
  ARMATURE_TRY(const int lock, TakeLock(data_directory));
  const bool has_keys = keys != nullptr;
  std::unique_ptr<StoreDoctor> doctor(new StoreDoctor(data_directory, lock, std::move(keys)));
  if (Status status = DataDirectory::CheckOurs(data_directory); !status.ok()) return status;
  if (Status status = CheckEncryption(*rocksdb::FileSystem::Default(), data_directory, has_keys); !status.ok())
    return status;
  if (Status status = doctor->Survey(); !status.ok()) return status;
  return doctor;
}

StoreDoctor::StoreDoctor(std::string data_directory, int lock, std::shared_ptr<DataKeys> keys)
    : directory_(std::move(data_directory)), lock_(lock), files_(FilesUnder(std::move(keys))) {}

Status StoreDoctor::Survey() {
  ARMATURE_TRY(survey_, SurveyStore(*files_, directory_));
  is_refused_ = !survey_.damage.empty();
  lacks_tables_ = std::any_of(survey_.damage.begin(), survey_.damage.end(),
                              [](const Damage& damage) { return damage.file.ends_with(".sst"); });
  return {};
}

StoreDoctor::~StoreDoctor() {
  db_.reset();
  if (lock_ >= 0) close(lock_);
}

void StoreDoctor::CheckTables() {
  const auto env = rocksdb::NewCompositeEnv(files_);
  const rocksdb::Options options = ReadingOptions(env.get());
  for (const auto& [number, size] : survey_.manifest.tables) {
    const std::string name = fmt::format("db/{:06}.sst", number);
    uint64_t bytes = 0;
    const auto seen = files_->GetFileSize(directory_ + "/" + name, {}, &bytes, nullptr);
    if (!seen.ok() || bytes != size) continue;  // the survey says so
    rocksdb::SstFileReader reader(options);
    auto status = reader.Open(directory_ + "/" + name);
    if (status.ok()) status = reader.VerifyChecksum();
    if (status.ok()) continue;
    survey_.damage.push_back({name, {}, status.ToString()});
  }
}

Status StoreDoctor::OpenForReading() {
  if (db_) return {};
  env_ = rocksdb::NewCompositeEnv(std::make_shared<CutView>(files_, PlanCut(survey_)));
  rocksdb::DB* db = nullptr;
  const auto status =
      rocksdb::DB::OpenForReadOnly(ReadingOptions(env_.get()), DataDirectory::DatabasePath(directory_), &db);
  db_.reset(db);
  return FromRocksDb(status);
}

Status StoreDoctor::Read(const PartitionInfo& partition, const KeyRange& range, const Row& row) {
  if (Status status = OpenForReading(); !status.ok()) return status;
  rocksdb::ReadOptions options = RowReadOptions();
  options.fill_cache = false;
  const auto stored = EmbeddedPartition(partition, 0).StoredRange(range.begin, range.end);
  const rocksdb::Slice end(stored.range.end);
  options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(options));
  for (rows->Seek(stored.range.begin); rows->Valid(); rows->Next())
    if (!row(rows->key().ToStringView().substr(stored.prefix_size), rows->value().ToStringView())) break;
  return FromRocksDb(rows->status());
}

std::string StoreDoctor::WhyNotRepairable() const {
  if (survey_.manifest.name.empty()) return "without its manifest nothing says which files belong to the store";
  return lacks_tables_ ? "what a table file held cannot be made again" : "";
}

Result<std::string> StoreDoctor::Repair() {
  db_.reset();
  const fs::path aside =
      fs::path(directory_) / fmt::format("damaged-{:%Y%m%d-%H%M%S}", fmt::gmtime(std::time(nullptr)));
  std::error_code error;
  if (!fs::create_directory(aside, error)) return Failure("create", aside, error);
  const LineCut cut = PlanCut(survey_);
  std::vector<std::string> changed = cut.removed;
  for (const auto& [name, bytes] : cut.lengths) changed.push_back(name);
  for (const std::string& name : changed) {
    fs::copy_file(fs::path(DataDirectory::DatabasePath(directory_)) / name, aside / name, error);
    if (error) return Failure("copy to", aside / name, error);
    if (Status status = SyncPath(aside / name); !status.ok()) return status;
  }
  const fs::path synced = SyncedFilePath(directory_);
  if (fs::exists(synced, error)) {
    fs::copy_file(synced, aside / "SYNCED", error);
    if (error) return Failure("copy to", aside / "SYNCED", error);
  }
  if (Status status = SyncPath(aside); !status.ok()) return status;
  if (Status status = SyncPath(directory_); !status.ok()) return status;
  if (Status status = CutToLine(*files_, directory_, survey_); !status.ok()) return status;
  // Last: what it claims is no longer there. The store is opened without, and makes it anew.
  fs::remove(synced, error);
  if (error) return Failure("remove", synced, error);
  if (Status status = SyncPath(directory_); !status.ok()) return status;
  if (Status status = Survey(); !status.ok()) return status;
  return aside.filename().string();
}

}  // namespace armature::storage
