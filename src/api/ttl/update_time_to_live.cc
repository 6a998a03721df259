// UpdateTimeToLive: turns the expiry of items on or off.
#include <fmt/format.h>

#include "api/handlers.h"
#include "api/table_lookup.h"
#include "base/text/json_writer.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::TtlStatus;
using model::ValidationException;
namespace messages = model::messages;

namespace {

ApiResult<void> CheckState(const model::TableDef& table) {
  if (table.status == model::ResourceStatus::kCreating)
    return model::ResourceInUseException(fmt::format(messages::kTableBeingCreated, table.name));
  if (table.status == model::ResourceStatus::kDeleting)
    return model::ResourceInUseException(fmt::format(messages::kTableBeingDeleted, table.name));
  return {};
}

// AWS takes no second change for about an hour, the time it gives itself for the first. Here that is as long as the
// first is under way.
ApiResult<void> CheckChange(const model::TtlDef& ttl, bool enables, std::string_view attribute) {
  const bool is_on = ttl.keeps_rows();
  if (is_on && ttl.attribute != attribute)
    return ValidationException(fmt::format(messages::kTtlOtherAttribute, ttl.attribute));
  if (is_on && enables) return ValidationException(std::string(messages::kTtlAlreadyEnabled));
  if (!is_on && !enables) return ValidationException(std::string(messages::kTtlAlreadyDisabled));
  if (ttl.status == TtlStatus::kEnabling || ttl.status == TtlStatus::kDisabling)
    return ValidationException(std::string(messages::kTtlModifiedTooOften));
  return {};
}

}  // namespace

Task<ApiResult<void>> UpdateTimeToLive(RequestContext& context, const wire::UpdateTimeToLiveInput& request) {
  const bool enables = *request.TimeToLiveSpecification->Enabled;
  const std::string_view attribute = *request.TimeToLiveSpecification->AttributeName;
  ARMATURE_CO_CHECK_OK(FindAnyTable(context, *request.TableName));
  auto& catalog = context.services.catalog;
  const table::Catalog::Change change = [&](model::TableDef& current) -> ApiResult<void> {
    ARMATURE_CHECK_OK(CheckState(current));
    ARMATURE_CHECK_OK(CheckChange(current.ttl, enables, attribute));
    current.ttl = {enables ? TtlStatus::kEnabling : TtlStatus::kDisabling, std::string(attribute),
                   context.now_millis + catalog.control_plane_delay_millis()};
    return {};
  };
  const auto [scope, name] = TargetOf(context, *request.TableName);
  ARMATURE_CO_CHECK_OK(co_await catalog.Update(scope, name, change));
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("TimeToLiveSpecification");
  json.BeginObject();
  json.Key("Enabled");
  json.Bool(enables);
  json.Key("AttributeName");
  json.String(attribute);
  json.EndObject();
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
