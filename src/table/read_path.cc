#include "table/read_path.h"

#include "base/log.h"
#include "table/key_layout.h"

namespace armature::table {

Task<model::ApiResult<void>> ReadPath::Get(ItemRead& read) const {
  const Table& table = *read.table;
  AppendItemKey(table.prefix(), table.key_schema(), read.key, read.storage_key_);
  read.read_.partition = table.partition();
  read.read_.key = read.storage_key_;
  read.read_.at.view = storage::View::kDurable;
  engine_.Get(read.read_);
  co_await read.read_.done;
  if (!read.read_.status.ok()) {
    LogError("table {}: read failed: {}", table.def()->name, read.read_.status.ToString());
    co_return model::FromStatus(read.read_.status);
  }
  read.found = read.read_.found;
  co_return model::ApiResult<void>{};
}

}  // namespace armature::table
