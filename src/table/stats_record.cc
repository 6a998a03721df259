#include "table/stats_record.h"

#include "base/bytes.h"

namespace armature::table {

namespace {
constexpr uint8_t kVersion = 1;

void AppendStats(const RowStats& stats, std::string& out) {
  AppendBigEndian(out, static_cast<uint64_t>(stats.item_count.load()));
  AppendBigEndian(out, static_cast<uint64_t>(stats.size_bytes.load()));
}

void ReadStats(ByteReader& reader, RowStats& stats) {
  stats.item_count = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  stats.size_bytes = static_cast<int64_t>(reader.BigEndian<uint64_t>());
}
}  // namespace

std::string EncodeStats(Table& table) {
  const auto schema = table.schema();
  std::string record;
  AppendByte(record, kVersion);
  AppendStats(table.stats(), record);
  AppendVarint(record, schema->indexes().size());
  for (const auto& index : schema->indexes()) {
    AppendVarint(record, index.def->id);
    AppendStats(*index.stats, record);
  }
  return record;
}

bool DecodeStats(std::string_view record, Table& table) {
  ByteReader reader(record);
  if (reader.Byte() != kVersion) return false;
  ReadStats(reader, table.stats());
  const auto schema = table.schema();
  for (uint64_t left = reader.Varint(); left > 0 && reader.ok(); --left) {
    const uint64_t id = reader.Varint();
    RowStats unknown;
    RowStats* stats = &unknown;
    for (const auto& index : schema->indexes())
      if (index.def->id == id) stats = index.stats.get();
    ReadStats(reader, *stats);
  }
  return reader.ok();
}

}  // namespace armature::table
