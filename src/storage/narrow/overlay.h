// Overlay: the commits of one partition that are ordered and not yet durable, and the rows they make.
//
// A reader at View::kLatest looks here first and then into the engine below. Commits leave at the front, when they have
// become durable, or at the back, when they are lost. What was taken from commits() stays in its place until it leaves.
// Not thread-safe: guarded by whoever owns it.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "storage/engine.h"

namespace armature::storage {

struct OrderedCommit {
  Batch batch;
  Sequence before = 0;    // the partition's newest number when it was ordered
  Sequence sequence = 0;  // the last number it took
  Mark mark = 0;
  // What becomes of it is in doubt when it should become durable: it is done, or it is not.
  std::optional<bool> doubt;
};

class Overlay {
 public:
  struct Row {
    std::optional<std::string> value;  // none: deleted
    Mark mark = 0;                     // of the commit that wrote it last
  };
  using Rows = std::map<std::string, Row, std::less<>>;

  bool empty() const { return commits_.empty(); }
  size_t size() const { return commits_.size(); }
  const std::deque<OrderedCommit>& commits() const { return commits_; }
  const Rows& rows() const { return rows_; }
  // Null: not written by any of the commits.
  const Row* Find(std::string_view key) const;

  void Add(OrderedCommit commit);
  // REQUIRES: as many are there. They are in the engine below.
  void RemoveFirst(size_t count);
  // Only the first `count` stay, and none of them is in doubt any more.
  void Keep(size_t count);

 private:
  void Apply(const OrderedCommit& commit);

  std::deque<OrderedCommit> commits_;
  Rows rows_;
};

// Fill `op` without finishing it: what the engine below has through its handle `inner`, under what the overlay has if
// there is one. The handle and the keys have been checked.
void ReadOver(const Overlay* overlay, Engine& engine, const OpenPartition& inner, GetOp& op);
void ReadOver(const Overlay* overlay, Engine& engine, const OpenPartition& inner, MultiGetOp& op);
void ReadOver(const Overlay* overlay, Engine& engine, const OpenPartition& inner, ScanOp& op);

// Waits on the calling thread.
void WaitFor(Completion& done);

}  // namespace armature::storage
