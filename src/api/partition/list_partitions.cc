// ListPartitions: which partitions a table and its global indexes have.
#include "api/handlers.h"
#include "api/partition/partition_list.h"
#include "api/table_lookup.h"

namespace armature::api {

Task<model::ApiResult<void>> ListPartitions(RequestContext& context, const wire::ListPartitionsInput& request) {
  ARMATURE_CO_TRY(const auto table, FindAnyTable(context, *request.TableName));
  WritePartitionList(*table, context.body);
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
