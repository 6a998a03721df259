// HashKey: what the keys of items are hashed with before they are written to the audit log.
//
// Who has it can look for a key that he knows; who has only the log can neither read keys nor try them. A random text
// in the file hash.key of the log's directory (mode 600), made by the first server that writes there and never changed.
// The hash is HMAC-SHA-256, with that text as the key, of the table's ARN, a line feed, and the item's key as
// DynamoDB's JSON (names in order, no blanks, numbers in their canonical form). Immutable, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/codec/sha256.h"
#include "base/random.h"
#include "base/result.h"
#include "model/value.h"

namespace armature::audit {

inline constexpr char kHashKeyFileName[] = "hash.key";

class HashKey {
 public:
  // The one of a log. Errors are one line fit for a user.
  static Result<HashKey> Read(const std::string& directory);
  // Makes one if there is none. `secrets` is a source fit for secrets. REQUIRES: the directory is there.
  static Result<HashKey> ReadOrMake(const std::string& directory, RandomSource& secrets);

  explicit HashKey(std::string_view text) : begun_(text) {}

  // "hmac-sha256:" and 64 hexadecimal digits.
  std::string OfKey(std::string_view table_arn, model::Item key) const;
  // Of other text that may hold values: a PartiQL statement.
  std::string OfText(std::string_view text) const;

 private:
  HmacSha256 begun_;
};

}  // namespace armature::audit
