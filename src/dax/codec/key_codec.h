// Primary keys as DAX's clients send and read them (5.2 of the protocol), and keys of indexes (5.6).
//
// A primary key is bytes that only its table's schema can read: the partition key, and the sort key to the end. Numbers
// in it have several forms; the canonical one is what items are cached and answered under. All functions are about the
// content of the byte string that a message has, without its head. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "dax/table_schema.h"
#include "model/api_error.h"
#include "model/value.h"

namespace armature::dax {

// The key attributes, whose names are the schema's and whose values point into `bytes` or the arena. The errors are
// DynamoDB's: a key that does not match the schema, a number that it does not take.
model::ApiResult<model::Item> DecodeKey(std::string_view bytes, const TableSchema& schema, Arena& arena);

// The canonical bytes of the key that `item` has; false, and `out` is as before, if a part of it is not there or has
// another type.
bool AppendKey(std::string& out, const TableSchema& schema, model::Item item);

// The same of the bytes of a client, quickly: nothing is decoded but numbers. `out` becomes them. False: no key of such
// a table; DecodeKey tells why.
bool CanonicalKey(std::string_view bytes, const TableSchema& schema, std::string& out);

// A key of an index with that of its table: a map of names and values.
model::ApiResult<model::Item> DecodeIndexKey(std::string_view bytes, Arena& arena);
void AppendIndexKey(std::string& out, model::Item key);

}  // namespace armature::dax
