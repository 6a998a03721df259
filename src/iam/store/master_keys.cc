#include "iam/store/master_keys.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

namespace armature::iam {

namespace {

constexpr size_t kMostKeys = 16;
constexpr size_t kMostFileBytes = 16 << 10;

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// False: it is none.
bool ReadHex(std::string_view digits, std::string& bytes) {
  if (digits.size() != 2 * AesGcmKey::kBytes) return false;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = DigitOf(digits[i]), low = DigitOf(digits[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return true;
}

std::string WriteHex(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return digits;
}

std::string RandomBytes(RandomSource& random) {
  std::string bytes(AesGcmKey::kBytes, '\0');
  random.FillBytes({bytes.data(), bytes.size()});
  return bytes;
}

Status Errno(std::string_view what, const std::string& file) {
  return Status::IoError(fmt::format("{} {}: {}", what, file, std::strerror(errno)));
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

Result<std::string> ReadFile(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return Status::NotFound(fmt::format("there is no file {}", path));
  if (!file.is_open()) return Errno("cannot read", path);
  struct stat facts {};
  if (fstat(file.descriptor(), &facts) == 0 && (facts.st_mode & 077) != 0)
    LogWarn("{} can be read by others than its owner: it opens all of IAM's secrets", path);
  std::string text(kMostFileBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.descriptor(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Errno("cannot read", path);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > kMostFileBytes) return Status::InvalidArgument(fmt::format("{} is too long for a file of keys", path));
  text.resize(size);
  return text;
}

Status SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const File opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || fsync(opened.descriptor()) != 0) return Errno("cannot sync", folder);
  return Status::Ok();
}

// Whole or not at all: a key of which half is on the disk after a crash would be another key.
Status WriteFile(const std::string& path, std::string_view text) {
  const std::string unfinished = path + ".new";
  unlink(unfinished.c_str());  // of a crash
  {
    const File file(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.is_open()) return Errno("cannot make", unfinished);
    while (!text.empty()) {
      const ssize_t written = write(file.descriptor(), text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return Errno("cannot write", unfinished);
      text.remove_prefix(static_cast<size_t>(written));
    }
    if (fsync(file.descriptor()) != 0) return Errno("cannot sync", unfinished);
  }
  // Not over a file that somebody has put there meanwhile.
  if (link(unfinished.c_str(), path.c_str()) != 0) return Errno("cannot make", path);
  unlink(unfinished.c_str());
  return SyncFolderOf(path);
}

}  // namespace

Result<MasterKeys> MasterKeys::Parse(std::string_view text) {
  MasterKeys keys;
  for (size_t line_number = 1; !text.empty(); ++line_number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    std::string bytes;
    if (!ReadHex(line, bytes))
      return Status::InvalidArgument(fmt::format("line {}: a key is 64 hexadecimal digits", line_number));
    keys.Add(AesGcmKey(bytes));
    OPENSSL_cleanse(bytes.data(), bytes.size());
    if (keys.keys_.size() > kMostKeys)
      return Status::InvalidArgument(fmt::format("there are more than {} keys", kMostKeys));
  }
  if (keys.keys_.empty()) return Status::InvalidArgument("there is no key in it");
  return keys;
}

MasterKeys MasterKeys::Random(RandomSource& random) {
  MasterKeys keys;
  keys.Add(AesGcmKey(RandomBytes(random)));
  return keys;
}

void MasterKeys::Add(const AesGcmKey& key) {
  fingerprints_.push_back(WriteHex(key.Fingerprint()));
  keys_.push_back(key);
}

const AesGcmKey* MasterKeys::Find(std::string_view fingerprint) const {
  for (size_t i = 0; i < keys_.size(); ++i)
    if (fingerprints_[i] == fingerprint) return &keys_[i];
  return nullptr;
}

Result<MasterKeys> MasterKeySource::Read(RandomSource& random) const {
  if (text.empty() && file.empty()) return MasterKeys::Random(random);
  std::string read = text;
  if (text.empty()) {
    auto of_file = ReadFile(file);
    if (!of_file && of_file.error().code() == StatusCode::kNotFound && !may_create_file)
      return Status::InvalidArgument(of_file.error().message());
    if (!of_file) return of_file.error();
    read = std::move(*of_file);
  }
  auto keys = MasterKeys::Parse(read);
  OPENSSL_cleanse(read.data(), read.size());
  if (keys) return keys;
  return Status::InvalidArgument(
      fmt::format("{}: {}", text.empty() ? file : "the master key of IAM", keys.error().message()));
}

Result<MasterKeys> MasterKeySource::Create(RandomSource& random) const {
  std::string bytes = RandomBytes(random);
  std::string line = WriteHex(bytes) + "\n";
  const Status written = WriteFile(file, line);
  OPENSSL_cleanse(line.data(), line.size());
  OPENSSL_cleanse(bytes.data(), bytes.size());
  if (!written.ok()) return written;
  return Read(random);
}

}  // namespace armature::iam
