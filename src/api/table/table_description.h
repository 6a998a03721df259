// TableDescription: a table as the control plane shows it.
//
// Appends JSON. Used by CreateTable, DescribeTable, UpdateTable and DeleteTable.
#pragma once

#include "base/text/json_writer.h"
#include "model/table_def.h"
#include "table/table.h"

namespace armature::api {

struct DescriptionOptions {
  model::ResourceStatus status = model::ResourceStatus::kActive;
  int64_t now_millis = 0;
  bool is_encrypted = false;          // what is stored is
  bool with_warm_throughput = false;  // DescribeTable and UpdateTable show it, CreateTable does not
};

// `table` with its definition as in `schema`.
void WriteTableDescription(JsonWriter& json, std::string_view member, const table::TableSchema& schema,
                           const table::Table& table, const DescriptionOptions& options);

// What is told of a table with the reply to its deletion: its name and figures, not what it was made of.
void WriteDeletedTable(JsonWriter& json, const model::TableDef& def, const table::Table& table, int64_t now_millis);

// The values AWS starts from when none were asked for: 12000 and 4000, or what is provisioned if that is more.
int64_t WarmReadUnits(const model::WarmThroughput& warm, const model::ProvisionedThroughput& throughput);
int64_t WarmWriteUnits(const model::WarmThroughput& warm, const model::ProvisionedThroughput& throughput);

}  // namespace armature::api
