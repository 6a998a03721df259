// GetEventSourceMapping: one trigger.
#include "api/lambda/lambda_api.h"
#include "api/lambda/mapping_reply.h"

namespace armature::api::lambda {

Task<model::ApiResult<void>> GetEventSourceMapping(RequestContext& context, RestRequest& request) {
  const triggers::Triggers& triggers = *context.services.triggers;
  ARMATURE_CO_CHECK_OK(AuthorizeMapping(context, request));
  const auto mapping = triggers.Find(context.scope(), request.uuid);
  if (!mapping) co_return triggers.MissingMapping(request.uuid);
  JsonWriter json(context.body);
  WriteMapping(triggers, *mapping, {}, json);
  co_return model::ApiResult<void>();
}

}  // namespace armature::api::lambda
