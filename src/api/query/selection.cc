#include "api/query/selection.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/consumed_capacity.h"
#include "model/messages.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
namespace messages = model::messages;

namespace {

// Query puts these faults in the form of a constraint, Scan does not.
model::ApiError SelectError(const ReadRequest& request, std::string text) {
  if (request.is_query) text.insert(0, messages::kOneValidationError);
  return ValidationException(std::move(text));
}

// The attributes among the paths that entries of the index do not have, each once.
std::vector<std::string_view> Unprojected(const table::IndexSchema& index, std::span<const expr::Path> paths) {
  std::vector<std::string_view> names;
  for (const auto& path : paths) {
    const std::string_view name = path.front().name;
    if (!index.Projects(name) && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

ApiResult<void> CheckSelect(const ReadRequest& request, std::string_view projection_parameter) {
  if (!request.select) return {};
  const std::string_view select = *request.select;
  const bool is_specific = select == "SPECIFIC_ATTRIBUTES";
  if (is_specific && projection_parameter.empty())
    return SelectError(request, std::string(messages::kSelectWithoutAttributes));
  if (!is_specific && !projection_parameter.empty()) {
    const std::string_view wanted = select == "COUNT" ? "only the Count" : select;
    return SelectError(request, fmt::format(messages::kSelectWithAttributes, projection_parameter, wanted));
  }
  if (select == "ALL_PROJECTED_ATTRIBUTES" && !request.index_name)
    return SelectError(request, std::string(messages::kSelectProjectedOfTable));
  return {};
}

ApiResult<Selection> MakeSelection(const ReadRequest& request, const ReadTarget& target,
                                   const BoundExpressions& bound) {
  Selection selection;
  selection.is_count_only = Asks(request.select, "COUNT");
  selection.projection = bound.projection;
  if (!target.index || target.index->projects_all()) return selection;

  const bool wants_all = Asks(request.select, "ALL_ATTRIBUTES");
  std::vector<std::string_view> missing;
  if (bound.projection) missing = Unprojected(*target.index, bound.projection->paths);
  if (target.is_global_index()) {
    const std::string& name = target.index->def->name;
    if (wants_all) return ValidationException(fmt::format(messages::kSelectAllOfGlobalIndex, name));
    if (!missing.empty())
      return ValidationException(fmt::format(messages::kNotProjected, name, fmt::join(missing, ", ")));
    return selection;
  }
  const bool is_asked_for_more = wants_all || !missing.empty();
  const bool filter_needs_more = bound.filter && !Unprojected(*target.index, bound.filter->paths).empty();
  selection.fetches_items = is_asked_for_more || filter_needs_more;
  selection.is_cut_to_entry = selection.fetches_items && !is_asked_for_more;
  return selection;
}

}  // namespace armature::api
