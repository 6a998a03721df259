#include "table/read/read_path.h"

#include "base/log.h"
#include "table/keys/key_layout.h"

namespace armature::table {

namespace {
model::ApiError ReadError(const Table& table, const Status& status) {
  LogError("table {}: read failed: {}", table.def()->name, status.ToString());
  return model::FromStatus(status);
}
}  // namespace

ReadView ReadPath::ViewFor(bool is_consistent) const {
  ReadView view;
  if (is_consistent || !lagged_) return view;
  view.snapshot = lagged_->Current();
  view.at.snapshot = view.snapshot.get();
  return view;
}

Task<model::ApiResult<void>> ReadPath::Get(ItemRead& read) const {
  const Table& table = *read.table;
  AppendItemKey(table.key_schema(), read.key, read.storage_key_);
  read.read_.partition = &table.partition().handle();
  read.read_.key = read.storage_key_;
  read.read_.at = read.at;
  engine_.Get(read.read_);
  co_await read.read_.done;
  if (!read.read_.status.ok()) co_return ReadError(table, read.read_.status);
  read.found = read.read_.found;
  co_return model::ApiResult<void>{};
}

Task<model::ApiResult<void>> ReadPath::GetMany(ItemsRead& read) const {
  const Table& table = *read.table;
  read.storage_keys_.resize(read.keys.size());
  for (size_t i = 0; i < read.keys.size(); ++i) {
    AppendItemKey(table.key_schema(), read.keys[i], read.storage_keys_[i]);
    read.views_.emplace_back(read.storage_keys_[i]);
  }
  read.read_.partition = &table.partition().handle();
  read.read_.keys = read.views_;
  read.read_.at = read.at;
  engine_.MultiGet(read.read_);
  co_await read.read_.done;
  if (!read.read_.status.ok()) co_return ReadError(table, read.read_.status);
  co_return model::ApiResult<void>{};
}

}  // namespace armature::table
