// WalkPortion: a walk over the items a table had before, some at a time, that makes rows for those that need one.
//
// A walk is its cursor: whoever stores that can go on with it after a crash. Items are read without a latch and made
// rows of under their own, so writers are neither blocked nor overtaken; an item written behind the cursor gets its row
// from that write. One portion of a walk at a time. Used by the workers that set something up on live tables.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/async.h"
#include "base/memory/arena.h"
#include "model/api_error.h"
#include "storage/engine.h"
#include "table/table.h"

namespace armature::workers {

struct TableWalk {
  std::shared_ptr<table::Table> table;
  std::string cursor;  // items before this key are done; empty: none is
};

struct Portion {
  size_t items = 0;  // read, whether they needed a row or not
  bool is_last = false;
};

using NeedsRow = std::function<bool(const model::Item& item)>;
using MakeRow = std::function<Task<model::ApiResult<void>>(const model::Item& key, Arena& arena)>;

// Moves the cursor behind the portion once all of it is done and durable. REQUIRES: the functions outlive the task.
Task<Result<Portion>> WalkPortion(storage::Engine& engine, TableWalk& walk, size_t most_items,
                                  const NeedsRow& needs_row, const MakeRow& make_row);

// An error of a write or of a change of the definition, for a worker that can only try again.
Status ToStatus(const model::ApiError& error);

}  // namespace armature::workers
