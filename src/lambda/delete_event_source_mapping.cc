// DeleteEventSourceMapping: the end of a trigger and of its progress.
#include "lambda/lambda_api.h"
#include "lambda/mapping_reply.h"

namespace armature::lambda {

using model::ApiResult;

Task<ApiResult<void>> DeleteEventSourceMapping(api::RequestContext& context, triggers::Triggers& triggers,
                                               RestRequest& request) {
  ARMATURE_CO_CHECK_OK(AuthorizeMapping(context, request));
  ARMATURE_CO_TRY(const triggers::Triggers::Ref deleted, co_await triggers.Delete(context.scope(), request.uuid));
  JsonWriter json(context.body);
  WriteMapping(triggers, *deleted, "Deleting", json);
  co_return ApiResult<void>();
}

}  // namespace armature::lambda
