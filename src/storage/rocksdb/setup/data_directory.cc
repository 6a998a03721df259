#include "storage/rocksdb/setup/data_directory.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/files/synced_point.h"

namespace armature::storage {
namespace {

constexpr std::string_view kFormatName = "armature ";

Status Failure(std::string_view what, const std::string& path, int error) {
  const std::string text = fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(error));
  return error == ENOSPC || error == EDQUOT ? Status::NoSpace(text) : Status::IoError(text);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// The text of FORMAT, or nothing when there is none.
Result<std::optional<std::string>> ReadFormat(const std::string& directory) {
  const std::string path = directory + "/FORMAT";
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT) return std::optional<std::string>();
    return Failure("read", path, errno);
  }
  char text[64];
  const ssize_t size = read(file.get(), text, sizeof text);
  if (size < 0) return Failure("read", path, errno);
  return std::optional<std::string>(std::in_place, text, static_cast<size_t>(size));
}

Status CheckFormat(const std::string& directory, std::string_view text) {
  int version = 0;
  if (text.starts_with(kFormatName)) {
    const char* begin = text.data() + kFormatName.size();
    std::from_chars(begin, text.data() + text.size(), version);
  }
  if (version <= 0) return Status::Format(fmt::format("{} does not hold data of armature", directory));
  if (version != DataDirectory::kFormatVersion)
    return Status::Format(fmt::format("{} holds data of format {}, this armature reads format {} only: use {} armature",
                                      directory, version, DataDirectory::kFormatVersion,
                                      version > DataDirectory::kFormatVersion ? "a newer" : "an older"));
  return {};
}

// What may be there before FORMAT is: a file system's own, and what a creation cut short has left.
bool MayPrecedeFormat(std::string_view name, bool is_creating) {
  if (name == "lost+found" || name == "LOCK" || name == "CREATING") return true;
  // Without its keys nothing of a store that is encrypted can be written: they come first.
  if (name == DataDirectory::kKeysName || name == "KEYS.new") return true;
  // The master key of IAM may be made before the first write is, with which FORMAT comes.
  if (name == "iam.key" || name == "iam.key.new") return is_creating;
  return is_creating && (name == "db" || name == "FORMAT.new" || name == "SYNCED");
}

Status CheckEmpty(const std::string& directory) {
  std::error_code error;
  const bool is_creating = std::filesystem::exists(directory + "/CREATING", error);
  std::filesystem::directory_iterator entries(directory, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (!MayPrecedeFormat(entries->path().filename().native(), is_creating))
      return Status::Format(fmt::format("{} is not empty and does not hold data of armature", directory));
  }
  if (error) return Failure("read directory", directory, error.value());
  return {};
}

Status CreateDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Failure("create directory", path, error.value());
  if (!std::filesystem::is_directory(path, error)) return Failure("open directory", path, ENOTDIR);
  return {};
}

// Nobody knows what reached the disk, whatever it says; and a second sync would not tell.
Status FromSync(const std::string& path, const rocksdb::Status& status) {
  if (status.ok()) return {};
  return Status::IoError(fmt::format("cannot sync {}: {}", path, status.ToString()));
}

Status SyncDirectory(rocksdb::FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  const auto opened = files.NewDirectory(path, {}, &directory, nullptr);
  return opened.ok() ? FromSync(path, directory->Fsync({}, nullptr)) : FromFiles(opened);
}

// Of one that is gone there is nothing to sync: RocksDB may delete a file meanwhile.
Status SyncFile(rocksdb::FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSRandomRWFile> file;
  const auto opened = files.NewRandomRWFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (opened.IsPathNotFound() || opened.IsNotFound()) return {};
  return opened.ok() ? FromSync(path, file->Fsync({}, nullptr)) : FromFiles(opened);
}

Status RemoveFile(rocksdb::FileSystem& files, const std::string& path) {
  const auto status = files.DeleteFile(path, {}, nullptr);
  return status.IsPathNotFound() || status.IsNotFound() ? Status() : FromFiles(status);
}

// Before anything else is there, so that whatever of the rest a power cut leaves is known to be ours.
Status MarkCreating(rocksdb::FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSWritableFile> marker;
  auto status = files.NewWritableFile(path + "/CREATING", rocksdb::FileOptions(), &marker, nullptr);
  if (status.ok()) status = marker->Close({}, nullptr);
  return status.ok() ? SyncDirectory(files, path) : FromFiles(status);
}

}  // namespace

