#include "dax/translate/request_options.h"

#include <fmt/core.h>

namespace armature::dax {

namespace {

enum Key : int64_t {
  kProjection = 0,
  kConsistentRead = 2,
  kReturnConsumedCapacity = 3,
  kCondition = 4,
  kReturnItemCollectionMetrics = 6,
  kReturnValues = 7,
  kUpdate = 8,
  kExclusiveStartKey = 9,
  kFilter = 10,
  kIndexName = 11,
  kLimit = 13,
  kScanIndexForward = 14,
  kSelect = 15,
  kSegment = 16,
  kTotalSegments = 17,
  kClientRequestToken = 19,
};

// False: nobody knows the option.
bool ReadOption(int64_t key, CborReader& reader, Arena& arena, Options& options) {
  switch (key) {
    case kProjection: return options.projection = reader.Bytes(arena), true;
    case kConsistentRead: return options.consistent_read = reader.Bool(), true;
    case kReturnConsumedCapacity: return options.return_consumed_capacity = reader.Int(), true;
    case kCondition: return options.condition = reader.Bytes(arena), true;
    case kReturnItemCollectionMetrics: return options.return_item_collection_metrics = reader.Int(), true;
    case kReturnValues: return options.return_values = reader.Int(), true;
    case kUpdate: return options.update = reader.Bytes(arena), true;
    case kExclusiveStartKey: return options.exclusive_start_key = reader.Bytes(arena), true;
    case kFilter: return options.filter = reader.Bytes(arena), true;
    case kIndexName: return options.index_name = reader.BytesOrText(arena), true;
    case kLimit: return options.limit = reader.Int(), true;
    case kScanIndexForward: return options.scan_index_forward = reader.Bool(), true;
    case kSelect: return options.select = reader.Int(), true;
    case kSegment: return options.segment = reader.Int(), true;
    case kTotalSegments: return options.total_segments = reader.Int(), true;
    case kClientRequestToken: return options.client_request_token = reader.BytesOrText(arena), true;
    default: return false;
  }
}

}  // namespace

Status ReadOptions(CborReader& reader, Arena& arena, Options& options) {
  if (reader.TakeNull()) return Status::Ok();
  auto entries = reader.Map();
  while (reader.Next(entries)) {
    const int64_t key = reader.Int();
    if (!reader.ok()) break;
    if (reader.TakeNull()) continue;  // as if it had not been sent
    if (!ReadOption(key, reader, arena, options))
      return Status::InvalidArgument(fmt::format("Request has an unknown parameter: {}", key));
  }
  return Status::Ok();
}

}  // namespace armature::dax
