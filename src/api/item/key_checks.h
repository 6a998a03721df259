// Checks of key attributes against a table's key schema.
//
// Keys given as a Key parameter and keys inside an Item are wrong in different words. Pure; used by the operations on
// items: single ones, batches, transactions, Query, Scan and PartiQL.
#pragma once

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/table_def.h"
#include "model/value.h"
#include "table/schema.h"

namespace armature::api {

// A Key parameter: exactly the key attributes, of the right types, not empty, not too long.
model::ApiResult<void> CheckKey(const model::KeySchema& schema, model::Item key);

// The two halves of CheckKey. CheckKeyValues takes whole items too. REQUIRES of it: every key attribute has its type.
model::ApiResult<void> CheckKeyTypes(const model::KeySchema& schema, model::Item key);
model::ApiResult<void> CheckKeyValues(const model::KeySchema& schema, model::Item item);
// Of an item to be put: a key attribute that is missing or of another type.
model::ApiResult<void> CheckItemKeyTypes(const model::KeySchema& schema, model::Item item);

// A key value of the right type: neither empty nor too long.
model::ApiResult<void> CheckKeyValue(const model::KeyAttribute& attribute, const model::Value& value, bool is_hash);

// The key attributes inside an item to be put.
model::ApiResult<void> CheckItemKey(const model::KeySchema& schema, model::Item item);

// The key attributes of a checked item, as a Key.
model::Item ExtractKey(const model::KeySchema& schema, model::Item item, Arena& arena);

// An update may not touch key attributes.
model::ApiResult<void> CheckUpdateLeavesKey(const model::KeySchema& schema, const expr::BoundUpdate& update);

// A key attribute, of the table or of an index, is a scalar: no expression may look inside one.
model::ApiResult<void> CheckKeyPaths(const table::TableSchema& schema, std::span<const expr::Path> paths);
// The same of an update: the paths it changes, then those it reads.
model::ApiResult<void> CheckUpdatePaths(const table::TableSchema& schema, const expr::BoundUpdate& update);

}  // namespace armature::api
