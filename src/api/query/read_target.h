// ReadTarget: the table or index a Query or Scan reads.
//
// Holds the table and the schema for the length of the request. Used by api/query and api/partiql.
#pragma once

#include <memory>
#include <span>

#include "api/query/read_request.h"
#include "api/request_context.h"
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
model::ApiResult<ReadTarget> FindReadTarget(const RequestContext& context, const ReadRequest& request);

}  // namespace armature::api
