// Which requests speak the Query protocol, and which operation of which service they mean.
//
// POST / with a form body, or / with Action in the query string (presigned requests, others' health checks of STS).
// What names an operation of DynamoDB (X-Amz-Target) is none. Reads the request only; used by front/.
#pragma once

#include <string>
#include <string_view>

#include "model/api_error.h"
#include "net/http_message.h"
#include "wire/query/query_schema.h"

namespace armature::wire {

bool IsQueryRequest(const net::HttpRequest& request);

// What a request says of its operation; parameters of the query string count before those of the body.
struct QueryTarget {
  std::string action;
  std::string version;
  // By the version; or, if it is no service's, by what the signature is scoped to, then by the action; else IAM.
  const QueryService* service = nullptr;
  const QueryOperationSchema* operation = nullptr;  // null if the service has none of that name and version
};
QueryTarget ReadQueryTarget(const net::HttpRequest& request);

// Why a request has no operation. REQUIRES: it has none.
model::ApiError NoQueryOperation(const QueryTarget& target);

}  // namespace armature::wire
