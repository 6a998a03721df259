#include "storage/rocksdb/encrypted/log_cipher.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/codec/crc32c.h"

namespace armature::storage {
namespace {

constexpr size_t kHeader = LogCipher::kPieceHeader;
constexpr size_t kCheck = 4;
constexpr size_t kTypeAt = 6;
constexpr size_t kCipherBlock = 16;

uint32_t MaskedCrc(std::string_view piece) {
  const uint32_t crc = Crc32c(piece.substr(kTypeAt));
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

uint32_t LittleEndian32(const char* bytes) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8) | static_cast<uint8_t>(bytes[i]);
  return value;
}
void PutLittleEndian32(char* bytes, uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
}

size_t LengthOf(std::string_view header) {
  return static_cast<uint8_t>(header[4]) | static_cast<size_t>(static_cast<uint8_t>(header[5])) << 8;
}

HmacSha256 CheckUnder(const FileSecrets& secrets) {
  HmacSha256 check({secrets.check.data(), secrets.check.size()});
  check.Update("piece ");
  return check;
}

}  // namespace

LogCipher::LogCipher(const FileSecrets& secrets) : check_(CheckUnder(secrets)), context_(NewCipherContext()) {
  CipherMustSucceed(
      EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ctr(), nullptr, CipherBytes(secrets.cipher.data()), nullptr));
}

bool LogCipher::IsZero(std::string_view bytes) {
  return bytes.empty() || (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

bool LogCipher::IsAhead(std::string_view bytes) { return bytes.size() >= 2 * kBlock && IsZero(bytes); }

// The counter is the number of the 16 bytes in the log; of the key stream of the first of them the front is passed
// over.
void LogCipher::Crypt(uint64_t offset, char* bytes, size_t size) {
  std::array<unsigned char, kCipherBlock> counter{};
  const uint64_t number = offset / kCipherBlock;
  for (size_t i = 0; i < 8; ++i) counter[8 + i] = static_cast<unsigned char>(number >> (8 * (7 - i)));
  CipherMustSucceed(EVP_EncryptInit_ex(context_.get(), nullptr, nullptr, nullptr, counter.data()));
  int count = 0;
  if (const size_t skipped = offset % kCipherBlock; skipped != 0) {
    std::array<unsigned char, kCipherBlock> front{};
    CipherMustSucceed(EVP_EncryptUpdate(context_.get(), front.data(), &count, front.data(), static_cast<int>(skipped)));
  }
  CipherMustSucceed(
      EVP_EncryptUpdate(context_.get(), CipherBytes(bytes), &count, CipherBytes(bytes), static_cast<int>(size)));
}

// Of a piece whose payload is encrypted.
uint32_t LogCipher::CheckOf(uint64_t offset, std::string_view piece) const {
  std::array<char, 8> place;
  for (size_t i = 0; i < 8; ++i) place[i] = static_cast<char>(offset >> (8 * (7 - i)));
  HmacSha256 check = check_;
  check.Update({place.data(), place.size()});
  check.Update(piece.substr(kCheck));
  return LittleEndian32(reinterpret_cast<const char*>(check.Digest().data()));
}

size_t LogCipher::Seal(uint64_t offset, std::string& bytes, uint64_t& blank_until) {
  pieces_.clear();
  blanks_.clear();
  size_t at = 0;
  while (at < bytes.size()) {
    const uint64_t place = offset + at;
    const size_t in_block = kBlock - place % kBlock;
    const std::string_view rest = std::string_view(bytes).substr(at);
    // Where no header fits in, and behind a header of zeros, a block holds nothing.
    if (in_block < kHeader) blank_until = place + in_block;
    if (place < blank_until) {
      const size_t size = std::min<uint64_t>(blank_until - place, rest.size());
      blanks_.emplace_back(at, size);
      at += size;
      continue;
    }
    if (rest.size() < kHeader) break;
    if (IsZero(rest.substr(0, kHeader))) {
      blank_until = place + in_block;
      continue;
    }
    // A header that makes no sense leads nowhere: nothing of the block is read behind it.
    const size_t stated = LengthOf(rest);
    const bool is_plausible = kHeader + stated <= in_block;
    const size_t length = is_plausible ? stated : in_block - kHeader;
    if (rest.size() < kHeader + length) break;
    const bool is_sound = is_plausible && MaskedCrc(rest.substr(0, kHeader + length)) == LittleEndian32(rest.data());
    pieces_.push_back({at, length, is_sound});
    at += kHeader + length;
  }
  if (!pieces_.empty()) {
    // One go for all of them; what is not encrypted is put back.
    opened_.clear();
    for (const Piece& piece : pieces_) opened_.append(bytes, piece.at, kHeader);
    Crypt(offset, bytes.data(), at);
    const char* header = opened_.data();
    for (const Piece& piece : pieces_) {
      char* const sealed = bytes.data() + piece.at;
      std::memcpy(sealed, header, kHeader);
      header += kHeader;
      const uint32_t check = CheckOf(offset + piece.at, std::string_view(sealed, kHeader + piece.length));
      PutLittleEndian32(sealed, piece.is_sound ? check : ~check);
    }
  }
  for (const auto& [begin, size] : blanks_) std::memset(bytes.data() + begin, 0, size);
  return at;
}

void LogCipher::Open(uint64_t offset, char* block, size_t size) {
  opened_.assign(block, size);
  Crypt(offset, opened_.data(), size);
  size_t at = 0;
  while (at + kHeader <= size) {
    char* const piece = block + at;
    const std::string_view rest(piece, size - at);
    if (IsZero(rest.substr(0, kHeader))) return;
    const size_t length = LengthOf(rest);
    if (kHeader + length > rest.size()) return;
    const std::string_view whole = rest.substr(0, kHeader + length);
    if (CheckOf(offset + at, whole) == LittleEndian32(piece)) {
      std::memcpy(piece + kHeader, opened_.data() + at + kHeader, length);
      PutLittleEndian32(piece, MaskedCrc(whole));
    } else {
      PutLittleEndian32(piece, ~MaskedCrc(whole));
    }
    at += kHeader + length;
  }
}

}  // namespace armature::storage
