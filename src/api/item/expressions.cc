#include "api/item/expressions.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/bind/expression_set.h"
#include "expr/bind/legacy.h"
#include "model/messages/expressions.h"
#include "wire/decode.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;

ApiResult<void> ExpressionParameters::CheckParameters() const {
  std::vector<std::string_view> legacy, expressions;
  if (attributes_to_get_.present) legacy.push_back("AttributesToGet");
  if (attribute_updates_.present) legacy.push_back("AttributeUpdates");
  if (expected_.present) legacy.push_back("Expected");
  if (filter_conditions_.present) legacy.push_back(filter_parameter_);
  if (conditional_operator_) legacy.push_back("ConditionalOperator");
  // KeyConditions go with filter and projection expressions, and only not with their own kind.
  if (key_conditions_.present && key_condition_) legacy.push_back("KeyConditions");
  if (projection_) expressions.push_back("ProjectionExpression");
  if (update_) expressions.push_back("UpdateExpression");
  if (condition_) expressions.push_back("ConditionExpression");
  if (filter_) expressions.push_back("FilterExpression");
  if (key_condition_) expressions.push_back("KeyConditionExpression");
  if (!legacy.empty() && !expressions.empty())
    return ValidationException(
        fmt::format(model::messages::kMixedExpressions, fmt::join(legacy, ", "), fmt::join(expressions, ", ")));

  if (names_.present && !HasExpression())
    return ValidationException(std::string(model::messages::kNamesWithoutExpression));
  if (values_.present && !condition_ && !update_ && !filter_ && !key_condition_) {
    if (!wording_.names_missing_expressions)
      return ValidationException(std::string(model::messages::kValuesWithoutExpression));
    return ValidationException(fmt::format("{}: {}", model::messages::kValuesWithoutExpression, value_users_));
  }
  return {};
}

namespace {

// Names and values as expr/ takes them; absent stays absent.
std::optional<std::span<const expr::NameBinding>> NameBindings(const wire::MapOf<std::string_view>& names,
                                                               Arena& arena) {
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

// The operator and list of an entry of Expected or of a map of Conditions.
template <class Entry>
ApiResult<expr::LegacyCondition> ToLegacyCondition(std::string_view attribute, const Entry& entry, Arena& arena) {
  expr::LegacyCondition condition;
  condition.attribute = attribute;
  if (entry.ComparisonOperator) condition.comparison_operator = *entry.ComparisonOperator;
  if constexpr (requires { entry.Exists; }) {
    if (entry.Exists) condition.exists = *entry.Exists;
    if (entry.Value.error) return *entry.Value.error;
    condition.value = entry.Value.value;
  }
  if (entry.AttributeValueList.present) {
    auto values = arena.NewArray<model::Value>(entry.AttributeValueList.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const auto& field = entry.AttributeValueList[i];
      if (field.error) return *field.error;
      values[i] = *field;
    }
    condition.attribute_value_list = values;
  }
  return condition;
}

template <class Entries>
ApiResult<std::vector<expr::LegacyCondition>> ToLegacyConditions(const Entries& entries, Arena& arena) {
  std::vector<expr::LegacyCondition> conditions;
  for (const auto& entry : entries) {
    ARMATURE_TRY(auto condition, ToLegacyCondition(entry.key, entry.value, arena));
    conditions.push_back(condition);
  }
  return conditions;
}

std::optional<std::string_view> ToOptional(const wire::Opt<std::string_view>& parameter) {
  return parameter ? std::optional(*parameter) : std::nullopt;
}

}  // namespace

ApiResult<void> ExpressionParameters::BindLegacyFilter(Arena& arena, BoundExpressions& bound) const {
  if (!filter_conditions_.present && !conditional_operator_) return {};
  ARMATURE_TRY(const auto conditions, ToLegacyConditions(filter_conditions_, arena));
  ARMATURE_TRY(bound.filter, expr::LowerConditions(conditions, ToOptional(conditional_operator_), arena));
  return {};
}

ApiResult<void> ExpressionParameters::BindLegacy(Arena& arena, BoundExpressions& bound) const {
  // Query looks at its filter first, Scan at the attributes to get.
  if (filter_parameter_ == "QueryFilter") ARMATURE_CHECK_OK(BindLegacyFilter(arena, bound));
  if (attributes_to_get_.present) {
    ARMATURE_TRY(bound.projection, expr::LowerAttributesToGet(attributes_to_get_.span(), arena));
  }
  if (filter_parameter_ == "ScanFilter") ARMATURE_CHECK_OK(BindLegacyFilter(arena, bound));
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
  if (filter_parameter_.empty() && (expected_.present || conditional_operator_)) {
    ARMATURE_TRY(const auto conditions, ToLegacyConditions(expected_, arena));
    ARMATURE_TRY(bound.condition, expr::LowerExpected(conditions, ToOptional(conditional_operator_), arena));
  }
  return {};
}

ApiResult<void> ExpressionParameters::BindKeyConditionsOrExpressions(Arena& arena, BoundExpressions& bound) const {
  if (key_conditions_.present) {
    ARMATURE_TRY(const auto conditions, ToLegacyConditions(key_conditions_, arena));
    ARMATURE_TRY(bound.key_condition, expr::LowerConditions(conditions, std::nullopt, arena));
  }
  if (HasExpression()) return BindExpressions(arena, bound);
  return {};
}

ApiResult<void> ExpressionParameters::BindExpressions(Arena& arena, BoundExpressions& bound) const {
  expr::ExpressionSet set(arena, NameBindings(names_, arena), ValueBindings(values_, arena), wording_);
  ARMATURE_CHECK_OK(set.CheckBindings());
  if (values_.first_error) return wire::InvalidExpressionValue(wording_, values_);
  if (update_) { ARMATURE_TRY(bound.update, set.AddUpdate(*update_)); }
  if (condition_) { ARMATURE_TRY(bound.condition, set.AddCondition(expr::ExpressionKind::kCondition, *condition_)); }
  if (key_condition_) {
    ARMATURE_TRY(bound.key_condition, set.AddCondition(expr::ExpressionKind::kKeyCondition, *key_condition_));
  }
  if (filter_) { ARMATURE_TRY(bound.filter, set.AddCondition(expr::ExpressionKind::kFilter, *filter_)); }
  if (projection_) { ARMATURE_TRY(bound.projection, set.AddProjection(*projection_)); }
  return set.CheckAllUsed();
}

ApiResult<BoundExpressions> ExpressionParameters::Bind(Arena& arena) const {
  BoundExpressions bound;
  ARMATURE_CHECK_OK(BindLegacy(arena, bound));
  ARMATURE_CHECK_OK(BindKeyConditionsOrExpressions(arena, bound));
  return bound;
}

}  // namespace armature::api
