#include "table/index/index_note.h"

#include <algorithm>

#include "base/bytes.h"

namespace armature::table {

namespace {
constexpr uint8_t kVersion = 1;
}  // namespace

void IndexNote::Add(uint32_t index_id, std::string_view row_key) {
  if (!Names(index_id, row_key)) rows.push_back({index_id, std::string(row_key)});
}

bool IndexNote::Names(uint32_t index_id, std::string_view row_key) const {
  const auto is_it = [&](const Row& row) { return row.index_id == index_id && row.key == row_key; };
  return std::any_of(rows.begin(), rows.end(), is_it);
}

std::string IndexNote::Encode() const {
  std::string bytes;
  AppendByte(bytes, kVersion);
  AppendBigEndian(bytes, partition_end);
  for (const Row& row : rows) {
    AppendBigEndian(bytes, row.index_id);
    AppendLengthPrefixed(bytes, row.key);
  }
  return bytes;
}

Result<IndexNote> IndexNote::Decode(std::string_view bytes) {
  IndexNote note;
  ByteReader reader(bytes);
  const bool is_known = reader.Byte() == kVersion;
  note.partition_end = reader.BigEndian<uint32_t>();
  while (reader.ok() && !reader.at_end()) {
    const auto index_id = reader.BigEndian<uint32_t>();
    note.rows.push_back({index_id, std::string(reader.LengthPrefixed())});
  }
  if (!is_known || !reader.ok()) return Status::Corruption("a note for global indexes is damaged");
  return note;
}

}  // namespace armature::table
