// The expression parameters of an item operation, new style or legacy, checked and bound.
//
// The steps come apart because AWS has other checks between them: first which parameters may stand together
// (CheckParameters), then, after the operation's own checks, their contents (Bind). Works for every request type: members a
// request does not have count as absent. Used by the item operations.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

struct BoundExpressions {
  const expr::BoundCondition* condition = nullptr;
  const expr::BoundUpdate* update = nullptr;
  const expr::BoundProjection* projection = nullptr;
};

class ExpressionParameters {
 public:
  template <class Request>
  explicit ExpressionParameters(const Request& request);

  // Expression and legacy parameters never mix; names and values need an expression to be used in.
  model::ApiResult<void> CheckParameters() const;
  // Legacy parameters, then names and values, then each expression, then what is left unused.
  model::ApiResult<BoundExpressions> Bind(Arena& arena) const;

 private:
  bool HasExpression() const { return condition_ || update_ || projection_; }
  model::ApiResult<void> BindLegacy(Arena& arena, BoundExpressions& bound) const;

  wire::Opt<std::string_view> condition_, update_, projection_;
  bool takes_condition_ = false;
  bool takes_update_ = false;
  wire::MapOf<std::string_view> names_;
  wire::AttributeMap values_;
  // Legacy
  wire::MapOf<wire::ExpectedAttributeValue> expected_;
  wire::Opt<std::string_view> conditional_operator_;
  wire::MapOf<wire::AttributeValueUpdate> attribute_updates_;
  wire::List<std::string_view> attributes_to_get_;
};

template <class Request>
ExpressionParameters::ExpressionParameters(const Request& request) : names_(request.ExpressionAttributeNames) {
  if constexpr (requires { request.ConditionExpression; }) {
    condition_ = request.ConditionExpression;
    takes_condition_ = true;
  }
  if constexpr (requires { request.UpdateExpression; }) {
    update_ = request.UpdateExpression;
    takes_update_ = true;
  }
  if constexpr (requires { request.ProjectionExpression; }) projection_ = request.ProjectionExpression;
  if constexpr (requires { request.ExpressionAttributeValues; }) values_ = request.ExpressionAttributeValues;
  if constexpr (requires { request.Expected; }) expected_ = request.Expected;
  if constexpr (requires { request.ConditionalOperator; }) conditional_operator_ = request.ConditionalOperator;
  if constexpr (requires { request.AttributeUpdates; }) attribute_updates_ = request.AttributeUpdates;
  if constexpr (requires { request.AttributesToGet; }) attributes_to_get_ = request.AttributesToGet;
}

}  // namespace armature::api
