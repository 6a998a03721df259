// Legacy parameters (Expected, AttributeUpdates, AttributesToGet, KeyConditions, QueryFilter, ScanFilter) turned into
// bound expressions, so that nothing below knows they exist.
//
// Each function makes all checks of its parameter in AWS's order. Inputs are plain data filled in by api/ from the
// decoded request; results live in the arena and share the inputs' memory. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"

namespace armature::expr {

// One entry of Expected, or of a map of Conditions (then only operator and list are set).
struct LegacyCondition {
  std::string_view attribute{};
  std::optional<std::string_view> comparison_operator{};  // one of the enum, checked by wire/
  std::optional<std::span<const model::Value>> attribute_value_list{};
  const model::Value* value = nullptr;  // Expected only
  std::optional<bool> exists{};         // Expected only
};

// Joins the conditions by AND, or by OR when `conditional_operator` says so. No conditions give null: nothing to check.
model::ApiResult<const BoundCondition*> LowerExpected(std::span<const LegacyCondition> expected,
                                                      std::optional<std::string_view> conditional_operator,
                                                      Arena& arena);
// QueryFilter, ScanFilter and KeyConditions (without a conditional operator; the key condition is then lowered from
// the tree like a KeyConditionExpression).
model::ApiResult<const BoundCondition*> LowerConditions(std::span<const LegacyCondition> conditions,
                                                        std::optional<std::string_view> conditional_operator,
                                                        Arena& arena);

// One entry of AttributeUpdates. The action defaults to PUT.
struct LegacyUpdate {
  std::string_view attribute{};
  std::optional<std::string_view> action{};  // PUT, ADD or DELETE, checked by wire/
  const model::Value* value = nullptr;
};

model::ApiResult<const BoundUpdate*> LowerAttributeUpdates(std::span<const LegacyUpdate> updates, Arena& arena);

// `attributes` has at least one element (wire/ checks that).
model::ApiResult<const BoundProjection*> LowerAttributesToGet(std::span<const std::string_view> attributes,
                                                              Arena& arena);

}  // namespace armature::expr
