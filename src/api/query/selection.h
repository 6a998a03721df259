// Selection: which attributes a Query or Scan returns, from Select and the projection parameters.
//
// The checks come in two steps: the parameters against each other, and against what an index projects. Pure; used
// by api/query and api/partiql.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/item/expressions.h"
#include "api/query/read_target.h"
#include "model/api_error.h"

namespace armature::api {

struct Selection {
  bool is_count_only = false;
  const expr::BoundProjection* projection = nullptr;  // null: all of what is read
  // A local index does not have all that is asked for: the items behind its entries are read from the table.
  bool fetches_items = false;
};

// `projection_parameter` is ExpressionParameters::projection_parameter().
model::ApiResult<void> CheckSelect(const ReadRequest& request, std::string_view projection_parameter);

// The attributes among the paths that entries of the index do not have, each once, in the order AWS prints a set.
std::vector<std::string_view> Unprojected(const table::IndexSchema& index, std::span<const expr::Path> paths);

// A Query of an index filters by what the index projects, whichever its kind; a Scan just does not find the rest.
model::ApiResult<void> CheckFilterIsProjected(const ReadTarget& target, const expr::BoundCondition* filter);

// REQUIRES: CheckSelect passed.
model::ApiResult<Selection> MakeSelection(const ReadRequest& request, const ReadTarget& target,
                                          const BoundExpressions& bound);

}  // namespace armature::api
