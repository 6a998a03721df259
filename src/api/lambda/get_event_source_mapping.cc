#include "api/lambda/get_event_source_mapping.h"

#include "api/lambda/mapping_reply.h"
#include "model/messages_triggers.h"

namespace armature::api::lambda {

Task<model::ApiResult<void>> GetEventSourceMapping(RequestContext& context, RestRequest& request) {
  const triggers::Triggers& triggers = *context.services.triggers;
  const auto mapping = triggers.Find(context.scope(), request.uuid);
  if (!mapping)
    co_return triggers::LambdaError("ResourceNotFoundException", 404,
                                    std::string(model::messages::kTriggerMappingNotFound));
  JsonWriter json(context.body);
  WriteMapping(triggers, *mapping, {}, json);
  co_return model::ApiResult<void>();
}

}  // namespace armature::api::lambda
