// ExpressionTree: an expression as DAX clients compile it (5.7 of the protocol), read but not judged.
//
// Clients parse expressions themselves and send trees without parentheses, sections and placeholders. What DynamoDB
// would refuse in them (types, functions where they may not be) is no concern here: it is written out again
// (expression_text.h) and refused there. Nodes live in the arena and point into the message. Their number and depth are
// bounded by what an expression that a client could have parsed may have. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "model/api_error.h"

namespace armature::dax {

// The numbers are the protocol's.
enum class ExpressionOp : uint8_t {
  kEqual = 0,
  kNotEqual = 1,
  kLess = 2,
  kGreaterOrEqual = 3,
  kGreater = 4,
  kLessOrEqual = 5,
  kAnd = 6,
  kOr = 7,
  kNot = 8,
  kBetween = 9,
  kIn = 10,
  kAttributeExists = 11,
  kAttributeNotExists = 12,
  kAttributeType = 13,
  kBeginsWith = 14,
  kContains = 15,
  kSize = 16,
  kValue = 17,
  kPath = 18,
  kSet = 19,
  kAdd = 20,
  kDelete = 21,
  kRemove = 22,
  kIfNotExists = 23,
  kListAppend = 24,
  kPlus = 25,
  kMinus = 26,
};

struct PathElement {
  std::string_view name{};  // of what is no index
  uint32_t index = 0;
  bool is_index = false;
};
// Starts with a name.
using DocumentPath = std::span<const PathElement>;

struct ExpressionNode {
  ExpressionOp op{};
  uint32_t value = 0;                                // kValue: its place in ExpressionTree::values
  DocumentPath path;                                 // kPath
  std::span<const ExpressionNode* const> arguments;  // of all others; of kIn the first is what the rest are compared to
};

struct ExpressionTree {
  const ExpressionNode* root = nullptr;            // of a condition
  std::span<const ExpressionNode* const> actions;  // of an update: kSet, kAdd, kDelete, kRemove
  std::span<const std::string_view> values;        // each the CBOR of a value
};

// `parameter` is whose expression it is, for the error: "FilterExpression". A ValidationException if the bytes are
// none.
model::ApiResult<ExpressionTree> ReadCondition(std::string_view bytes, std::string_view parameter, Arena& arena);
model::ApiResult<ExpressionTree> ReadUpdate(std::string_view bytes, Arena& arena);
// The n-th path is what replies call n.
model::ApiResult<std::span<const DocumentPath>> ReadProjection(std::string_view bytes, Arena& arena);

}  // namespace armature::dax
