// A copy of an open store in a new directory, complete and openable.
//
// Table files are linked where that can be done. The keys of an encrypted one go with it. Blocks; any thread but a
// reactor.
#pragma once

#include <string>

#include <rocksdb/db.h>

#include "base/result.h"

namespace armature::storage {

// `from`: the data directory of `db`. kInvalidArgument: `directory` is there already.
Status CopyStore(rocksdb::DB& db, const std::string& from, const std::string& directory);

}  // namespace armature::storage
