// The expression parameters of an operation on items, new style or legacy, checked and bound.
//
// The steps come apart because AWS has other checks between them: first which parameters may stand together
// (CheckParameters), then, after the operation's own checks, their contents (Bind; Query and Scan have checks of their
// own between its two halves). Works for every request type: members a request does not have count as absent. Used by
// the item operations, Query and Scan.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/wording.h"
#include "wire/requests.h"

namespace armature::api {

struct BoundExpressions {
  const expr::BoundCondition* condition = nullptr;
  const expr::BoundUpdate* update = nullptr;
  const expr::BoundProjection* projection = nullptr;
  const expr::BoundCondition* filter = nullptr;
  const expr::BoundCondition* key_condition = nullptr;
};

class ExpressionParameters {
 public:
  template <class Request>
  ExpressionParameters(const Request& request, const model::Wording& wording);

  // Expression and legacy parameters never mix; names and values need an expression to be used in.
  model::ApiResult<void> CheckParameters() const;
  // Legacy parameters, then names and values, then each expression, then what is left unused.
  model::ApiResult<BoundExpressions> Bind(Arena& arena) const;
  // The halves of Bind: legacy parameters but KeyConditions; and KeyConditions or the expressions.
  model::ApiResult<void> BindLegacy(Arena& arena, BoundExpressions& bound) const;
  model::ApiResult<void> BindKeyConditionsOrExpressions(Arena& arena, BoundExpressions& bound) const;

  bool has_key_condition() const { return key_condition_ || key_conditions_.present; }
  bool has_legacy_key_condition() const { return key_conditions_.present; }
  bool has_legacy_filter() const { return filter_conditions_.present; }
  // "ProjectionExpression" or "AttributesToGet", whichever is there; empty if none is.
  std::string_view projection_parameter() const {
    return projection_ ? "ProjectionExpression" : attributes_to_get_.present ? "AttributesToGet" : "";
  }

 private:
  bool HasExpression() const { return condition_ || update_ || projection_ || filter_ || key_condition_; }
  model::ApiResult<void> BindLegacyFilter(Arena& arena, BoundExpressions& bound) const;
  model::ApiResult<void> BindExpressions(Arena& arena, BoundExpressions& bound) const;

  const model::Wording& wording_;
  wire::Opt<std::string_view> condition_, update_, projection_, filter_, key_condition_;
  // The parameters that can use values, as AWS lists them when none of them is there.
  std::string_view value_users_ = "ConditionExpression is null";
  wire::MapOf<std::string_view> names_;
  wire::AttributeMap values_;
  // Legacy
  wire::MapOf<wire::ExpectedAttributeValue> expected_;
  wire::Opt<std::string_view> conditional_operator_;
  wire::MapOf<wire::AttributeValueUpdate> attribute_updates_;
  wire::List<std::string_view> attributes_to_get_;
  wire::MapOf<wire::Condition> key_conditions_;
  wire::MapOf<wire::Condition> filter_conditions_;  // QueryFilter or ScanFilter
  std::string_view filter_parameter_;               // which of the two the request takes
};

template <class Request>
ExpressionParameters::ExpressionParameters(const Request& request, const model::Wording& wording)
    : wording_(wording), names_(request.ExpressionAttributeNames) {
  if constexpr (requires { request.ConditionExpression; }) condition_ = request.ConditionExpression;
  if constexpr (requires { request.UpdateExpression; }) {
    update_ = request.UpdateExpression;
    value_users_ = "UpdateExpression and ConditionExpression are null";
  }
  if constexpr (requires { request.FilterExpression; }) {
    filter_ = request.FilterExpression;
    value_users_ = "FilterExpression is null";
  }
  if constexpr (requires { request.KeyConditionExpression; }) {
    key_condition_ = request.KeyConditionExpression;
    value_users_ = "FilterExpression and KeyConditionExpression are null";
  }
  if constexpr (requires { request.ProjectionExpression; }) projection_ = request.ProjectionExpression;
  if constexpr (requires { request.ExpressionAttributeValues; }) values_ = request.ExpressionAttributeValues;
  if constexpr (requires { request.Expected; }) expected_ = request.Expected;
  if constexpr (requires { request.ConditionalOperator; }) conditional_operator_ = request.ConditionalOperator;
  if constexpr (requires { request.AttributeUpdates; }) attribute_updates_ = request.AttributeUpdates;
  if constexpr (requires { request.AttributesToGet; }) attributes_to_get_ = request.AttributesToGet;
  if constexpr (requires { request.KeyConditions; }) key_conditions_ = request.KeyConditions;
  if constexpr (requires { request.QueryFilter; }) {
    filter_conditions_ = request.QueryFilter;
    filter_parameter_ = "QueryFilter";
  }
  if constexpr (requires { request.ScanFilter; }) {
    filter_conditions_ = request.ScanFilter;
    filter_parameter_ = "ScanFilter";
  }
}

}  // namespace armature::api
