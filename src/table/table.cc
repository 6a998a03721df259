#include "table/table.h"

namespace armature::table {

Table::Table(std::shared_ptr<const model::TableDef> def, PartitionSet::List partitions,
             const IndexPartitions& of_indexes, const ThrottleRules& throttling)
    : id_(def->id),
      key_schema_(def->key_schema),
      partitions_(std::move(partitions)),
      throttling_(throttling),
      has_local_indexes_(TableSchema(def, nullptr).has_local_indexes()) {
  Publish(MakeSchema(std::move(def), of_indexes));
}

std::shared_ptr<const model::TableDef> Table::def() const { return schema()->shared_def(); }

std::shared_ptr<const TableSchema> Table::schema() const {
  MutexLock lock(mutex_);
  return schema_;
}

storage::RowCount Table::CountRows(const IndexSchema& index) const {
  if (!index.is_global()) return partitions_.CountRows(index.count_slot());
  // A definition that was made only to be shown may lack those of an index that is just being added.
  return index.partitions ? index.partitions->CountRows(index.count_slot()) : storage::RowCount{};
}

bool Table::AcceptsData(int64_t now_millis) const {
  return now_millis >= data_from_millis_.load(std::memory_order_acquire) &&
         now_millis < data_until_millis_.load(std::memory_order_acquire);
}

std::shared_ptr<const TableSchema> Table::MakeSchema(std::shared_ptr<const model::TableDef> def,
                                                     const IndexPartitions& of_new_indexes) const {
  const auto previous = schema();
  return std::make_shared<const TableSchema>(std::move(def), previous.get(), of_new_indexes);
}

void Table::Publish(std::shared_ptr<const TableSchema> schema) noexcept {
  using model::ResourceStatus;
  const model::TableDef& def = schema->def();
  // Data calls answer ResourceNotFound while a table is CREATING and as soon as it is DELETING.
  const bool is_awaited = def.status == ResourceStatus::kCreating && def.transition_due_millis > def.created_millis;
  data_from_millis_.store(is_awaited ? def.transition_due_millis : 0, std::memory_order_release);
  data_until_millis_.store(def.status == ResourceStatus::kDeleting ? 0 : INT64_MAX, std::memory_order_release);
  // What may be used changes at once, for the table and for each of its indexes.
  partitions_.throttle().Configure(throttling_, ResourceThrottle::SettingsOf(def.billing_mode, def));
  for (const IndexSchema& index : schema->indexes()) {
    if (index.is_global() && index.partitions)
      index.partitions->throttle().Configure(throttling_, ResourceThrottle::SettingsOf(def.billing_mode, *index.def));
  }
  MutexLock lock(mutex_);
  schema_.swap(schema);  // the old one goes, if at all, when the lock is free
}

}  // namespace armature::table
