// CreateEventSourceMapping: a new trigger.
#include <fmt/format.h>

#include "api/access.h"
#include "lambda/lambda_api.h"
#include "lambda/mapping_reply.h"
#include "lambda/mapping_settings.h"
#include "model/messages/triggers.h"
#include "model/names/arn.h"

namespace armature::lambda {

namespace {

namespace messages = model::messages;
using model::ApiResult;
using triggers::InvalidParameterValue;
using triggers::StartingPosition;

ApiResult<StartingPosition> ReadPosition(Members& body) {
  const auto name = body.Text("StartingPosition");
  if (!name) return InvalidParameterValue(fmt::format(messages::kTriggerNull, "startingPosition"));
  if (*name == "TRIM_HORIZON") return StartingPosition::kTrimHorizon;
  if (*name == "LATEST") return StartingPosition::kLatest;
  if (*name == "AT_TIMESTAMP") return InvalidParameterValue(std::string(messages::kTriggerAtTimestamp));
  return InvalidParameterValue(
      fmt::format(messages::kTriggerEnum, *name, "startingPosition", "TRIM_HORIZON, LATEST, AT_TIMESTAMP"));
}

ApiResult<void> CheckSource(const api::RequestContext& context, const std::string& arn) {
  const auto parts = model::ParseStreamArn(arn);
  if (!parts) return InvalidParameterValue(std::string(messages::kTriggerUnknownSource));
  if (parts->account != context.account || parts->region != context.region)
    return InvalidParameterValue(fmt::format(messages::kTriggerStreamNotFound, arn));
  return {};
}

}  // namespace

Task<ApiResult<void>> CreateEventSourceMapping(api::RequestContext& context, triggers::Triggers& triggers,
                                               RestRequest& request) {
  triggers::Mapping mapping;
  mapping.account = context.account;
  mapping.region = context.region;
  if (!request.body.Has("FunctionName"))
    co_return InvalidParameterValue(fmt::format(messages::kTriggerNull, "functionName"));
  ARMATURE_CO_CHECK_OK(ReadSettings(request.body, mapping));
  mapping.event_source_arn = request.body.Text("EventSourceArn").value_or("");
  ARMATURE_CO_CHECK_OK(request.body.status());
  ARMATURE_CO_CHECK_OK(CheckSource(context, mapping.event_source_arn));
  ARMATURE_CO_TRY(mapping.starting_position, ReadPosition(request.body));
  if (request.body.Has("StartingPositionTimestamp"))
    co_return InvalidParameterValue(std::string(messages::kTriggerAtTimestamp));
  // Which functions there are is not told to who may not.
  ARMATURE_CO_CHECK_OK(api::Authorize(context, auth::Resource{}));
  ARMATURE_CO_CHECK_OK(AuthorizeFollowing(context, mapping.event_source_arn));
  ARMATURE_CO_CHECK_OK(CheckSettings(triggers, mapping));
  ARMATURE_CO_TRY(const triggers::Triggers::Ref created, co_await triggers.Create(std::move(mapping)));
  JsonWriter json(context.body);
  WriteMapping(triggers, *created, "Creating", json);
  co_return ApiResult<void>();
}

}  // namespace armature::lambda
