// TtlSetup: turns Time to Live on and off for live tables.
//
// From the moment UpdateTimeToLive has stored ENABLING every write keeps expiry rows. What is left to do is making
// those of the items that were there before, in portions, each item under its own latch; then TTL is ENABLED. DISABLING
// writes keep none any more: the rows go in one range, then TTL is DISABLED. How portions take turns, what happens
// after a crash and who drives this: portioned_job.h.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/metrics.h"
#include "table/write/write_path.h"
#include "workers/portioned_job.h"

namespace armature::workers {

struct TtlWork : TableWalk {
  model::TtlStatus status = model::TtlStatus::kDisabled;  // what this is the work of
  bool has_begun = false;                                 // no write under the older definition runs any more
  bool is_done = false;                                   // only the state is left to change
};

class TtlSetup final : public PortionedJob<TtlWork> {
 public:
  // How many items are looked at in one go: the first portion is part of the reply, later ones are for readers not to
  // feel.
  struct Portions {
    size_t first = 500;
    size_t later = 50;
  };

  TtlSetup(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
           Metrics& metrics);
  TtlSetup(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
           Metrics& metrics, Portions portions);

 private:
  bool MakesWork(const model::TableDef& before, const model::TableDef& after) const override;
  std::optional<TtlWork> FindWork(const std::shared_ptr<table::Table>& table) const override;
  Task<Status> TakeRecord(std::string_view key, std::string_view record) override;
  Task<Result<Pause>> Advance(TtlWork& work) override;

  Task<Status> Enable(TtlWork& work);
  Task<Status> Disable(TtlWork& work);
  Task<Status> ChangeStatus(const TtlWork& work, model::TtlStatus status);
  Task<Status> Record(const TtlWork& work);
  Task<Status> Forget(uint64_t table_id);

  const Clock& clock_;
  table::WritePath& writes_;
  const Portions portions_;
  Counter& items_read_;
};

}  // namespace armature::workers
