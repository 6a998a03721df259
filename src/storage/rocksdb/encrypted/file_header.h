// What every encrypted file begins with: under which data key it was written, and the salt of its own keys.
//
// 64 bytes in front of what RocksDB knows of the file. A file's keys are derived from the data key and 32 random bytes,
// so no two files have the same, whatever their names: a number that is used again, or two copies of a store that both
// go on, do no harm. The header is checked with a key, and with it the file's name, so that one file cannot take
// another's place. Its first sector is written as a whole: what is neither a header nor blank is damage, another
// program's or of another key. Pure. Used by the files of this folder.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/encryption/data_keys.h"

namespace armature::storage {

enum class FileKind : uint8_t {
  kPlain = 0,  // not encrypted: CURRENT, IDENTITY, LOCK and SYNCED hold numbers and names of files
  kPages = 1,  // sealed in pages (sealed_pages.h): tables, and whatever is not known
  kLog = 2,    // RocksDB's log format (log_cipher.h): logs and manifests
};

// By its name; only the part behind the last slash counts.
FileKind KindOf(std::string_view path);

// The keys of one file. Leaves nothing of them in memory.
struct FileSecrets {
  std::array<char, 32> cipher{};
  std::array<char, 32> check{};

  FileSecrets() = default;
  FileSecrets(const FileSecrets&) = default;
  FileSecrets& operator=(const FileSecrets&) = default;
  ~FileSecrets();
};

struct FileHeader {
  static constexpr size_t kBytes = 64;
  static constexpr size_t kSaltBytes = 32;

  FileKind kind = FileKind::kPlain;
  uint32_t data_key = 0;  // its number
  FileSecrets secrets;

  // The bytes of a new header; `header` becomes what they say. REQUIRES: kSaltBytes of salt that was never used before.
  static std::string Make(FileKind kind, const DataKey& key, std::string_view salt, std::string_view path,
                          FileHeader& header);
  // Of a file at `path` that begins with `bytes`. kCorruption with a line for a human.
  static Result<FileHeader> Read(std::string_view bytes, const DataKeys& keys, std::string_view path);

  // The file was made and nothing of it reached the disk: it is shorter than a header, or begins with zeros.
  static bool IsBlank(std::string_view bytes);
  static bool HasMagic(std::string_view bytes);
  // The number of the data key; 0 if it is no header. Checks nothing.
  static uint32_t ReadDataKey(std::string_view bytes);
};

}  // namespace armature::storage
