// DescribeEndpoints: where this Region's DynamoDB can be reached.
#include "api/access.h"
#include "api/handlers.h"
#include "base/text/json_writer.h"

namespace armature::api {

namespace {
constexpr int64_t kCachePeriodMinutes = 1440;
}  // namespace

Task<model::ApiResult<void>> DescribeEndpoints(RequestContext& context, const wire::DescribeEndpointsInput&) {
  ARMATURE_CO_CHECK_OK(Authorize(context, auth::Resource{}));
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Endpoints");
  json.BeginArray();
  json.BeginObject();
  // The address must be one the client can reach: the one it used.
  json.Member("Address", context.host);
  json.MemberInt("CachePeriodInMinutes", kCachePeriodMinutes);
  json.EndObject();
  json.EndArray();
  json.EndObject();
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
