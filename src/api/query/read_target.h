// What a Query or Scan reads: ReadRequest, the parameters that both share, taken out of either request, and ReadTarget,
// the table or index they mean.
//
// A ReadRequest is plain views into the decoded request, so that what both operations do is written once; a ReadTarget
// holds the table and the schema for the length of the request. Used by api/query and api/partiql.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "api/item/expressions.h"
#include "api/request_context.h"
#include "expr/bind/key_condition.h"
#include "expr/path.h"
#include "model/api_error.h"
#include "table/schema.h"
#include "table/table.h"
#include "wire/requests.h"

namespace armature::api {

struct ReadRequest {
  template <class Request>
  explicit ReadRequest(const Request& request)
      : is_query(std::is_same_v<Request, wire::QueryInput>),
        table_name(*request.TableName),
        index_name(request.IndexName),
        select(request.Select),
        limit(request.Limit),
        is_consistent(request.ConsistentRead.value_or(false)),
        start_key(request.ExclusiveStartKey),
        return_consumed_capacity(request.ReturnConsumedCapacity) {}

  bool is_query;
  std::string_view table_name;
  wire::Opt<std::string_view> index_name;
  wire::Opt<std::string_view> select;
  wire::Opt<int64_t> limit;
  bool is_consistent;
  const wire::AttributeMap& start_key;
  wire::Opt<std::string_view> return_consumed_capacity;
};

struct ReadTarget {
  std::shared_ptr<table::Table> table;
  std::shared_ptr<const table::TableSchema> schema;
  const table::IndexSchema* index = nullptr;  // null: the table itself

  const table::Keyspace& keyspace() const { return index ? index->keyspace : schema->items(); }
  bool is_global_index() const { return index && index->is_global(); }
  const table::PartitionSet& partitions() const { return is_global_index() ? *index->partitions : table->partitions(); }
};

// The table exists, it has the index, and the index can be read the way the request wants.
// `key_predicates` is what a Query asks of keys. The caller must be allowed to (access.h).
model::ApiResult<ReadTarget> FindReadTarget(const RequestContext& context, const ReadRequest& request,
                                            const BoundExpressions& bound,
                                            std::span<const expr::KeyPredicate> key_predicates = {});

}  // namespace armature::api
