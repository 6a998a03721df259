// The actions of TransactWriteItems: one form for the four kinds, and what is checked of them before they run.
//
// Where a fault is reported is half of the matter (docs/dynamodb.md 10.2): faults of the request stand for all of it,
// faults of a key or a path cancel the transaction in the name of their action. Used by TransactWriteItems.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/item/expressions.h"
#include "api/request_context.h"
#include "model/api_error.h"
#include "table/write/item_write.h"
#include "wire/requests.h"

namespace armature::api {

struct TransactAction {
  using Kind = table::ItemWrite::Kind;

  Kind kind = Kind::kPut;
  std::string_view table_name;                     // as the request has it
  const wire::AttributeMap* attributes = nullptr;  // the item of a put, the key of the others
  wire::Opt<std::string_view> condition, update, return_on_failure;
  const wire::MapOf<std::string_view>* names = nullptr;
  const wire::AttributeMap* values = nullptr;

  // Filled in by the checks.
  BoundExpressions bound;
  size_t item_size = 0;  // of a put
  std::shared_ptr<table::Table> table;
  model::Item key;
};

// Everything that needs no table: exactly one action each, values, expressions, sizes.
model::ApiResult<std::vector<TransactAction>> MakeActions(const wire::TransactWriteItemsInput& request,
                                                          const model::Wording& wording, Arena& arena);

// Finds the tables and holds the actions against them.
model::ApiResult<void> CheckActions(const RequestContext& context, const wire::TransactWriteItemsInput& request,
                                    std::vector<TransactAction>& actions);

// The parameters that make two requests with one client token the same, as bytes.
std::string CanonicalParameters(std::span<const TransactAction> actions);

}  // namespace armature::api
