// SplitPartition: divides a partition of a table or of its global indexes in the middle of its hashes, while it is
// used.
#include <fmt/format.h>

#include "api/handlers.h"
#include "api/partition/partition_list.h"
#include "api/table_lookup.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::ResourceStatus;

namespace messages = model::messages;

namespace {

// A table that is being changed has all its partitions; one that comes or goes may not.
ApiResult<void> CheckState(const model::TableDef& table, int64_t now_millis) {
  switch (table.StatusAt(now_millis)) {
    case ResourceStatus::kActive:
    case ResourceStatus::kUpdating: return {};
    case ResourceStatus::kCreating:
      return model::ResourceInUseException(fmt::format(messages::kTableBeingCreated, table.name));
    case ResourceStatus::kDeleting:
      return model::ResourceInUseException(fmt::format(messages::kTableBeingDeleted, table.name));
  }
  return {};
}

}  // namespace

Task<ApiResult<void>> SplitPartition(RequestContext& context, const wire::SplitPartitionInput& request) {
  ARMATURE_CO_TRY(const auto table, FindAnyTable(context, *request.TableName));
  const auto def = table->def();
  ARMATURE_CO_CHECK_OK(CheckState(*def, context.now_millis));
  const auto partition = static_cast<storage::PartitionId>(*request.PartitionId);
  const Status status = co_await context.services.journal.SplitPartition(table, partition);
  if (status.code() == StatusCode::kNotFound)
    co_return model::ResourceNotFoundException(fmt::format(messages::kPartitionNotFound, def->name, partition));
  if (status.code() == StatusCode::kInvalidArgument)
    co_return model::LimitExceededException(fmt::format(messages::kTooManyPartitions, table::kMostPartitions));
  if (!status.ok()) co_return model::FromStatus(status);
  WritePartitionList(*table, context.body);
  co_return ApiResult<void>{};
}

}  // namespace armature::api
