// GetEventSourceMapping: one trigger.
#include "lambda/lambda_api.h"
#include "lambda/mapping_reply.h"

namespace armature::lambda {

Task<model::ApiResult<void>> GetEventSourceMapping(api::RequestContext& context, triggers::Triggers& triggers,
                                                   RestRequest& request) {
  ARMATURE_CO_CHECK_OK(AuthorizeMapping(context, request));
  const auto mapping = triggers.Find(context.scope(), request.uuid);
  if (!mapping) co_return triggers.MissingMapping(request.uuid);
  JsonWriter json(context.body);
  WriteMapping(triggers, *mapping, {}, json);
  co_return model::ApiResult<void>();
}

}  // namespace armature::lambda
