// MasterKeys: what IAM's secrets are encrypted with.
//
// One key or several: the first is in use, the others open what was sealed before it came, so that a key is replaced by
// writing a new one in front. As text a key is 64 hexadecimal digits on a line of its own; empty lines and those that
// begin with # do not count. Never printed; what may be said of a key is its fingerprint. Immutable, hence thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec/aes_gcm.h"
#include "base/random.h"
#include "base/result.h"

namespace armature::iam {

class MasterKeys {
 public:
  // The error names a line, never what is on it.
  static Result<MasterKeys> Parse(std::string_view text);
  static MasterKeys Random(RandomSource& random);

  const AesGcmKey& current() const { return keys_.front(); }
  // Null if there is none. A fingerprint is 16 hexadecimal digits.
  const AesGcmKey* Find(std::string_view fingerprint) const;
  // Of the one in use.
  const std::string& fingerprint() const { return fingerprints_.front(); }

 private:
  void Add(const AesGcmKey& key);

  std::vector<AesGcmKey> keys_;  // never empty
  std::vector<std::string> fingerprints_;
};

// Where the keys of a server come from.
struct MasterKeySource {
  // Given by the user: the keys themselves, from the environment.
  std::string text{};
  // A file of them. Made when it is first needed, readable by its owner only, unless the user has named it.
  std::string file{};
  bool may_create_file = false;

  // NotFound: there is none yet, and it may be made. Any other error is one line fit for a user. Without text and file:
  // keys for as long as the process lives.
  Result<MasterKeys> Read(RandomSource& random) const;
  // Makes the file, durably. REQUIRES: Read said NotFound.
  Result<MasterKeys> Create(RandomSource& random) const;
};

}  // namespace armature::iam
