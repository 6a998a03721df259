// What a request touches, told to the Authorizer: the one place between binding a request and reading data.
//
// The finders (table_lookup.h, query/read_target.h, streams/stream_lookup.h, …) come through here with the resource
// they look for, so that no operation reaches one without. An operation says what policies' conditions may ask of it in
// a callable that is called only if one asks: without an Authorizer all of this is a look at a null pointer. Used by
// the operations and their finders.
#pragma once

#include <span>
#include <string_view>

#include "api/request_context.h"
#include "auth/access.h"
#include "expr/bind/key_condition.h"
#include "expr/bound.h"
#include "expr/path.h"
#include "model/api_error.h"
#include "model/table_def.h"
#include "model/value.h"

namespace armature::api {

// Collects what is asked of an access. Without a key schema (there is no such table) no key leads anywhere.
class AccessDetails {
 public:
  AccessDetails(const model::KeySchema* key_schema, auth::AccessConditions& conditions)
      : out(conditions), key_schema_(key_schema) {}

  // A key, or an item with its key: all its names, and its partition key.
  void Item(model::Item item);
  // Those of an operation on items (BoundExpressions).
  template <class Bound>
  void Expressions(const Bound& bound) {
    if (bound.condition) Paths(bound.condition->paths);
    if (bound.update) Update(*bound.update);
    if (bound.projection) Paths(bound.projection->paths);
    if (bound.filter) Paths(bound.filter->paths);
    if (bound.key_condition) Paths(bound.key_condition->paths);
  }
  void Update(const expr::BoundUpdate& update);
  void Paths(std::span<const expr::Path> paths);
  // The equalities on partition key attributes among them.
  void KeyPredicates(std::span<const expr::KeyPredicate> predicates);
  // A value of the first partition key attribute.
  void LeadingKey(const model::Value& value) { PartitionKey(0, value); }
  // ReturnValues and ReturnConsumedCapacity, where a request has them.
  template <class Request>
  void Returns(const Request& request) {
    if constexpr (requires { request.ReturnValues; }) out.return_values = request.ReturnValues.value_or("NONE");
    if constexpr (requires { request.ReturnValuesOnConditionCheckFailure; })
      ReturnOnFailure(request.ReturnValuesOnConditionCheckFailure.value_or("NONE"));
    if constexpr (requires { request.ReturnConsumedCapacity; })
      out.return_consumed_capacity = request.ReturnConsumedCapacity.value_or("NONE");
  }

  // A failed condition may show the whole item too, and a policy on dynamodb:ReturnValues means it as well.
  void ReturnOnFailure(std::string_view return_values) {
    if (out.return_values.empty() || out.return_values == "NONE") out.return_values = return_values;
    else if (return_values != "NONE" && return_values != out.return_values) out.return_on_failure = return_values;
  }

  auth::AccessConditions& out;  // what needs no collecting is filled in here

 private:
  void PartitionKey(size_t position, const model::Value& value);

  const model::KeySchema* const key_schema_;
};

// A callable that fills AccessDetails in, by reference: lives as long as the call it is passed to.
class Touch {
 public:
  Touch() = default;  // nothing but action and resource
  template <class Fill>
  requires requires(const Fill& fill, AccessDetails& details) { fill(details); }
  Touch(const Fill& fill)  // NOLINT(google-explicit-constructor): operations pass lambdas
      : of_(&fill), fill_([](const void* of, AccessDetails& details) { (*static_cast<const Fill*>(of))(details); }) {}

  void operator()(AccessDetails& details) const {
    if (fill_) fill_(of_, details);
  }

 private:
  const void* of_ = nullptr;
  void (*fill_)(const void* of, AccessDetails& details) = nullptr;
};

// What the single-item operations touch. `attributes` is the Key or the Item of the request.
template <class Request, class Bound>
struct ItemTouch {
  const Request& request;
  model::Item attributes;
  const Bound& bound;

  void operator()(AccessDetails& details) const {
    details.Item(attributes);
    details.Expressions(bound);
    details.Returns(request);
    if constexpr (requires { request.ProjectionExpression; })
      details.out.select = bound.projection ? "SPECIFIC_ATTRIBUTES" : "ALL_ATTRIBUTES";
  }
};
template <class Request, class Bound>
ItemTouch(const Request&, model::Item, const Bound&) -> ItemTouch<Request, Bound>;

// --- asking

// The table of a name or ARN, wherever it is and whether it is there or not: where it really is, whatever the ARN says
// (table_lookup.h).
auth::Resource TableResource(const RequestContext& context, std::string_view name_or_arn);
auth::Resource IndexResource(const RequestContext& context, std::string_view name_or_arn, std::string_view index);

// Whether somebody is asked, or told, what is touched.
inline bool IsWatched(const RequestContext& context) { return context.authorizer || context.witness; }

// REQUIRES: the request is watched. Called by the two below.
model::ApiResult<void> AskAuthorizer(const RequestContext& context, const auth::Resource& resource, const Touch& touch,
                                     const model::KeySchema* key_schema, std::string_view action);

// Whether the caller may. `key_schema` is that of the table or index, null if there is none; `action` is the
// operation's own unless given.
inline model::ApiResult<void> Authorize(const RequestContext& context, const auth::Resource& resource,
                                        const Touch& touch = {}, const model::KeySchema* key_schema = nullptr,
                                        std::string_view action = {}) {
  if (!IsWatched(context)) [[likely]]
    return {};
  return AskAuthorizer(context, resource, touch, key_schema, action.empty() ? context.iam_action : action);
}

// The same of a table by its name or ARN, which is not even looked at where nobody asks.
inline model::ApiResult<void> AuthorizeTable(const RequestContext& context, std::string_view name_or_arn,
                                             const Touch& touch = {}, const model::KeySchema* key_schema = nullptr,
                                             std::string_view action = {}) {
  if (!IsWatched(context)) [[likely]]
    return {};
  return Authorize(context, TableResource(context, name_or_arn), touch, key_schema, action);
}

// Whether the caller could still do this once the resource has that policy. Where nobody is asked he can.
bool CouldUnder(const RequestContext& context, const auth::Resource& resource, std::string_view action,
                const policy::Policy& future_policy);

}  // namespace armature::api
