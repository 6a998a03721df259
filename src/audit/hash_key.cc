#include "audit/hash_key.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "wire/json/attribute_json.h"

namespace armature::audit {

namespace {

constexpr size_t kKeyCharacters = 64;
constexpr mode_t kFileMode = 0600;

std::string PathIn(const std::string& directory) { return fmt::format("{}/{}", directory, kHashKeyFileName); }

Status Failure(std::string_view what, const std::string& path) {
  return Status::IoError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

std::string NewText(RandomSource& secrets) {
  std::string text;
  while (text.size() < kKeyCharacters) fmt::format_to(std::back_inserter(text), "{:016x}", secrets.NextU64());
  return text;
}

// Under another name first: it is whole, or it is not there.
Status Write(const std::string& path, std::string_view text) {
  const std::string draft = path + ".new";
  unlink(draft.c_str());
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
  if (file < 0) return Failure("make", draft);
  const bool is_written =
      write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file) == 0;
  Status status = is_written ? Status::Ok() : Failure("write", draft);
  close(file);
  if (status.ok() && rename(draft.c_str(), path.c_str()) != 0) status = Failure("make", path);
  return status;
}

std::string Told(const HmacSha256& hash) { return fmt::format("hmac-sha256:{}", HexDigest(hash.Digest()).text()); }

}  // namespace

Result<HashKey> HashKey::Read(const std::string& directory) {
  const std::string path = PathIn(directory);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Failure("read", path);
  std::array<char, kKeyCharacters> text{};
  const ssize_t got = read(file, text.data(), text.size());
  close(file);
  const std::string_view read_text(text.data(), got < 0 ? 0 : static_cast<size_t>(got));
  if (read_text.size() != kKeyCharacters || read_text.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return Status::Corruption(
        fmt::format("{} is no key of an audit log: it should have {} hexadecimal digits", path, kKeyCharacters));
  return HashKey(read_text);
}

Result<HashKey> HashKey::ReadOrMake(const std::string& directory, RandomSource& secrets) {
  const std::string path = PathIn(directory);
  if (access(path.c_str(), F_OK) != 0)
    if (Status status = Write(path, NewText(secrets)); !status.ok()) return status;
  return Read(directory);
}

std::string HashKey::OfKey(std::string_view table_arn, model::Item key) const {
  std::string json;
  wire::AppendItemAsJson(key, json);
  HmacSha256 hash = begun_;
  hash.Update(table_arn);
  hash.Update("\n");
  hash.Update(json);
  return Told(hash);
}

std::string HashKey::OfText(std::string_view text) const {
  HmacSha256 hash = begun_;
  hash.Update(text);
  return Told(hash);
}

}  // namespace armature::audit
