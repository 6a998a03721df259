// IndexBackfill: builds and removes global indexes of live tables.
//
// An index is CREATING from the moment UpdateTable has stored it: from then on every write keeps it. What is left to do
// is entering the items that were there before, in portions, each item under its own latch, so that writers are neither
// blocked nor overtaken; then it is ACTIVE. A DELETING index is taken out of the definition, and its partitions go with
// it. How far an index has got is recorded before anything depends on it. How portions take turns, what happens after a
// crash and who drives this: portioned_job.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/metrics.h"
#include "table/write/write_path.h"
#include "workers/portioned_job.h"

namespace armature::workers {

// At most one index of a table is created or deleted at a time.
struct IndexWork : TableWalk {
  uint32_t index_id = 0;
  int64_t items_done = 0;
};

class IndexBackfill final : public PortionedJob<IndexWork> {
 public:
  static constexpr size_t kRowsPerPortion = 500;

  IndexBackfill(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
                Metrics& metrics, size_t rows_per_portion = kRowsPerPortion);

 private:
  // What the gauges read; outlives this object, because the Metrics may.
  struct Progress;

  bool MakesWork(const model::TableDef& before, const model::TableDef& after) const override;
  std::optional<IndexWork> FindWork(const std::shared_ptr<table::Table>& table) const override;
  Task<Status> TakeRecord(std::string_view key, std::string_view record) override;
  Task<Result<Pause>> Advance(IndexWork& work) override;
  // States are to last.
  bool StartsLater() const override { return catalog_.control_plane_delay_millis() != 0; }
  void ShowProgress() const override;

  Task<Result<Pause>> Build(IndexWork& work, const model::IndexDef& index);
  Task<Result<bool>> BuildPortion(IndexWork& work);
  Task<Result<Pause>> Remove(IndexWork& work, const model::IndexDef& index);

  Task<Status> ChangeIndex(const IndexWork& work, std::function<void(model::TableDef&, model::IndexDef&)> change);
  Task<Status> Record(const IndexWork& work);
  Task<Status> Forget(uint64_t table_id, uint32_t index_id);

  const Clock& clock_;
  table::WritePath& writes_;
  const size_t rows_per_portion_;
  Counter& items_read_;
  const std::shared_ptr<Progress> progress_;
};

}  // namespace armature::workers
