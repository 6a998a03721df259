// Tables: the tables of a server and the ways to read and write them.
//
// Stands on the Store. Load is called once, before anybody else is; KeepHouse by one thread at a time.
#pragma once

#include <optional>

#include "base/result.h"
#include "server/parts/options.h"
#include "server/parts/store.h"
#include "table/catalog.h"
#include "table/journal/journal.h"
#include "table/read/lagged_view.h"
#include "table/read/read_path.h"
#include "table/txn/token_store.h"
#include "table/write/write_path.h"
#include "workers/periodic.h"

namespace armature::server {

class Tables {
 public:
  Tables(const ServeOptions& options, Store& store);

  // Reads what the store has.
  Status Load();
  void Start();
  // What is due now and then: states of tables that pass, the journal, tokens that have expired.
  void KeepHouse();
  // The last of all to stop: nobody writes any more.
  void Stop();

  table::Catalog& catalog() { return catalog_; }
  table::Journal& journal() { return journal_; }
  const table::ReadPath& reads() const { return *reads_; }  // REQUIRES: loaded
  table::WritePath& writes() { return writes_; }
  table::TokenStore& tokens() { return tokens_; }

 private:
  void FollowIndexes();

  const ServeOptions& options_;
  Store& store_;
  const table::RunningClock throttle_clock_;
  table::Catalog catalog_;
  table::Journal journal_;
  std::optional<table::LaggedView> lagged_view_;
  std::optional<table::ReadPath> reads_;  // made by Load, once there is a view to read from
  table::WritePath writes_;
  table::TokenStore tokens_;

  std::optional<workers::Periodic> view_sampling_;
  std::optional<workers::Periodic> index_following_;  // where rows of global indexes follow their items
};

}  // namespace armature::server
