// The resource of a tag operation: tables, named by their ARN.
//
// Used by the tag operations.
#pragma once

#include <string_view>

#include "api/request_context.h"
#include "api/table_lookup.h"
#include "model/api_error.h"

namespace armature::api {

// The table's name, if the ARN is one of a table of this account and Region that exists. AWS answers AccessDenied for
// anybody else's ARN, before it looks for the table.
model::ApiResult<std::string_view> FindTaggedTable(const RequestContext& context, std::string_view arn,
                                                   std::string_view operation);

}  // namespace armature::api
