#include "storage/rocksdb/data_directory.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace armature::storage {
namespace {

constexpr std::string_view kFormatName = "armature ";

Status Failure(std::string_view what, const std::string& path, int error) {
  const std::string text = fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(error));
  return error == ENOSPC ? Status::NoSpace(text) : Status::IoError(text);
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
  if (version > DataDirectory::kFormatVersion)
    return Status::Format(fmt::format("{} holds data of format {}, this armature reads up to {}: use a newer armature",
                                      directory, version, DataDirectory::kFormatVersion));
  return {};
}

// What may be there before FORMAT is: a file system's own, and what a creation cut short has left.
bool MayPrecedeFormat(std::string_view name, bool is_creating) {
  if (name == "lost+found" || name == "LOCK" || name == "CREATING") return true;
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

Status SyncPath(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 || fsync(file.get()) != 0) return Failure("sync", path, errno);
  return {};
}

}  // namespace

Status DataDirectory::FinishCreation(const std::string& path) {
  const std::string database = DatabasePath(path);
  std::error_code error;
  for (std::filesystem::directory_iterator entries(database, error);
       !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    // RocksDB may delete a file meanwhile.
    if (Status status = SyncPath(entries->path()); !status.ok() && std::filesystem::exists(entries->path()))
      return status;
  }
  if (error) return Failure("read directory", database, error.value());
  if (Status status = SyncPath(database); !status.ok()) return status;
  if (Status status = WriteFormat(path); !status.ok()) return status;
  unlink((path + "/CREATING").c_str());
  return {};
}

Status DataDirectory::ClearDatabase() const {
  std::error_code error;
  std::filesystem::remove_all(database_path(), error);
  if (error) return Failure("remove", database_path(), error.value());
  if (mkdir(database_path().c_str(), 0755) != 0) return Failure("create directory", database_path(), errno);
  return {};
}

Status DataDirectory::WriteFormat(const std::string& path) {
  const std::string target = path + "/FORMAT", fresh = path + "/FORMAT.new";
  const std::string text = fmt::format("{}{}\n", kFormatName, kFormatVersion);
  Descriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) return Failure("write", fresh, errno);
  if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return Failure("write", fresh, errno);
  if (fdatasync(file.get()) != 0) return Failure("sync", fresh, errno);
  if (rename(fresh.c_str(), target.c_str()) != 0) return Failure("rename", fresh, errno);
  return SyncPath(path);
}

Status DataDirectory::CheckOurs(const std::string& path) {
  ARMATURE_TRY(const auto format, ReadFormat(path));
  return CheckFormat(path, format.value_or(""));
}

Result<DataDirectory> DataDirectory::Open(const std::string& path) {
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
  const std::string creating = path + "/CREATING";
  if (format) {
    unlink(creating.c_str());  // a power cut may have brought it back
  } else {
    Descriptor marker(open(creating.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (marker.get() < 0) return Failure("create", creating, errno);
  }
  if (mkdir(DatabasePath(path).c_str(), 0755) != 0 && errno != EEXIST)
    return Failure("create directory", DatabasePath(path), errno);
  return DataDirectory(path, lock.Release(), !format);
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)), is_new_(other.is_new_) {}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) close(lock_);
}

}  // namespace armature::storage
