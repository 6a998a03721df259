#include "api/table_lookup.h"

#include <fmt/format.h>

#include "model/messages.h"

namespace armature::api {

using model::ApiResult;

namespace {
constexpr size_t kShortestTableName = 3;
}

bool ParseTableArn(std::string_view arn, TableArn* parsed) {
  // arn:aws:dynamodb:<region>:<account>:table/<name>
  std::string_view parts[6];
  for (int i = 0; i < 5; ++i) {
    const size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return false;
    parts[i] = arn.substr(0, colon);
    arn.remove_prefix(colon + 1);
  }
  parts[5] = arn;
  constexpr std::string_view kTable = "table/";
  if (parts[0] != "arn" || parts[2] != "dynamodb" || !parts[5].starts_with(kTable)) return false;
  *parsed = {parts[3], parts[4], parts[5].substr(kTable.size())};
  return !parsed->table.empty() && parsed->table.find('/') == std::string_view::npos;
}

bool IsOurs(const RequestContext& context, const TableArn& arn) {
  return context.services.shares_tables || (arn.account == context.account && arn.region == context.region);
}

std::string_view TableNameOf(const RequestContext& context, std::string_view name_or_arn) {
  TableArn arn;
  if (!ParseTableArn(name_or_arn, &arn)) return name_or_arn;
  return IsOurs(context, arn) ? arn.table : name_or_arn;
}

model::ApiError MissingTable(const RequestContext& context, std::string_view name, model::ApiError otherwise) {
  auto unreadable = context.services.catalog.WhyUnreadable(context.scope(), name);
  return unreadable ? std::move(*unreadable) : std::move(otherwise);
}

ApiResult<std::shared_ptr<table::Table>> FindDataTable(const RequestContext& context, std::string_view name_or_arn) {
  if (name_or_arn.size() < kShortestTableName)
    return model::ValidationException(std::string(model::messages::kTableNameTooShort));
  const std::string_view name = TableNameOf(context, name_or_arn);
  auto table = context.services.catalog.Find(context.scope(), name);
  if (!table || !table->AcceptsData(context.now_millis))
    return MissingTable(context, name,
                        model::ResourceNotFoundException(std::string(model::messages::kResourceNotFound)));
  return table;
}

ApiResult<std::shared_ptr<table::Table>> FindAnyTable(const RequestContext& context, std::string_view name_or_arn) {
  const std::string_view name = TableNameOf(context, name_or_arn);
  auto table = context.services.catalog.Find(context.scope(), name);
  if (!table || table->def()->IsGoneAt(context.now_millis))
    return MissingTable(context, name,
                        model::ResourceNotFoundException(fmt::format(model::messages::kTableNotFound, name)));
  return table;
}

}  // namespace armature::api
