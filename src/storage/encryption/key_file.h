// The text of KEYS: the keys of one store, sealed under its master key.
//
// Whole and unchanged or refused: any byte that differs is damage, told without a master key, and what is sealed binds
// all that stands before it, so that no key can be taken from the set, added, or brought in from another store.
// docs/design/formats.md has it byte by byte. Pure. Used by keyring.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec/aes_gcm.h"
#include "base/keys/master_keys.h"
#include "base/random.h"
#include "base/result.h"
#include "storage/encryption/data_keys.h"

namespace armature::storage {

inline constexpr size_t kStoreIdBytes = 16;
// Of data keys. One comes with each rotation, and goes when no file needs it.
inline constexpr size_t kMostDataKeys = 1000;
inline constexpr size_t kMostKeyFileBytes = 256 << 10;

struct StoreKeys {
  std::string store_id;  // random
  AesGcmKey iam_key;     // what seals secrets of IAM, unless the user keeps that key elsewhere
  std::vector<std::shared_ptr<const DataKey>> data_keys;  // at least one, numbers ascend

  // Of a new store, with the data key 1.
  static StoreKeys Random(RandomSource& random);
};

// Under the master key that is in use. `random` is for secrets.
std::string SealKeyFile(const StoreKeys& keys, const MasterKeys& masters, RandomSource& random);

struct OpenedKeyFile {
  StoreKeys keys;
  std::string master_fingerprint;  // of the master key that it was sealed under
};
// kCorruption: it is damaged. kFormat: of another version. kInvalidArgument: sealed under a master key that is not
// there. Messages go on where the name of the file stands before them.
Result<OpenedKeyFile> OpenKeyFile(std::string_view text, const MasterKeys& masters);

}  // namespace armature::storage
