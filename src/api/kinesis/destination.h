// What the operations on Kinesis streaming destinations share.
//
// The table they mean, and the parts of their replies. Called by the operations of api/kinesis.
#pragma once

#include <memory>
#include <string_view>

#include "api/request_context.h"
#include "base/text/json_writer.h"
#include "model/api_error.h"
#include "table/table.h"

namespace armature::api {

// A table that is still being created is not there yet for these operations.
model::ApiResult<std::shared_ptr<table::Table>> FindKinesisTable(const RequestContext& context,
                                                                 std::string_view name_or_arn);

// The reply to a change: the state the destination passes through, and the configuration under its member's name (left
// out if that is empty).
struct DestinationReply {
  std::string_view stream_arn;
  model::KinesisStatus status = model::KinesisStatus::kEnabling;
  std::string_view configuration_member;
  std::string_view precision;
};
void WriteDestinationReply(RequestContext& context, const table::Table& table, const DestinationReply& reply);

}  // namespace armature::api
