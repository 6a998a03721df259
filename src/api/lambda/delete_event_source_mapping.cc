// DeleteEventSourceMapping: the end of a trigger and of its progress.
#include "api/lambda/lambda_api.h"
#include "api/lambda/mapping_reply.h"

namespace armature::api::lambda {

using model::ApiResult;

Task<ApiResult<void>> DeleteEventSourceMapping(RequestContext& context, RestRequest& request) {
  triggers::Triggers& triggers = *context.services.triggers;
  ARMATURE_CO_CHECK_OK(AuthorizeMapping(context, request));
  ARMATURE_CO_TRY(const triggers::Triggers::Ref deleted, co_await triggers.Delete(context.scope(), request.uuid));
  JsonWriter json(context.body);
  WriteMapping(triggers, *deleted, "Deleting", json);
  co_return ApiResult<void>();
}

}  // namespace armature::api::lambda
