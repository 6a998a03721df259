// What the files of a store say of its encryption: whether there is any, and under which data keys.
//
// Read from headers, without any key. Blocks; any thread but a reactor. Used when a store is opened, and by whoever
// rotates keys.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <rocksdb/file_system.h>

#include "base/result.h"

namespace armature::storage {

// `base`: the files as they lie on the disk. kFormat with one line when the store is encrypted and is about to be
// opened without keys, or the other way round. Ok where there is no store yet, or too little of one to tell.
Status CheckEncryption(rocksdb::FileSystem& base, const std::string& data_directory, bool has_keys);

// How many files of db/ were written under which data key. One that is deleted meanwhile may be counted or not.
Result<std::map<uint32_t, uint64_t>> CountFilesByDataKey(rocksdb::FileSystem& base, const std::string& data_directory);

}  // namespace armature::storage
