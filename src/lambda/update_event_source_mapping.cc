// UpdateEventSourceMapping: changes what the request names, and leaves the rest.
#include "lambda/lambda_api.h"
#include "lambda/mapping_reply.h"
#include "lambda/mapping_settings.h"

namespace armature::lambda {

using model::ApiResult;

Task<ApiResult<void>> UpdateEventSourceMapping(api::RequestContext& context, triggers::Triggers& triggers,
                                               RestRequest& request) {
  ARMATURE_CO_CHECK_OK(AuthorizeMapping(context, request));
  if (const auto mapping = triggers.Find(context.scope(), request.uuid))
    ARMATURE_CO_CHECK_OK(AuthorizeFollowing(context, mapping->event_source_arn));
  std::string_view state = "Updating";
  const triggers::Triggers::Edit edit = [&](triggers::Mapping& mapping) -> ApiResult<void> {
    const bool was_enabled = mapping.is_enabled;
    ARMATURE_CHECK_OK(ReadSettings(request.body, mapping));
    ARMATURE_CHECK_OK(CheckSettings(triggers, mapping));
    if (mapping.is_enabled != was_enabled) state = mapping.is_enabled ? "Enabling" : "Disabling";
    return {};
  };
  ARMATURE_CO_TRY(const triggers::Triggers::Ref updated, co_await triggers.Update(context.scope(), request.uuid, edit));
  JsonWriter json(context.body);
  WriteMapping(triggers, *updated, state, json);
  co_return ApiResult<void>();
}

}  // namespace armature::lambda
