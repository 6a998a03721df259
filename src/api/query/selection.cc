#include "api/query/selection.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/reply_cost.h"
#include "model/messages/expressions.h"
#include "model/messages/requests.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
namespace messages = model::messages;

namespace {

// AWS prints a set of names in the order of Java's HashSet: by hash in sixteen buckets (or more of them for more
// names), and as they came within a bucket.
void SortAsHashSet(std::vector<std::string_view>& names) {
  const auto bucket = [&](std::string_view name) {
    uint32_t hash = 0;
    for (const char c : name) hash = hash * 31 + static_cast<uint8_t>(c);
    size_t buckets = 16;
    while (names.size() * 4 > buckets * 3) buckets *= 2;
    return (hash ^ (hash >> 16)) & (buckets - 1);
  };
  std::ranges::stable_sort(names, {}, bucket);
}

model::ApiError InEnvelope(std::string_view text) {
  return ValidationException(fmt::format("{}{}", messages::kOneValidationError, text));
}

// The attributes among the paths that entries of the index do not have, each once, as they came.
std::vector<std::string_view> CollectUnprojected(const table::IndexSchema& index, std::span<const expr::Path> paths) {
  std::vector<std::string_view> names;
  for (const auto& path : paths) {
    const std::string_view name = path.front().name;
    if (!index.Projects(name) && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string_view> Unprojected(const table::IndexSchema& index, std::span<const expr::Path> paths) {
  std::vector<std::string_view> names = CollectUnprojected(index, paths);
  SortAsHashSet(names);
  return names;
}

ApiResult<void> CheckFilterIsProjected(const ReadTarget& target, const expr::BoundCondition* filter) {
  if (!filter || !target.index || target.index->projects_all()) return {};
  const auto missing = Unprojected(*target.index, filter->paths);
  if (missing.empty()) return {};
  return ValidationException(
      fmt::format(messages::kUnprojectedFilter, target.index->def->name, fmt::join(missing, ", ")));
}

ApiResult<void> CheckSelect(const ReadRequest& request, std::string_view projection_parameter) {
  if (!request.select) return {};
  const std::string_view select = *request.select;
  const bool is_specific = select == "SPECIFIC_ATTRIBUTES";
  if (is_specific && projection_parameter.empty()) return InEnvelope(messages::kSelectWithoutAttributes);
  if (!is_specific && !projection_parameter.empty()) {
    const std::string_view wanted = select == "COUNT" ? "only the Count" : select;
    const std::string text = fmt::format(messages::kSelectWithAttributes, projection_parameter, wanted);
    return request.is_query ? InEnvelope(text) : ValidationException(text);
  }
  if (select == "ALL_PROJECTED_ATTRIBUTES" && !request.index_name)
    return request.is_query ? InEnvelope(messages::kSelectProjectedOfTable)
                            : ValidationException(std::string(messages::kSelectProjectedOfTable));
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
  if (bound.projection) missing = CollectUnprojected(*target.index, bound.projection->paths);
  if (target.is_global_index()) {
    const std::string& name = target.index->def->name;
    if (wants_all) return ValidationException(fmt::format(messages::kSelectAllOfGlobalIndex, name));
    if (!missing.empty())
      return ValidationException(fmt::format(messages::kNotProjected, name, fmt::join(missing, ", ")));
    return selection;
  }
  selection.fetches_items = wants_all || !missing.empty();
  return selection;
}

}  // namespace armature::api
