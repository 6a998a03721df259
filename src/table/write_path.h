// The one write path: read the old image, check the condition, make the new image, commit, wait until it is durable.
//
// Every change of an item goes through WritePath::Execute, whoever asks for it. It owns the latches; statistics, sizes for
// capacity and the images for ReturnValues are by-products left in the ItemWrite. Guarantees: a write that returns success
// is durable; one that returns an error changed nothing (or, after a storage failure, may have, as the error says);
// and what a failed condition reveals of an item is durable too. Thread-safe. Called by api/ and workers/; calls expr/ and storage/.
#pragma once

#include <atomic>
#include <string>

#include "base/arena.h"
#include "base/async.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/latches.h"
#include "table/table.h"

namespace armature::table {

// One write, used once.
struct ItemWrite {
  enum class Kind { kPut, kUpdate, kDelete };

  // in
  Kind kind = Kind::kPut;
  Table* table = nullptr;
  model::Item key;                                  // exactly the key attributes
  model::Item put_item;                             // of kPut: the whole new item
  size_t put_item_size = 0;                         // of kPut: ItemSize(put_item)
  const expr::BoundUpdate* update = nullptr;        // of kUpdate
  const expr::BoundCondition* condition = nullptr;  // null: none
  bool wants_old_image = false;                     // decode the old item even if nothing here needs it

  // out
  bool condition_held = true;
  bool old_exists = false;
  model::Item old_item;  // if it was decoded; lives as long as this object
  size_t old_size = 0;
  bool new_exists = false;
  model::Item new_item;
  size_t new_size = 0;

 private:
  friend class WritePath;
  std::string storage_key_;
  storage::GetOp read_;
  std::string record_;
};

class WritePath {
 public:
  explicit WritePath(storage::Engine& engine) : engine_(engine) {}

  // `arena` and everything `write` points to must outlive the outcome.
  Task<model::ApiResult<void>> Execute(ItemWrite& write, Arena& arena);

 private:
  model::ApiResult<void> DecodeOldImage(ItemWrite& write, Arena& arena) const;
  model::ApiResult<void> MakeNewImage(ItemWrite& write, Arena& arena) const;
  Task<model::ApiResult<void>> CommitNewImage(ItemWrite& write, storage::Sequence* sequence);
  Task<model::ApiResult<void>> AwaitDurable(storage::Sequence sequence);
  void CountChange(ItemWrite& write) const;

  storage::Engine& engine_;
  LatchTable latches_;
  // The newest commit of any item: whoever reveals latest state without writing waits for this one.
  std::atomic<storage::Sequence> last_committed_{0};
};

}  // namespace armature::table
