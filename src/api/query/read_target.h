// ReadTarget: the table or index a Query or Scan reads.
//
// Holds the table and the schema for the length of the request. Used by api/query and api/partiql.
#pragma once

#include <memory>
#include <span>

#include "api/item/expressions.h"
#include "api/query/read_request.h"
#include "api/request_context.h"
#include "expr/bind/key_condition.h"
#include "expr/path.h"
#include "model/api_error.h"
#include "table/schema.h"
#include "table/table.h"

namespace armature::api {

struct ReadTarget {
  std::shared_ptr<table::Table> table;
  std::shared_ptr<const table::TableSchema> schema;
  const table::IndexSchema* index = nullptr;  // null: the table itself

  const table::Keyspace& keyspace() const { return index ? index->keyspace : schema->items(); }
  bool is_global_index() const { return index && index->def->kind == model::IndexKind::kGlobal; }
};

// The table exists, it has the index, and the index can be read the way the request wants.
// `key_predicates` is what a Query asks of keys. The caller must be allowed to (access.h).
model::ApiResult<ReadTarget> FindReadTarget(const RequestContext& context, const ReadRequest& request,
                                            const BoundExpressions& bound,
                                            std::span<const expr::KeyPredicate> key_predicates = {});

}  // namespace armature::api
