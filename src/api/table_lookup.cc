#include "api/table_lookup.h"

#include <fmt/format.h>

#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;

namespace {
constexpr size_t kShortestTableName = 3;
}

namespace {

bool IsOurs(const RequestContext& context, std::string_view account, std::string_view region) {
  return context.services.shares_tables || (account == context.account && region == context.region);
}

}  // namespace

bool IsReachable(const RequestContext& context, std::string_view account, std::string_view region) {
  return IsOurs(context, account, region) || (context.authorizer && region == context.region);
}

TableTarget TargetOf(const RequestContext& context, std::string_view name_or_arn) {
  const auto arn = model::ParseTableArn(name_or_arn);
  if (!arn || !IsReachable(context, arn->account, arn->region)) return {context.scope(), name_or_arn};
  if (IsOurs(context, arn->account, arn->region)) return {context.scope(), arn->table};
  return {{arn->account, arn->region}, arn->table};
}

std::string_view TableNameOf(const RequestContext& context, std::string_view name_or_arn) {
  const auto arn = model::ParseTableArn(name_or_arn);
  return arn && IsOurs(context, arn->account, arn->region) ? arn->table : name_or_arn;
}

model::ApiError MissingTable(const RequestContext& context, const TableTarget& target, model::ApiError otherwise) {
  auto unreadable = context.services.catalog.WhyUnreadable(target.scope, target.name);
  return unreadable ? std::move(*unreadable) : std::move(otherwise);
}

ApiResult<void> CheckTableName(std::string_view name_or_arn) {
  if (name_or_arn.size() < kShortestTableName)
    return model::ValidationException(std::string(model::messages::kTableNameTooShort));
  return {};
}

ApiResult<std::shared_ptr<table::Table>> LookUpDataTable(const RequestContext& context, std::string_view name_or_arn) {
  const TableTarget target = TargetOf(context, name_or_arn);
  auto table = context.services.catalog.Find(target.scope, target.name);
  if (!table || !table->AcceptsData(context.now_millis))
    return MissingTable(context, target,
                        model::ResourceNotFoundException(std::string(model::messages::kResourceNotFound)));
  return table;
}

ApiResult<std::shared_ptr<table::Table>> FindDataTable(const RequestContext& context, std::string_view name_or_arn,
                                                       const Touch& touch, std::string_view action) {
  ARMATURE_CHECK_OK(CheckTableName(name_or_arn));
  auto table = LookUpDataTable(context, name_or_arn);
  ARMATURE_CHECK_OK(AuthorizeTable(context, name_or_arn, touch, table ? &(*table)->key_schema() : nullptr, action));
  return table;
}

ApiResult<std::shared_ptr<table::Table>> FindAnyTable(const RequestContext& context, std::string_view name_or_arn) {
  ARMATURE_CHECK_OK(AuthorizeTable(context, name_or_arn));
  const TableTarget target = TargetOf(context, name_or_arn);
  auto table = context.services.catalog.Find(target.scope, target.name);
  if (!table || table->def()->IsGoneAt(context.now_millis))
    return MissingTable(context, target,
                        model::ResourceNotFoundException(fmt::format(model::messages::kTableNotFound, target.name)));
  return table;
}

}  // namespace armature::api
