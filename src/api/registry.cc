#include "api/registry.h"

#include <array>

#include "api/account/describe_endpoints.h"
#include "api/account/describe_limits.h"
#include "api/batch/batch_get_item.h"
#include "api/batch/batch_write_item.h"
#include "api/item/delete_item.h"
#include "api/item/get_item.h"
#include "api/item/put_item.h"
#include "api/item/update_item.h"
#include "api/kinesis/describe_kinesis_streaming_destination.h"
#include "api/kinesis/disable_kinesis_streaming_destination.h"
#include "api/kinesis/enable_kinesis_streaming_destination.h"
#include "api/kinesis/update_kinesis_streaming_destination.h"
#include "api/partiql/batch_execute_statement.h"
#include "api/partiql/execute_statement.h"
#include "api/partiql/execute_transaction.h"
#include "api/query/query.h"
#include "api/query/scan.h"
#include "api/streams/describe_stream.h"
#include "api/streams/get_records.h"
#include "api/streams/get_shard_iterator.h"
#include "api/streams/list_streams.h"
#include "api/table/create_table.h"
#include "api/table/delete_table.h"
#include "api/table/describe_table.h"
#include "api/table/list_tables.h"
#include "api/table/update_table.h"
#include "api/tag/list_tags_of_resource.h"
#include "api/tag/tag_resource.h"
#include "api/tag/untag_resource.h"
#include "api/transact/transact_get_items.h"
#include "api/transact/transact_write_items.h"
#include "api/ttl/describe_time_to_live.h"
#include "api/ttl/update_time_to_live.h"

namespace armature::api {

namespace {

template <class Request>
using Handler = Task<model::ApiResult<void>> (*)(RequestContext&, const Request&);

struct Entry {
  wire::OperationId id;
  Operation operation;
};

template <class Request, Handler<Request> Execute>
constexpr Entry Make() {
  return {Request::kOperation,
          {[](RequestContext& context, const void* request) {
             return Execute(context, *static_cast<const Request*>(request));
           },
           sizeof(Request), [](Arena& arena) -> void* { return arena.New<Request>(); }}};
}

constexpr Entry kOperations[] = {
    Make<wire::BatchExecuteStatementInput, BatchExecuteStatement>(),
    Make<wire::BatchGetItemInput, BatchGetItem>(),
    Make<wire::BatchWriteItemInput, BatchWriteItem>(),
    Make<wire::CreateTableInput, CreateTable>(),
    Make<wire::DeleteItemInput, DeleteItem>(),
    Make<wire::DeleteTableInput, DeleteTable>(),
    Make<wire::DescribeEndpointsInput, DescribeEndpoints>(),
    Make<wire::DescribeKinesisStreamingDestinationInput, DescribeKinesisStreamingDestination>(),
    Make<wire::DescribeLimitsInput, DescribeLimits>(),
    Make<wire::DescribeStreamInput, DescribeStream>(),
    Make<wire::DescribeTableInput, DescribeTable>(),
    Make<wire::DescribeTimeToLiveInput, DescribeTimeToLive>(),
    Make<wire::DisableKinesisStreamingDestinationInput, DisableKinesisStreamingDestination>(),
    Make<wire::EnableKinesisStreamingDestinationInput, EnableKinesisStreamingDestination>(),
    Make<wire::ExecuteStatementInput, ExecuteStatement>(),
    Make<wire::ExecuteTransactionInput, ExecuteTransaction>(),
    Make<wire::GetItemInput, GetItem>(),
    Make<wire::GetRecordsInput, GetRecords>(),
    Make<wire::GetShardIteratorInput, GetShardIterator>(),
    Make<wire::ListStreamsInput, ListStreams>(),
    Make<wire::ListTablesInput, ListTables>(),
    Make<wire::ListTagsOfResourceInput, ListTagsOfResource>(),
    Make<wire::PutItemInput, PutItem>(),
    Make<wire::QueryInput, Query>(),
    Make<wire::ScanInput, Scan>(),
    Make<wire::TagResourceInput, TagResource>(),
    Make<wire::TransactGetItemsInput, TransactGetItems>(),
    Make<wire::TransactWriteItemsInput, TransactWriteItems>(),
    Make<wire::UntagResourceInput, UntagResource>(),
    Make<wire::UpdateItemInput, UpdateItem>(),
    Make<wire::UpdateKinesisStreamingDestinationInput, UpdateKinesisStreamingDestination>(),
    Make<wire::UpdateTableInput, UpdateTable>(),
    Make<wire::UpdateTimeToLiveInput, UpdateTimeToLive>(),
};

// By OperationId, so that finding one is an index.
constexpr auto kByOperationId = [] {
  std::array<Operation, 128> table{};
  for (const Entry& entry : kOperations) table[static_cast<size_t>(entry.id)] = entry.operation;
  return table;
}();

}  // namespace

const Operation* FindOperation(const wire::OperationSchema& schema) {
  const Operation& operation = kByOperationId[schema.index];
  return operation.execute ? &operation : nullptr;
}

}  // namespace armature::api
