// From a TableName or an ARN to a table.
//
// TableName accepts a table's ARN wherever a name goes. Data operations and control operations word a missing table
// differently, hence the two look-ups. Called by the operations.
#pragma once

#include <memory>
#include <string_view>

#include "api/access.h"
#include "api/request_context.h"
#include "model/api_error.h"
#include "model/names/arn.h"
#include "table/table.h"

namespace armature::api {

// Where a table would be. Views into the request.
struct TableTarget {
  table::TableScope scope;
  std::string_view name;
};
// Where `name_or_arn` leads. An ARN leads into another account too, where policies decide who may; one of another
// Region, or of another account where nobody is asked, gives a name that no table has.
TableTarget TargetOf(const RequestContext& context, std::string_view name_or_arn);
// For what concerns the caller's own account only: the name in `name_or_arn`; an ARN of another account or Region gives
// one that no table has.
std::string_view TableNameOf(const RequestContext& context, std::string_view name_or_arn);

// For data operations: ACTIVE or UPDATING tables only, and only if the caller may (access.h). `action` is the
// operation's own unless given.
model::ApiResult<std::shared_ptr<table::Table>> FindDataTable(const RequestContext& context,
                                                              std::string_view name_or_arn, const Touch& touch,
                                                              std::string_view action = {});

// For control operations: a table in any state, if the caller may.
model::ApiResult<std::shared_ptr<table::Table>> FindAnyTable(const RequestContext& context,
                                                             std::string_view name_or_arn);

// A data operation's table before it is known what of it is touched. REQUIRES of the caller: Authorize, whether there
// is a table or not, before anything is read or said.
model::ApiResult<std::shared_ptr<table::Table>> LookUpDataTable(const RequestContext& context,
                                                                std::string_view name_or_arn);
// A name that no table can have is the request's fault, told before anybody asks who may.
model::ApiResult<void> CheckTableName(std::string_view name_or_arn);

// What to answer when the catalogue has no such table: `otherwise`, unless there is one that cannot be read.
model::ApiError MissingTable(const RequestContext& context, const TableTarget& target, model::ApiError otherwise);

// Whether a request can be about a table of that account and Region at all: it is among the caller's, or policies say
// who may reach it from other accounts.
bool IsReachable(const RequestContext& context, std::string_view account, std::string_view region);

}  // namespace armature::api
