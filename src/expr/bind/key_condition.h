// Key conditions: a bound KeyConditionExpression (or lowered KeyConditions) turned into predicates on key attributes,
// and these matched with the key schema that is queried.
//
// In two steps, because AWS reports the first kind of error before it looks the table up and the second after. Results
// live in the arena and share the condition's memory. Pure; called by api/ for Query.
#pragma once

#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/table_def.h"
#include "model/value.h"

namespace armature::expr {

// `attribute op value`, with the attribute on the left.
struct KeyPredicate {
  std::string_view attribute{};
  ConditionOp op = ConditionOp::kEqual;  // = < <= > >= BETWEEN begins_with
  const model::Value* value = nullptr;   // for BETWEEN the lower bound
  const model::Value* upper = nullptr;   // for BETWEEN only
};

// The comparison with its sides exchanged: `:v < sk` is `sk > :v`.
ConditionOp Flip(ConditionOp op);

enum class KeyConditionForm : uint8_t { kExpression, kLegacy };

// In the order of the text, one for each attribute.
model::ApiResult<std::span<const KeyPredicate>> ConvertKeyCondition(const BoundCondition& condition,
                                                                    KeyConditionForm form, Arena& arena);

// One equality for each hash attribute, and predicates for the first few range attributes, both in the order of the
// schema. All but the last range predicate are equalities.
struct KeyQuery {
  std::span<const KeyPredicate> hash{};
  std::span<const KeyPredicate> range{};
};

model::ApiResult<KeyQuery> MatchKeySchema(std::span<const KeyPredicate> predicates, const model::KeySchema& schema,
                                          KeyConditionForm form, Arena& arena);

}  // namespace armature::expr
