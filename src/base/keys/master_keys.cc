#include "base/keys/master_keys.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/codec/hex.h"

namespace armature {

namespace {

constexpr size_t kMostKeys = 16;

std::string RandomBytes(RandomSource& random) {
  std::string bytes(AesGcmKey::kBytes, '\0');
  random.FillBytes({bytes.data(), bytes.size()});
  return bytes;
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
    std::string bytes = FromHex(line).value_or(std::string());
    if (bytes.size() != AesGcmKey::kBytes)
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
  std::string bytes = RandomBytes(random);
  keys.Add(AesGcmKey(bytes));
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return keys;
}

std::string MasterKeys::NewText(RandomSource& random) {
  std::string bytes = RandomBytes(random);
  std::string text = ToHex(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return text;
}

void MasterKeys::Add(const AesGcmKey& key) {
  fingerprints_.push_back(ToHex(key.Fingerprint()));
  keys_.push_back(key);
}

const AesGcmKey* MasterKeys::Find(std::string_view fingerprint) const {
  for (size_t i = 0; i < keys_.size(); ++i)
    if (fingerprints_[i] == fingerprint) return &keys_[i];
  return nullptr;
}

}  // namespace armature
