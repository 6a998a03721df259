// The operators of conditions: "ForAllValues:StringLikeIfExists" taken apart.
//
// Names are as AWS writes them, to the letter. Pure; used when documents are read and compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace armature::policy {

// What two values are compared as.
enum class OperatorFamily : uint8_t {
  kString,
  kStringIgnoringCase,
  kStringLike,
  kNumeric,
  kDate,
  kBool,
  kBinary,
  kIpAddress,
  kArn,   // ArnEquals and ArnLike are one
  kNull,  // compares nothing: whether the key is there
};

// How the request's value stands to the policy's. Only numbers and dates have an order.
enum class Relation : uint8_t { kEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

enum class SetPrefix : uint8_t { kNone, kForAllValues, kForAnyValue };

struct Operator {
  OperatorFamily family = OperatorFamily::kString;
  Relation relation = Relation::kEqual;
  bool is_negated = false;  // StringNotEquals: none of the policy's values
  bool if_exists = false;
  SetPrefix set = SetPrefix::kNone;
};

// nullopt: there is no such operator.
std::optional<Operator> ParseOperator(std::string_view name);

}  // namespace armature::policy
