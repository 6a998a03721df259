// DescribeLimits: the account's and tables' capacity quotas.
#include "api/access.h"
#include "api/handlers.h"
#include "api/table/throughput_quotas.h"
#include "base/text/json_writer.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeLimits(RequestContext& context, const wire::DescribeLimitsInput&) {
  ARMATURE_CO_CHECK_OK(Authorize(context, auth::Resource{}));
  JsonWriter json(context.body);
  json.BeginObject();
  json.MemberInt("AccountMaxReadCapacityUnits", kAccountMaxUnits);
  json.MemberInt("AccountMaxWriteCapacityUnits", kAccountMaxUnits);
  json.MemberInt("TableMaxReadCapacityUnits", kTableMaxUnits);
  json.MemberInt("TableMaxWriteCapacityUnits", kTableMaxUnits);
  json.EndObject();
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
