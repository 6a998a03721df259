// BoundStatement: a statement with its parameters filled in, and the table it names.
//
// The steps up to here are common to the three PartiQL operations; they only differ in where they report what is wrong.
// Keeps alive what the bound parts point into, but not the parameters, which belong to the request. Used inside
// api/partiql.
#pragma once

#include <memory>
#include <string_view>

#include "api/request_context.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"
#include "partiql/ast.h"
#include "table/schema.h"
#include "table/table.h"
#include "wire/fields.h"

namespace armature::api {

using StatementParameters = wire::List<wire::AttributeField>;

struct BoundStatement {
  partiql::StatementPtr statement;
  const expr::ConditionNode* where = nullptr;  // null: none, or `key` says it all
  model::Item key{};                           // not empty: the WHERE is this key of the table, and nothing else
  const expr::BoundUpdate* update = nullptr;   // of UPDATE
  model::Item item{};                          // of INSERT
  size_t item_size = 0;
  std::shared_ptr<table::Table> table;               // null: there is none of that name
  std::shared_ptr<const table::TableSchema> schema;  // null for reads by `key` of whole attributes
};

// What policies may ask of a statement that is not in its text.
struct StatementUse {
  std::string_view return_on_failure{};    // ReturnValuesOnConditionCheckFailure
  std::string_view enclosing_operation{};  // the transaction's
};

// Values that are wrong by themselves: told before the statement is looked at.
model::ApiResult<void> CheckParameterValues(const StatementParameters& parameters);

// Parses (or finds in the cache), binds, looks the table up, and asks whether the caller may do this.
// REQUIRES: CheckParameterValues passed.
model::ApiResult<void> BindStatement(const RequestContext& context, std::string_view text,
                                     const StatementParameters& parameters, BoundStatement& bound,
                                     const StatementUse& use);

}  // namespace armature::api
