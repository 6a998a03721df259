#include "api/item/expressions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "expr/expression_set.h"
#include "expr/legacy.h"
#include "model/messages.h"
#include "wire/decode.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;

ApiResult<void> ExpressionParameters::CheckParameters() const {
  std::vector<std::string_view> legacy, expressions;
  if (attributes_to_get_.present) legacy.push_back("AttributesToGet");
  if (attribute_updates_.present) legacy.push_back("AttributeUpdates");
  if (expected_.present) legacy.push_back("Expected");
  if (conditional_operator_) legacy.push_back("ConditionalOperator");
  if (projection_) expressions.push_back("ProjectionExpression");
  if (update_) expressions.push_back("UpdateExpression");
  if (condition_) expressions.push_back("ConditionExpression");
  if (!legacy.empty() && !expressions.empty())
    return ValidationException(
        fmt::format(model::messages::kMixedExpressions, fmt::join(legacy, ", "), fmt::join(expressions, ", ")));

  if (names_.present && !HasExpression())
    return ValidationException(std::string(model::messages::kNamesWithoutExpression));
  if (values_.present && !condition_ && !update_) {
    // The text names the parameters that could have used the values.
    const std::string_view missing = takes_update_ ? "UpdateExpression and ConditionExpression are null"
                                                   : "ConditionExpression is null";
    return ValidationException(fmt::format(model::messages::kValuesWithoutExpression, missing));
  }
  return {};
}

namespace {

// Names and values as expr/ takes them; absent stays absent.
std::optional<std::span<const expr::NameBinding>> NameBindings(const wire::MapOf<std::string_view>& names, Arena& arena) {
  if (!names.present) return std::nullopt;
  auto bindings = arena.NewArray<expr::NameBinding>(names.size());
  size_t i = 0;
  for (const auto& entry : names) bindings[i++] = {entry.key, entry.value};
  return bindings;
}

std::optional<std::span<const expr::ValueBinding>> ValueBindings(const wire::AttributeMap& values, Arena& arena) {
  if (!values.present) return std::nullopt;
  auto bindings = arena.NewArray<expr::ValueBinding>(values.size());
  size_t i = 0;
  for (const auto& entry : values.entries) bindings[i++] = {entry.name, entry.value};
  return bindings;
}

ApiResult<expr::LegacyCondition> ToLegacyCondition(std::string_view attribute, const wire::ExpectedAttributeValue& expected,
                                                   Arena& arena) {
  expr::LegacyCondition condition;
  condition.attribute = attribute;
  if (expected.ComparisonOperator) condition.comparison_operator = *expected.ComparisonOperator;
  if (expected.Exists) condition.exists = *expected.Exists;
  if (expected.Value.error) return *expected.Value.error;
  condition.value = expected.Value.value;
  if (expected.AttributeValueList.present) {
    auto values = arena.NewArray<model::Value>(expected.AttributeValueList.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const auto& field = expected.AttributeValueList[i];
      if (field.error) return *field.error;
      values[i] = *field;
    }
    condition.attribute_value_list = values;
  }
  return condition;
}

}  // namespace

ApiResult<void> ExpressionParameters::BindLegacy(Arena& arena, BoundExpressions& bound) const {
  if (attributes_to_get_.present) {
    ARMATURE_TRY(bound.projection, expr::LowerAttributesToGet(attributes_to_get_.span(), arena));
  }
  if (attribute_updates_.present) {
    std::vector<expr::LegacyUpdate> updates;
    for (const auto& entry : attribute_updates_) {
      if (entry.value.Value.error) return *entry.value.Value.error;
      expr::LegacyUpdate update{entry.key, std::nullopt, entry.value.Value.value};
      if (entry.value.Action) update.action = *entry.value.Action;
      updates.push_back(update);
    }
    ARMATURE_TRY(bound.update, expr::LowerAttributeUpdates(arena.Copy(updates), arena));
  }
  if (expected_.present || conditional_operator_) {
    std::vector<expr::LegacyCondition> conditions;
    for (const auto& entry : expected_) {
      ARMATURE_TRY(auto condition, ToLegacyCondition(entry.key, entry.value, arena));
      conditions.push_back(condition);
    }
    std::optional<std::string_view> joined_by;
    if (conditional_operator_) joined_by = *conditional_operator_;
    ARMATURE_TRY(bound.condition, expr::LowerExpected(conditions, joined_by, arena));
  }
  return {};
}

ApiResult<BoundExpressions> ExpressionParameters::Bind(Arena& arena) const {
  BoundExpressions bound;
  if (!HasExpression()) {
    ARMATURE_CHECK_OK(BindLegacy(arena, bound));
    return bound;
  }
  expr::ExpressionSet set(arena, NameBindings(names_, arena), ValueBindings(values_, arena));
  ARMATURE_CHECK_OK(set.CheckBindings());
  if (values_.first_error)
    return wire::InvalidExpressionValue(values_);
  if (update_) {
    ARMATURE_TRY(bound.update, set.AddUpdate(*update_));
  }
  if (condition_) {
    ARMATURE_TRY(bound.condition, set.AddCondition(expr::ExpressionKind::kCondition, *condition_));
  }
  if (projection_) {
    ARMATURE_TRY(bound.projection, set.AddProjection(*projection_));
  }
  ARMATURE_CHECK_OK(set.CheckAllUsed());
  return bound;
}

}  // namespace armature::api
