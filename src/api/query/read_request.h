// ReadRequest: the parameters that Query and Scan share, taken out of either request.
//
// Plain views into the decoded request, so that what both operations do is written once. Used inside api/query.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

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

}  // namespace armature::api
