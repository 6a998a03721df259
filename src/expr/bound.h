// Bound expressions: what evaluation runs on, after names and values have been filled in and checked.
//
// Plain trees in the request's arena; they point into the request's texts and values and live as long as these.
// Expressions (expression_set.h) and legacy parameters (legacy.h) both end up here, so there is one evaluator, one
// updater and one projector. Immutable, no I/O; read by table/ and api/ for key checks and key conditions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "expr/path.h"
#include "model/value.h"

namespace armature::expr {

enum class ExpressionKind : uint8_t { kCondition, kFilter, kKeyCondition, kUpdate, kProjection };

// "ConditionExpression", "FilterExpression", …
std::string_view ExpressionKindName(ExpressionKind kind);

// --- conditions

struct ConditionNode;

struct Operand {
  // kSize: size() of what is at `path`. kCondition: whether `condition` holds, as a BOOL (PartiQL only).
  enum class Kind : uint8_t { kPath, kValue, kSize, kCondition };
  Kind kind = Kind::kValue;
  Path path{};
  const model::Value* value = nullptr;  // of kValue; size(:v) has been folded into one
  const ConditionNode* condition = nullptr;
};

enum class ConditionOp : uint8_t {
  kAnd,  // of children
  kOr,
  kNot,
  kEqual,  // of operands, from here on
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBetween,
  kIn,
  kAttributeExists,
  kAttributeNotExists,
  kAttributeType,  // of the one operand; the type is `type`
  kBeginsWith,
  kContains,
};

// "AND", "<=", "begins_with", …, as error messages name it.
std::string_view ConditionOpName(ConditionOp op);

struct ConditionNode {
  ConditionOp op = ConditionOp::kAnd;
  model::Type type = model::Type::kS;
  std::span<const ConditionNode* const> children{};
  std::span<const Operand> operands{};
};

struct BoundCondition {
  const ConditionNode* root = nullptr;
  // Every path mentioned, in the order of the text. The first element names the attribute.
  std::span<const Path> paths{};
};

// --- updates

// The right side of an assignment.
struct UpdateValue {
  enum class Kind : uint8_t { kPath, kValue, kIfNotExists, kListAppend, kPlus, kMinus };
  Kind kind = Kind::kValue;
  Path path{};                          // of kPath and kIfNotExists
  const model::Value* value = nullptr;  // of kValue
  const UpdateValue* left = nullptr;    // of kListAppend, kPlus, kMinus
  const UpdateValue* right = nullptr;   // of the same, and what kIfNotExists falls back to
};

enum class UpdateActionKind : uint8_t { kSet, kRemove, kAdd, kDelete };

struct UpdateAction {
  UpdateActionKind kind = UpdateActionKind::kSet;
  Path path{};
  const UpdateValue* value = nullptr;  // null for kRemove
};

struct BoundUpdate {
  std::span<const UpdateAction> actions{};  // in the order of PathLess
  std::span<const Path> paths{};            // of the actions, in the order of the text: checks report the first
  // Whether a missing item comes into being: there is a SET or ADD, or no action at all.
  bool creates_item = true;
  // From AttributeUpdates: type errors at run time have another text.
  bool is_legacy = false;
  // From PartiQL: nesting that is too deep has another text.
  bool is_partiql = false;
};

// --- projections

struct BoundProjection {
  std::span<const Path> paths{};  // in the order of PathLess
};

}  // namespace armature::expr
