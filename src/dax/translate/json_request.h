// JSON requests: a DAX message as the request that an SDK would have sent to DynamoDB itself.
//
// Nothing is checked that DynamoDB checks: a Query without a key condition, two equal keys, too many of them and an
// update of nothing arrive there as the client sent them, so that refusals are DynamoDB's. Pure. Used by node/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "dax/attributes/attribute_lists.h"
#include "dax/table_schema.h"
#include "dax/translate/parsed_request.h"
#include "model/api_error.h"

namespace armature::dax {

struct JsonRequest {
  std::string_view operation;  // "GetItem"
  std::string body;
};

struct JsonRequestOptions {
  // Of a PutItem, UpdateItem or DeleteItem, instead of what the client asked (see ReturnValuesForCache).
  std::optional<ReturnValues> return_values;
};

// `schemas`: of TablesOf(request), in that order; their keys tell what the message's are. The error is fit for the
// client: an option or a value that cannot be told to DynamoDB, or an attribute list that nobody defined.
// REQUIRES: one of the ten data methods.
model::ApiResult<JsonRequest> WriteJsonRequest(const ParsedRequest& request, std::span<const TableSchemaPtr> schemas,
                                               const AccountLists& lists, Arena& arena,
                                               const JsonRequestOptions& options = {});

// What to ask of an UpdateItem, so that the reply tells the whole new item and still all that the client wants to
// know: ALL_NEW if that can be, otherwise nothing.
std::optional<ReturnValues> ReturnValuesForCache(const ParsedRequest& request, Arena& arena);

}  // namespace armature::dax
