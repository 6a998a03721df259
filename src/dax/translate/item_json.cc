#include "dax/translate/item_json.h"

#include "model/wording.h"
#include "wire/attribute_decode.h"

namespace armature::dax {

model::ApiResult<model::Item> ItemOfJson(simdjson::dom::element json, Arena& arena) {
  wire::DecodeErrors errors;
  wire::AttributeDecoder decoder(arena, model::kReadWording, errors);
  wire::AttributeMap map;
  if (!decoder.DecodeMap(json, /*names_attributes=*/true, &map) || map.first_error != nullptr)
    return model::InternalServerError();
  return map.item();
}

}  // namespace armature::dax
