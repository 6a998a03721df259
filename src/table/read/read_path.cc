#include "table/read/read_path.h"

#include <algorithm>

#include "model/codec/item_codec.h"
#include "storage/engine_calls.h"
#include "table/capacity.h"
#include "table/keys/key_layout.h"
#include "table/storage_errors.h"
#include "table/throttle/throttle_error.h"

namespace armature::table {

ReadView ReadPath::ViewFor(bool is_consistent) const {
  ReadView view;
  if (is_consistent || !lagged_) return view;
  view.snapshot = lagged_->Current();
  view.at.snapshot = view.snapshot.get();
  return view;
}

namespace {
double UnitsOf(const ItemRead& read, size_t item_size) {
  return read.is_transacted ? kTransactionFactor * ReadUnits(item_size, true)
                            : ReadUnits(item_size, read.is_consistent);
}
}  // namespace

model::ApiError ReadPath::Refuse(const Table& table, Limit limit) {
  return ThrottleError(*table.def(), nullptr, Use::kRead, limit);
}

void ReadPath::AdmitEach(ItemsRead& read) {
  const Table& table = *read.table;
  ResourceThrottle& throttle = table.partitions().throttle();
  if (!throttle.limits(Use::kRead)) return;
  read.refused_.resize(read.keys.size());
  read.admissions_.resize(read.keys.size());
  for (size_t i = 0; i < read.keys.size(); ++i) {
    const auto partition = table.partitions().Find(HashOfItemKey(read.storage_keys_[i]));
    const Limit limit =
        throttle.Admit(Use::kRead, ReadUnits(0, read.is_consistent), partition->ceilings(), read.admissions_[i]);
    if (limit == Limit::kNone) continue;
    read.refused_[i] = true;
    if (!read.refusal) read.refusal = Refuse(table, limit);
  }
}

void ReadPath::Charge(ItemRead& read) {
  const size_t item_size = read.found ? model::PeekItemSize(read.record()) : 0;
  read.read_units = UnitsOf(read, item_size);
  read.partition_->meter().AddRead(read.read_units);
  read.admission_.Settle(read.read_units);
}

// Each item by itself; what stands together in one partition is counted at once.
void ReadPath::Charge(ItemsRead& read) {
  double units = 0;
  Meter* meter = nullptr;  // of `units`
  const auto count = [&] {
    if (meter) meter->AddRead(units);
    read.read_units += units;
    units = 0;
  };
  for (; read.taken < read.keys.size(); ++read.taken) {
    const size_t i = read.taken;
    if (read.is_refused(i)) continue;
    const size_t item_size = read.found(i) ? model::PeekItemSize(read.record(i)) : 0;
    if (item_size > read.room_bytes - read.item_bytes) break;
    read.item_bytes += item_size;
    if (read.meters_[i] != meter) count();
    meter = read.meters_[i];
    const double of_item = ReadUnits(item_size, read.is_consistent);
    units += of_item;
    if (!read.admissions_.empty()) read.admissions_[i].Settle(of_item);
  }
  count();
}

Task<model::ApiResult<void>> ReadPath::Get(ItemRead& read) const {
  const Table& table = *read.table;
  AppendItemKey(table.key_schema(), read.key, read.storage_key_);
  const uint64_t hash = HashOfItemKey(read.storage_key_);
  read.partition_ = table.partitions().Find(hash);
  if (table.partitions().throttle().limits(Use::kRead)) [[unlikely]] {
    const Limit limit =
        table.partitions().throttle().Admit(Use::kRead, UnitsOf(read, 0), read.partition_->ceilings(), read.admission_);
    if (limit != Limit::kNone) co_return Refuse(table, limit);
  }
  read.read_.partition = &read.partition_->handle();
  read.read_.key = read.storage_key_;
  read.read_.at = read.at;
  engine_.Get(read.read_);
  co_await read.read_.done;
  while (read.read_.status.code() == StatusCode::kFenced) {
    read.read_.status = co_await table.partitions().LookAgain(engine_, read.partition_);
    if (!read.read_.status.ok()) break;
    read.partition_ = table.partitions().Find(hash);
    auto value = co_await storage::GetValue(engine_, read.partition_->handle(), read.storage_key_, read.at);
    read.read_.status = value ? Status::Ok() : value.error();
    read.read_.found = value && *value;
    if (read.read_.found) read.read_.value = std::move(**value);
  }
  if (!read.read_.status.ok()) co_return ReadError(table, read.read_.status);
  read.found = read.read_.found;
  Charge(read);
  co_return model::ApiResult<void>{};
}

Task<Status> ReadPath::GetFrom(const Partition& partition, ItemsRead& read, std::span<const size_t> positions) const {
  std::vector<std::string_view> keys;
  keys.reserve(positions.size());
  for (const size_t position : positions) keys.emplace_back(read.storage_keys_[position]);
  storage::MultiGetOp get;
  get.partition = &partition.handle();
  get.keys = keys;
  get.at = read.at;
  if (Status status = co_await storage::Run(engine_, get); !status.ok()) co_return status;
  for (size_t i = 0; i < positions.size(); ++i) {
    read.entries_[positions[i]] = std::move(get.entries[i]);
    read.meters_[positions[i]] = &partition.meter();
  }
  co_return Status::Ok();
}

// Partition by partition. What was read of one that then turns out to be dead is as true as any other read.
Task<model::ApiResult<void>> ReadPath::GetMany(ItemsRead& read) const {
  const Table& table = *read.table;
  read.storage_keys_.resize(read.keys.size());
  read.entries_.resize(read.keys.size());
  read.meters_.resize(read.keys.size());
  for (size_t i = 0; i < read.keys.size(); ++i) AppendItemKey(table.key_schema(), read.keys[i], read.storage_keys_[i]);
  AdmitEach(read);
  std::vector<size_t> left;
  left.reserve(read.keys.size());
  for (size_t i = 0; i < read.keys.size(); ++i)
    if (!read.is_refused(i)) left.push_back(i);
  while (!left.empty()) {
    const auto partition = table.partitions().Find(HashOfItemKey(read.storage_keys_[left.front()]));
    const auto behind = std::stable_partition(left.begin(), left.end(), [&](size_t i) {
      return !partition->hashes().Contains(HashOfItemKey(read.storage_keys_[i]));
    });
    Status status = co_await GetFrom(*partition, read, std::span(behind, left.end()));
    if (status.ok()) {
      read.partitions_.push_back(partition);
      left.erase(behind, left.end());
    } else if (status.code() == StatusCode::kFenced) {
      status = co_await table.partitions().LookAgain(engine_, partition);
    }
    if (!status.ok()) co_return ReadError(table, status);
  }
  Charge(read);
  co_return model::ApiResult<void>{};
}

}  // namespace armature::table
