// The resource of a tag operation: tables, named by their ARN.
//
// Used by the tag operations.
#pragma once

#include <memory>
#include <string_view>

#include "api/request_context.h"
#include "api/table_lookup.h"
#include "model/api_error.h"

namespace armature::api {

// The table, if the ARN is one of a table within reach that exists, and the caller may. AWS answers AccessDenied for
// any other ARN, before it looks for the table.
model::ApiResult<std::shared_ptr<table::Table>> FindTaggedTable(const RequestContext& context, std::string_view arn,
                                                                std::string_view operation, const Touch& touch = {});

}  // namespace armature::api