Status DataDirectory::FinishCreation(rocksdb::FileSystem& files, const std::string& path) {
  const std::string database = DatabasePath(path);
  std::vector<std::string> names;
  if (const auto status = files.GetChildren(database, {}, &names, nullptr); !status.ok()) return FromFiles(status);
  for (const std::string& name : names)
    if (Status status = SyncFile(files, database + "/" + name); !status.ok()) return status;
  if (Status status = SyncDirectory(files, database); !status.ok()) return status;
  if (Status status = WriteFormat(files, path); !status.ok()) return status;
  static_cast<void>(RemoveFile(files, path + "/CREATING"));
  return {};
}

Status DataDirectory::ClearDatabase(rocksdb::FileSystem& files, const std::string& path) {
  if (Status status = RemoveFile(files, SyncedFilePath(path)); !status.ok()) return status;
  std::vector<std::string> names;
  const auto status = files.GetChildren(DatabasePath(path), {}, &names, nullptr);
  if (!status.ok()) return FromFiles(status);
  if (!names.empty()) LogInfo("storage: {} was cut short in its creation, it is begun anew", path);
  for (const std::string& name : names)
    if (Status removed = RemoveFile(files, DatabasePath(path) + "/" + name); !removed.ok()) return removed;
  return {};
}

Status DataDirectory::WriteFormat(rocksdb::FileSystem& files, const std::string& path) {
  const std::string target = path + "/FORMAT", fresh = path + "/FORMAT.new";
  const std::string text = fmt::format("{}{}\n", kFormatName, kFormatVersion);
  std::unique_ptr<rocksdb::FSWritableFile> file;
  auto status = files.NewWritableFile(fresh, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Append(text, {}, nullptr);
  if (!status.ok()) return FromFiles(status);
  if (Status synced = FromSync(fresh, file->Sync({}, nullptr)); !synced.ok()) return synced;
  status = file->Close({}, nullptr);
  if (status.ok()) status = files.RenameFile(fresh, target, {}, nullptr);
  return status.ok() ? SyncDirectory(files, path) : FromFiles(status);
}

bool DataDirectory::HasKeys(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path + "/" + kKeysName, error);
}

Status DataDirectory::CopyKeys(const std::string& from, const std::string& to) {
  if (!HasKeys(from)) return {};
  const std::string copy = to + "/" + kKeysName;
  std::error_code error;
  std::filesystem::copy_file(from + "/" + kKeysName, copy, error);
  if (error) return Failure("copy to", copy, error.value());
  const Descriptor file(open(copy.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 || fsync(file.get()) != 0) return Failure("sync", copy, errno);
  return {};
}

Status DataDirectory::CheckOurs(const std::string& path) {
  ARMATURE_TRY(const auto format, ReadFormat(path));
  return CheckFormat(path, format.value_or(""));
}

Result<DataDirectory> DataDirectory::Open(rocksdb::FileSystem& files, const std::string& path) {
  if (path.empty()) return Status::InvalidArgument("no data directory given");
  if (Status status = CreateDirectory(path); !status.ok()) return status;
  // Looked at before anything is created: a foreign directory stays untouched.
  ARMATURE_TRY(auto format, ReadFormat(path));
  if (Status status = format ? CheckFormat(path, *format) : CheckEmpty(path); !status.ok()) return status;

  const std::string lock_path = path + "/LOCK";
  Descriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.get() < 0) return Failure("open", lock_path, errno);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return Status::Locked(fmt::format("{} is in use by another armature", path));
    return Failure("lock", lock_path, errno);
  }
  if (format) static_cast<void>(RemoveFile(files, path + "/CREATING"));  // a power cut may have brought it back
  else if (Status status = MarkCreating(files, path); !status.ok()) return status;
  if (const auto made = files.CreateDirIfMissing(DatabasePath(path), {}, nullptr); !made.ok()) return FromFiles(made);
  return DataDirectory(path, lock.Release(), !format);
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)), is_new_(other.is_new_) {}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) close(lock_);
}

}  // namespace armature::storage
