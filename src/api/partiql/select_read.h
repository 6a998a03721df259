// Reads what a SelectPlan says and writes the rows to the body as they come: `"Items":[…]`.
//
// One page: as many of the plan's reads as fit into Limit and 1 MB. No row is kept. Used inside api/partiql.
#pragma once

#include <optional>
#include <string_view>

#include "api/partiql/next_token.h"
#include "api/partiql/select_plan.h"
#include "api/reply_cost.h"
#include "api/request_context.h"
#include "base/async.h"
#include "base/text/json_writer.h"
#include "model/api_error.h"

namespace armature::api {

struct SelectPage {
  // in
  const BoundStatement* bound = nullptr;
  const SelectPlan* plan = nullptr;
  bool is_consistent = false;
  size_t limit = SIZE_MAX;
  NextToken start{};
  // out
  ConsumedCapacity consumed{};
  std::optional<NextToken> next{};  // there may be more
};

Task<model::ApiResult<void>> ReadSelectPage(RequestContext& context, SelectPage& page, JsonWriter& json);

// How many reads a token may point to.
size_t ReadCount(const SelectPlan& plan);

// What the SELECT asks for of an item.
model::Item SelectedAttributes(const BoundStatement& bound, model::Item item, Arena& arena);

// One item by its key, projected as the SELECT asks; nothing if there is none.
model::ApiResult<std::optional<model::Item>> DecodeSelected(const BoundStatement& bound, bool found,
                                                            std::string_view record, Arena& arena);

}  // namespace armature::api
