#include "storage/encryption/key_file.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/codec/crc32c.h"
#include "base/codec/hex.h"

namespace armature::storage {

namespace {

constexpr std::string_view kName = "armature keys ";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kSumName = "sum ";
constexpr size_t kSumLine = kSumName.size() + 8 + 1;
constexpr size_t kFingerprintBytes = 8;
constexpr size_t kNumberBytes = 4;

Status Damaged() {
  return Status::Corruption("is damaged: restore a copy of it, for the files cannot be read without");
}

std::string SumLine(std::string_view text) { return fmt::format("{}{:08x}\n", kSumName, Crc32c(text)); }

// What is sealed: IAM's key, then each data key behind its number.
std::string BodyOf(const StoreKeys& keys) {
  std::string body;
  body.reserve(AesGcmKey::kBytes +
               keys.data_keys.size() * (kNumberBytes + AesGcmKey::kBytes));  // so that none is copied
  body += keys.iam_key.bytes();
  for (const auto& data_key : keys.data_keys) {
    for (int shift = 24; shift >= 0; shift -= 8) body.push_back(static_cast<char>(data_key->number >> shift));
    body += data_key->key.bytes();
  }
  return body;
}

uint32_t NumberAt(std::string_view bytes) {
  uint32_t number = 0;
  for (const char byte : bytes.substr(0, kNumberBytes)) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::optional<StoreKeys> ParseBody(std::string_view body, std::string store_id) {
  constexpr size_t kEach = kNumberBytes + AesGcmKey::kBytes;
  if (body.size() < AesGcmKey::kBytes + kEach || (body.size() - AesGcmKey::kBytes) % kEach != 0) return std::nullopt;
  StoreKeys keys{std::move(store_id), AesGcmKey(body.substr(0, AesGcmKey::kBytes)), {}};
  uint32_t last = 0;
  for (body.remove_prefix(AesGcmKey::kBytes); !body.empty(); body.remove_prefix(kEach)) {
    const uint32_t number = NumberAt(body);
    if (number <= last) return std::nullopt;
    last = number;
    keys.data_keys.push_back(
        std::make_shared<const DataKey>(DataKey{number, AesGcmKey(body.substr(kNumberBytes, AesGcmKey::kBytes))}));
  }
  return keys;
}

// One for each store: nonces are drawn at random, and one master key may have many stores.
AesGcmKey SealingKey(const AesGcmKey& master, std::string_view store_id) {
  return master.Derive(fmt::format("armature store keys {}", ToHex(store_id)));
}

// A line "NAME VALUE\n" in front, VALUE in hexadecimal digits. Its bytes; nothing if it is something else.
std::optional<std::string> TakeLine(std::string_view& text, std::string_view name) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(name)) return std::nullopt;
  auto bytes = FromHex(text.substr(name.size(), end - name.size()));
  text.remove_prefix(end + 1);
  return bytes;
}

}  // namespace

StoreKeys StoreKeys::Random(RandomSource& random) {
  std::string id(kStoreIdBytes, '\0');
  random.FillBytes({id.data(), id.size()});
  std::array<std::string, 2> bytes{std::string(AesGcmKey::kBytes, '\0'), std::string(AesGcmKey::kBytes, '\0')};
  for (std::string& each : bytes) random.FillBytes({each.data(), each.size()});
  StoreKeys keys{std::move(id), AesGcmKey(bytes[0]), {}};
  keys.data_keys.push_back(std::make_shared<const DataKey>(DataKey{1, AesGcmKey(bytes[1])}));
  for (std::string& each : bytes) OPENSSL_cleanse(each.data(), each.size());
  return keys;
}

std::string SealKeyFile(const StoreKeys& keys, const MasterKeys& masters, RandomSource& random) {
  std::string text =
      fmt::format("{}{}\nstore {}\nmaster {}\n", kName, kVersion, ToHex(keys.store_id), masters.fingerprint());
  std::string body = BodyOf(keys);
  const std::string sealed = SealingKey(masters.current(), keys.store_id).Seal(body, text, random);
  OPENSSL_cleanse(body.data(), body.size());
  text += fmt::format("sealed {}\n", ToHex(sealed));
  text += SumLine(text);
  return text;
}

Result<OpenedKeyFile> OpenKeyFile(std::string_view text, const MasterKeys& masters) {
  if (!text.starts_with(kName) || text.size() < kSumLine) return Damaged();
  const std::string_view summed = text.substr(0, text.size() - kSumLine);
  if (text.substr(summed.size()) != SumLine(summed)) return Damaged();
  const std::string_view version = summed.substr(kName.size(), summed.find('\n') - kName.size());
  if (version != kVersion) return Status::Format(fmt::format("is of version {}: use a newer armature", version));
  std::string_view rest = summed.substr(kName.size() + kVersion.size() + 1);
  auto store_id = TakeLine(rest, "store ");
  const auto fingerprint = TakeLine(rest, "master ");
  const std::string_view head = summed.substr(0, summed.size() - rest.size());
  const auto sealed = TakeLine(rest, "sealed ");
  if (!store_id || store_id->size() != kStoreIdBytes || !fingerprint || fingerprint->size() != kFingerprintBytes ||
      !sealed || !rest.empty())
    return Damaged();
  const std::string wanted = ToHex(*fingerprint);
  const AesGcmKey* const master = masters.Find(wanted);
  if (!master) return Status::InvalidArgument(fmt::format("is sealed under the master key {}", wanted));
  auto body = SealingKey(*master, *store_id).Open(*sealed, head);
  if (!body) return Damaged();
  auto keys = ParseBody(*body, std::move(*store_id));
  OPENSSL_cleanse(body->data(), body->size());
  if (!keys) return Damaged();
  return OpenedKeyFile{std::move(*keys), wanted};
}

}  // namespace armature::storage
