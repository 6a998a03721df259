#include "base/keys/private_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

namespace armature {

namespace {

Status Errno(std::string_view what, const std::string& file) {
  const int error = errno;
  const std::string text = fmt::format("{} {}: {}", what, file, std::strerror(error));
  return error == ENOSPC || error == EDQUOT ? Status::NoSpace(text) : Status::IoError(text);
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  const int descriptor_;
};

Status SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const File opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || fsync(opened.descriptor()) != 0) return Errno("cannot sync", folder);
  return Status::Ok();
}

Status WriteSynced(const std::string& path, std::string_view text) {
  const File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return Errno("cannot make", path);
  while (!text.empty()) {
    const ssize_t written = write(file.descriptor(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Errno("cannot write", path);
    text.remove_prefix(static_cast<size_t>(written));
  }
  return fsync(file.descriptor()) == 0 ? Status::Ok() : Errno("cannot sync", path);
}

Status GiveName(const std::string& draft, const std::string& path, IfThere if_there) {
  if (if_there == IfThere::kReplace)
    return rename(draft.c_str(), path.c_str()) == 0 ? Status::Ok() : Errno("cannot replace", path);
  // Not over a file that somebody has put there meanwhile.
  if (link(draft.c_str(), path.c_str()) != 0) return Errno("cannot make", path);
  unlink(draft.c_str());
  return Status::Ok();
}

}  // namespace

Result<PrivateFile> ReadPrivateFile(const std::string& path, size_t most_bytes) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return Status::NotFound(fmt::format("there is no file {}", path));
  if (!file.is_open()) return Errno("cannot read", path);
  PrivateFile read_file;
  struct stat facts {};
  // A pipe, as a shell's <(...) is, belongs to whoever made it.
  read_file.is_open_to_others =
      fstat(file.descriptor(), &facts) == 0 && S_ISREG(facts.st_mode) && (facts.st_mode & 077) != 0;
  std::string& text = read_file.text;
  text.resize(most_bytes + 1);
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.descriptor(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Errno("cannot read", path);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > most_bytes) {
    OPENSSL_cleanse(text.data(), text.size());
    return Status::InvalidArgument(fmt::format("{} is too long for a file of keys", path));
  }
  text.resize(size);
  return read_file;
}

Status WritePrivateFile(const std::string& path, std::string_view text, IfThere if_there) {
  const std::string draft = path + ".new";
  unlink(draft.c_str());  // of a crash
  Status status = WriteSynced(draft, text);
  if (status.ok()) status = GiveName(draft, path, if_there);
  if (!status.ok()) {
    unlink(draft.c_str());
    return status;
  }
  return SyncFolderOf(path);
}

}  // namespace armature
