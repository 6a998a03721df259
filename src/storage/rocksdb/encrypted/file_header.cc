#include "storage/rocksdb/encrypted/file_header.h"

#include <algorithm>

#include <fmt/core.h>
#include <openssl/crypto.h>

#include "base/bytes.h"
#include "base/codec/sha256.h"

namespace armature::storage {
namespace {

constexpr std::string_view kMagic = "armcrypt";
constexpr uint8_t kVersion = 1;
constexpr size_t kVersionAt = 8, kKindAt = 9, kDataKeyAt = 12, kSaltAt = 16, kCheckAt = 48;
static_assert(kSaltAt + FileHeader::kSaltBytes == kCheckAt);

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

FileSecrets Derive(const DataKey& key, std::string_view salt) {
  FileSecrets secrets;
  secrets.cipher = key.key.DeriveBytes(std::string("armature file cipher ").append(salt));
  secrets.check = key.key.DeriveBytes(std::string("armature file check ").append(salt));
  return secrets;
}

std::string CheckOf(std::string_view front, std::string_view path, const FileSecrets& secrets) {
  HmacSha256 check({secrets.check.data(), secrets.check.size()});
  check.Update("header ");
  check.Update(front);
  check.Update(NameOf(path));
  return std::string(BytesOf(check.Digest()).substr(0, FileHeader::kBytes - kCheckAt));
}

}  // namespace

FileSecrets::~FileSecrets() {
  OPENSSL_cleanse(cipher.data(), cipher.size());
  OPENSSL_cleanse(check.data(), check.size());
}

FileKind KindOf(std::string_view path) {
  const std::string_view name = NameOf(path);
  if (name.ends_with(".log") || name.starts_with("MANIFEST-")) return FileKind::kLog;
  // RocksDB writes CURRENT and IDENTITY as numbers with .dbtmp and renames them; options have such files, too.
  const bool is_temporary = name.ends_with(".dbtmp") && name.find_first_not_of("0123456789") == name.find(".dbtmp");
  if (is_temporary || name == "CURRENT" || name == "IDENTITY" || name == "LOCK" || name == "SYNCED")
    return FileKind::kPlain;
  return FileKind::kPages;
}

std::string FileHeader::Make(FileKind kind, const DataKey& key, std::string_view salt, std::string_view path,
                             FileHeader& header) {
  header.kind = kind;
  header.data_key = key.number;
  header.secrets = Derive(key, salt);
  std::string bytes(kMagic);
  AppendByte(bytes, kVersion);
  AppendByte(bytes, static_cast<uint8_t>(kind));
  bytes.append(kDataKeyAt - bytes.size(), '\0');
  AppendBigEndian(bytes, key.number);
  bytes.append(salt);
  return bytes + CheckOf(bytes, path, header.secrets);
}

Result<FileHeader> FileHeader::Read(std::string_view bytes, const DataKeys& keys, std::string_view path) {
  const std::string_view name = NameOf(path);
  if (IsBlank(bytes)) return Status::Corruption(fmt::format("{} has lost its header", name));
  if (!HasMagic(bytes))
    return Status::Corruption(
        fmt::format("{} does not begin as an encrypted file does: it is damaged, or is not one", name));
  if (static_cast<uint8_t>(bytes[kVersionAt]) != kVersion)
    return Status::Corruption(fmt::format("{} is encrypted in a way that this armature does not know", name));
  FileHeader header;
  header.kind = static_cast<FileKind>(bytes[kKindAt]);
  header.data_key = ReadDataKey(bytes);
  const auto key = keys.Find(header.data_key);
  if (!key)
    return Status::Corruption(
        fmt::format("{} is encrypted with data key {}, which the store does not have", name, header.data_key));
  header.secrets = Derive(*key, bytes.substr(kSaltAt, kSaltBytes));
  if (CheckOf(bytes.substr(0, kCheckAt), path, header.secrets) != bytes.substr(kCheckAt, kBytes - kCheckAt) ||
      header.kind != KindOf(path))
    return Status::Corruption(
        fmt::format("{} has a damaged header, or that of another file, or is of another key", name));
  return header;
}

bool FileHeader::IsBlank(std::string_view bytes) {
  return bytes.size() < kBytes ||
         std::all_of(bytes.begin(), bytes.begin() + kBytes, [](char byte) { return byte == 0; });
}

bool FileHeader::HasMagic(std::string_view bytes) { return bytes.size() >= kBytes && bytes.starts_with(kMagic); }

uint32_t FileHeader::ReadDataKey(std::string_view bytes) {
  return HasMagic(bytes) ? ReadBigEndian<uint32_t>(bytes.data() + kDataKeyAt) : 0;
}

}  // namespace armature::storage
