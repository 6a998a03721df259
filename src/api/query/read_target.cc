#include "api/query/read_target.h"

#include <fmt/format.h>

#include "api/item/key_checks.h"
#include "api/table_lookup.h"
#include "model/messages.h"

namespace armature::api {

using model::ApiResult;
using model::ResourceStatus;
using model::ValidationException;
namespace messages = model::messages;

ApiResult<ReadTarget> FindReadTarget(const RequestContext& context, const ReadRequest& request) {
  ReadTarget target;
  ARMATURE_TRY(target.table, FindDataTable(context, request.table_name));
  target.schema = target.table->schema();
  if (!request.index_name) return target;

  target.index = target.schema->FindIndex(*request.index_name);
  if (!target.index || target.index->def->status == ResourceStatus::kDeleting)
    return ValidationException(fmt::format(messages::kNoSuchIndex, *request.index_name));
  if (target.is_global_index() && request.is_consistent)
    return ValidationException(std::string(messages::kConsistentReadOfGlobalIndex));
  if (target.index->def->status == ResourceStatus::kCreating)
    return ValidationException(fmt::format(messages::kIndexBackfilling, *request.index_name));
  return target;
}

}  // namespace armature::api
