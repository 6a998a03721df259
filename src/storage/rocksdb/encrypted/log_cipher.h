// LogCipher: RocksDB's log format, encrypted in its own places.
//
// A log (and a manifest) is blocks of 32 KiB, and in them pieces: a checksum of 4 bytes, a length, a type, a payload;
// zeros are where nothing was written (see survey/log_scanner.h). Encrypted, every piece stays where it is: length and
// type can be read, the payload is encrypted with AES-256-CTR by its offset, and instead of the CRC there are the first
// 4 bytes of an HMAC-SHA-256 over offset, length, type and encrypted payload. Opening makes the CRC again where that
// holds, and one that cannot hold where it does not. So what is written ahead, cut, torn or lost looks to all readers
// as it does in a plain log, and nobody without the key can put together a piece that they would take.
// No I/O. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codec/sha256.h"
#include "storage/rocksdb/encrypted/cipher_context.h"
#include "storage/rocksdb/encrypted/file_header.h"

namespace armature::storage {

class LogCipher {
 public:
  static constexpr size_t kBlock = 32 << 10;
  static constexpr size_t kPieceHeader = 7;

  explicit LogCipher(const FileSecrets& secrets);

  // Encrypts, in place, what is whole of the pieces in `bytes`, which is at `offset` of the log; the first begins
  // there. How many bytes that are: the rest waits for more. A piece whose CRC does not hold is one that does not open.
  // `blank_until`: where the rest of a block ends that holds nothing; the caller's, 0 at first.
  size_t Seal(uint64_t offset, std::string& bytes, uint64_t& blank_until);
  // Decrypts one block, in place, or as much of it as there is. REQUIRES: `offset` is a multiple of kBlock.
  void Open(uint64_t offset, char* block, size_t size);

  // Zeros that nothing but writing ahead writes: two whole blocks at least, in which records would have headers.
  static bool IsAhead(std::string_view bytes);
  static bool IsZero(std::string_view bytes);

 private:
  struct Piece {
    size_t at = 0;      // in the bytes
    size_t length = 0;  // of the payload
    bool is_sound = false;
  };

  void Crypt(uint64_t offset, char* bytes, size_t size);
  uint32_t CheckOf(uint64_t offset, std::string_view piece) const;

  const HmacSha256 check_;  // has taken in what all pieces have in common
  CipherContext context_;
  std::vector<Piece> pieces_;
  std::vector<std::pair<size_t, size_t>> blanks_;
  std::string opened_;
};

}  // namespace armature::storage
