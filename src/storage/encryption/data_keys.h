// DataKeys: what the files of one store are encrypted with.
//
// The newest key is for files that are made from now on; the others open files that were made before it came, until
// none is left of them. A file says by its number under which key it was written. Keys are added when they are rotated,
// while the store is open. Thread-safe. Filled by whoever keeps the keys under a master key, asked by file systems of
// engines.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/codec/aes_gcm.h"
#include "base/mutex.h"

namespace armature::storage {

struct DataKey {
  uint32_t number;  // from 1 on, never used again in this store
  AesGcmKey key;    // files derive keys of their own from it
};

class DataKeys {
 public:
  // REQUIRES: there is one at least, and numbers ascend.
  explicit DataKeys(std::vector<std::shared_ptr<const DataKey>> keys);

  std::shared_ptr<const DataKey> newest() const;
  // Null: there is none of this number.
  std::shared_ptr<const DataKey> Find(uint32_t number) const;

  // From here on new files are written under it. REQUIRES: its number is above all others.
  void Add(std::shared_ptr<const DataKey> key);
  // REQUIRES: it is not the newest, and no file needs it any more.
  void Remove(uint32_t number);

 private:
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const DataKey>> keys_ ARMATURE_GUARDED_BY(mutex_);  // by number
};

}  // namespace armature::storage
