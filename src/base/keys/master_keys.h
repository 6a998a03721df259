// MasterKeys: what other keys and secrets are sealed with.
//
// One key or several: the first is in use, the others open what was sealed before it came, so that a key is replaced by
// writing a new one in front. As text a key is 64 hexadecimal digits on a line of its own; empty lines and those that
// begin with # do not count. Never printed; what may be said of a key is its fingerprint. Immutable, hence thread-safe.
// Used by whoever keeps secrets (key_source.h says where master keys come from).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/codec/aes_gcm.h"
#include "base/random.h"
#include "base/result.h"

namespace armature {

class MasterKeys {
 public:
  // The error names a line, never what is on it.
  static Result<MasterKeys> Parse(std::string_view text);
  static MasterKeys Random(RandomSource& random);
  // A new one as text: a line without its end. `random` is for secrets.
  static std::string NewText(RandomSource& random);

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

}  // namespace armature
