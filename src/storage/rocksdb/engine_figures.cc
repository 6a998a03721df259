#include "storage/rocksdb/engine_figures.h"

namespace armature::storage {

void EngineFigures::Register(const std::shared_ptr<const EngineFigures>& figures, Metrics& metrics) {
  metrics.AddGauge("armature_engine_memory_bytes", "Memory the storage engine holds.",
                   [figures] { return static_cast<double>(figures->memory_bytes()); });
  metrics.AddGauge("armature_engine_disk_bytes", "Size of the storage engine's table files.",
                   [figures] { return static_cast<double>(figures->table_bytes()); });
}

void EngineFigures::Forget() {
  MutexLock lock(mutex_);
  db_ = nullptr;
}

uint64_t EngineFigures::Property(const std::string& name) const {
  uint64_t value = 0;
  return db_ && db_->GetIntProperty(name, &value) ? value : 0;
}

uint64_t EngineFigures::memory_bytes() const {
  MutexLock lock(mutex_);
  return db_ ? cache_->GetUsage() + Property("rocksdb.estimate-table-readers-mem") : 0;
}

uint64_t EngineFigures::table_bytes() const {
  MutexLock lock(mutex_);
  return Property("rocksdb.total-sst-files-size");
}

uint64_t EngineFigures::total_bytes() const {
  MutexLock lock(mutex_);
  return Property("rocksdb.total-sst-files-size") + Property("rocksdb.size-all-mem-tables");
}

}  // namespace armature::storage
