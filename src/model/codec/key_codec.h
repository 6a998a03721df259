// Order-preserving bytes of key attributes.
//
// A key attribute (S, N or B) becomes self-delimiting bytes whose memcmp order is DynamoDB's order: strings and binary
// by unsigned bytes (0x00 escaped as 0x00 0xFF, ended by 0x00 0x01), numbers by value. Pure. table/key_layout puts
// table prefix, space and hash in front of them.
#pragma once

#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "model/value.h"

namespace armature::model {

// REQUIRES: value is S, N or B.
void AppendKeyValue(const Value& value, std::string& out);
// The bytes every encoded S or B beginning with `prefix` starts with (no end mark): for begins_with ranges.
void AppendKeyPrefix(std::string_view prefix, std::string& out);
// Takes one key value of the given type from the front of `in`; strings are unescaped into `arena`. False if malformed.
bool ReadKeyValue(std::string_view* in, Type type, Arena& arena, Value* value);
// Size of the key value as DynamoDB counts it against 2048 / 1024.
size_t KeyValueSize(const Value& value);

}  // namespace armature::model
