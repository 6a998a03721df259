#include "api/partition/partition_list.h"

#include <fmt/format.h>

#include "base/text/json_writer.h"

namespace armature::api {
namespace {

void WritePartition(JsonWriter& json, const table::Partition& partition) {
  json.BeginObject();
  json.MemberInt("PartitionId", static_cast<int64_t>(partition.id()));
  // As text: a JSON number of 64 bits is not read exactly by every client.
  json.Member("FirstHash", fmt::format("{:016x}", partition.hashes().first));
  json.Member("LastHash", fmt::format("{:016x}", partition.hashes().last));
  json.MemberInt("Epoch", static_cast<int64_t>(partition.epoch()));
  const table::Meter& meter = partition.meter();
  json.MemberDouble("ReadUnits", meter.read_units());
  json.MemberDouble("WriteUnits", meter.write_units());
  json.MemberDouble("BackgroundWriteUnits", meter.background_write_units());
  json.Member("Status", partition.has_ended() ? "ENDED" : "ACTIVE");
  json.EndObject();
}

void WritePartitions(JsonWriter& json, const table::PartitionSet& partitions) {
  // In this order: one that is split in between is shown as in use, not twice.
  const auto ended = partitions.ended(), in_use = partitions.list();
  json.Key("Partitions");
  json.BeginArray();
  for (const auto& list : {in_use, ended})
    for (const auto& partition : *list) WritePartition(json, *partition);
  json.EndArray();
}

}  // namespace

void WritePartitionList(const table::Table& table, std::string& body) {
  const auto schema = table.schema();
  JsonWriter json(body);
  json.BeginObject();
  WritePartitions(json, table.partitions());
  json.Key("GlobalSecondaryIndexes");
  json.BeginArray();
  for (const table::IndexSchema& index : schema->indexes()) {
    if (!index.is_global()) continue;
    json.BeginObject();
    json.Member("IndexName", index.def->name);
    WritePartitions(json, *index.partitions);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace armature::api
