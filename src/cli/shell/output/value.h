// Value: one attribute value of a reply, owned, as the shell shows it.
//
// Read from DynamoDB's typed JSON ({"S": "x"}); numbers stay the text the server sent, binaries stay base64. Plain
// data, no I/O. Used by the shell's output, which must never alter a value, only shorten what it shows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/result.h"

namespace armature::cli::shell {

enum class ValueKind { kString, kNumber, kBinary, kBool, kNull, kList, kMap, kStringSet, kNumberSet, kBinarySet };

struct Member;
using Members = std::vector<Member>;

struct Value {
  ValueKind kind = ValueKind::kNull;
  std::string text;             // string, number, base64, or "true" / "false"
  std::vector<Value> elements;  // of lists and sets
  Members members;              // of maps

  bool IsNumber() const { return kind == ValueKind::kNumber; }
};

struct Member {
  std::string name;
  Value value;
};

// A row is an item or what a projection left of it, in the order the server sent.
using Row = Members;

Result<Value> ReadValue(simdjson::dom::element json);
Result<Row> ReadRow(simdjson::dom::element json);

// The value as a PartiQL literal: 'it''s', 1.5, [1, 'a'], {'k': NULL}, <<1, 2>>; a binary, for which DynamoDB has no
// literal, as Ion writes it: {{AQID}}.
std::string ToLiteral(const Value& value);

// The value as plain JSON: numbers and strings as such, sets as arrays, binaries as base64 strings.
std::string ToJson(const Value& value);
std::string ToJson(const Row& row);

}  // namespace armature::cli::shell
