#include "audit/log_files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace armature::audit {

namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kDirectoryMode = 0700;
constexpr std::string_view kClosedPrefix = "audit-";
constexpr std::string_view kClosedSuffix = ".jsonl";
constexpr size_t kBlockBytes = 4096;

Status Failure(std::string_view what, const std::string& path) {
  const int why = errno;
  std::string text = fmt::format("cannot {} {}: {}", what, path, std::strerror(why));
  return why == ENOSPC || why == EDQUOT ? Status::NoSpace(std::move(text)) : Status::IoError(std::move(text));
}

// Of a file that was closed: audit-000017.jsonl.
std::optional<uint64_t> NumberOf(std::string_view name) {
  if (!name.starts_with(kClosedPrefix) || !name.ends_with(kClosedSuffix)) return std::nullopt;
  name.remove_prefix(kClosedPrefix.size());
  if (name.size() < kClosedSuffix.size()) return std::nullopt;
  name.remove_suffix(kClosedSuffix.size());
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (name.empty() || error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::string NameOf(uint64_t number) { return fmt::format("{}{:06}{}", kClosedPrefix, number, kClosedSuffix); }

struct ClosedFile {
  uint64_t number;
  std::string name;
};

// The files that were closed, the oldest first.
std::vector<ClosedFile> ClosedFiles(const std::string& directory) {
  std::vector<ClosedFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename();
    if (const auto number = NumberOf(name)) files.push_back({*number, std::move(name)});
  }
  std::ranges::sort(files, {}, &ClosedFile::number);
  return files;
}

}  // namespace

ssize_t Disk::Write(int file, std::string_view bytes) { return write(file, bytes.data(), bytes.size()); }
int Disk::Sync(int file) { return fdatasync(file); }

LogFiles::LogFiles(LogFilesOptions options, Disk& disk, int directory)
    : options_(std::move(options)), disk_(disk), directory_(directory) {}

LogFiles::~LogFiles() {
  CloseFile();
  close(directory_);
}

std::string LogFiles::PathOf(std::string_view name) const { return fmt::format("{}/{}", options_.directory, name); }

Result<std::unique_ptr<LogFiles>> LogFiles::Open(LogFilesOptions options, Disk& disk) {
  const std::string& path = options.directory;
  std::error_code error;
  const auto parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (mkdir(path.c_str(), kDirectoryMode) != 0 && errno != EEXIST)
    return Failure("make the audit log's directory", path);
  const int directory = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return Failure("open the audit log's directory", path);
  std::unique_ptr<LogFiles> files(new LogFiles(std::move(options), disk, directory));
  if (flock(directory, LOCK_EX | LOCK_NB) != 0)
    return Status::Locked(fmt::format("the audit log in {} is another server's", files->options_.directory));
  if (const auto closed = ClosedFiles(files->options_.directory); !closed.empty())
    files->last_number_ = closed.back().number;
  if (Status status = files->OpenFile(); !status.ok()) return status;
  files->RemoveOldest();  // there may be more than are wanted now
  return files;
}

void LogFiles::CloseFile() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

Status LogFiles::OpenFile() {
  CloseFile();
  const std::string path = PathOf(kLogFileName);
  file_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode);
  if (file_ < 0) return Failure("open the audit log", path);
  return CutTornLine();
}

// What a crash or a full disk left behind the last whole line.
Status LogFiles::CutTornLine() {
  struct stat about {};
  if (fstat(file_, &about) != 0) return Failure("read the audit log", PathOf(kLogFileName));
  auto end = static_cast<uint64_t>(about.st_size);
  char block[kBlockBytes];
  while (end > 0) {
    const uint64_t from = end > kBlockBytes ? end - kBlockBytes : 0;
    const ssize_t got = pread(file_, block, end - from, static_cast<off_t>(from));
    if (got != static_cast<ssize_t>(end - from)) return Failure("read the audit log", PathOf(kLogFileName));
    const size_t newline = std::string_view(block, static_cast<size_t>(got)).rfind('\n');
    if (newline != std::string_view::npos) {
      end = from + newline + 1;
      break;
    }
    end = from;
  }
  size_ = end;
  is_torn_ = end != static_cast<uint64_t>(about.st_size);
  if (is_torn_ && ftruncate(file_, static_cast<off_t>(end)) != 0)
    return Failure("cut the torn last line of", PathOf(kLogFileName));
  is_torn_ = false;
  return Status::Ok();
}

Status LogFiles::ReopenIfMoved() {
  if (file_ < 0) return OpenFile();
  struct stat ours {};
  struct stat there {};
  const bool is_ours = fstat(file_, &ours) == 0 && stat(PathOf(kLogFileName).c_str(), &there) == 0 &&
                       ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  if (!is_ours) return OpenFile();
  // Somebody cut it (logrotate's copytruncate): it grows from there.
  size_ = std::min(size_, static_cast<uint64_t>(ours.st_size));
  return Status::Ok();
}

Status LogFiles::Rotate() {
  disk_.Sync(file_);
  const std::string name = NameOf(last_number_ + 1);
  if (rename(PathOf(kLogFileName).c_str(), PathOf(name).c_str()) != 0)
    return Failure("rename the audit log to", PathOf(name));
  ++last_number_;
  RemoveOldest();
  Status status = OpenFile();
  fsync(directory_);
  return status;
}

void LogFiles::RemoveOldest() const {
  const auto closed = ClosedFiles(options_.directory);
  const size_t may_stay = options_.files - 1;
  for (size_t i = 0; i + may_stay < closed.size(); ++i) unlink(PathOf(closed[i].name).c_str());
}

Status LogFiles::Append(std::string_view lines) {
  if (Status status = ReopenIfMoved(); !status.ok()) return status;
  if (size_ > 0 && size_ + lines.size() > options_.file_bytes)
    if (Status status = Rotate(); !status.ok()) return status;
  // What could not be cut off ends here, so that the lines that follow are whole.
  if (is_torn_ && disk_.Write(file_, "\n") != 1) return Failure("write", PathOf(kLogFileName));
  if (is_torn_) ++size_;
  is_torn_ = false;
  std::string_view rest = lines;
  while (!rest.empty()) {
    const ssize_t written = disk_.Write(file_, rest);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      Status status = Failure("write", PathOf(kLogFileName));
      is_torn_ = rest.size() < lines.size() && ftruncate(file_, static_cast<off_t>(size_)) != 0;
      return status;
    }
    rest.remove_prefix(static_cast<size_t>(written));
  }
  size_ += lines.size();
  return Status::Ok();
}

Status LogFiles::Sync() {
  if (file_ < 0 || disk_.Sync(file_) == 0) return Status::Ok();
  return Failure("sync", PathOf(kLogFileName));
}

}  // namespace armature::audit
