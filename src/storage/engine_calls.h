// Engine operations as one co_await each: started, awaited, and turned into what the caller goes on with.
//
//   auto value = co_await storage::GetValue(engine, partition, key, {View::kLatest});
//   if (Status status = co_await storage::Run(engine, scan); !status.ok()) co_return status;  // rows are in `scan`
//   auto committed = co_await storage::CommitBatch(engine, partition, batch);
//   if (Status status = co_await storage::AwaitDurable(engine, partition, committed->mark); !status.ok()) …
//
// These are awaitables, not tasks: they cost no coroutine frame, and nothing suspends when the engine has finished
// before it returns. Each is awaited at once and lies in the caller's frame. What is passed by reference or view must
// be a named object: g++ 12 destroys a temporary twice when it is an argument within co_await, so temporary keys do not
// compile. A caller that keeps an operation longer than the call (its value is used in place) fills it and uses Run.
#pragma once

#include <coroutine>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/async.h"
#include "base/result.h"
#include "storage/engine.h"

namespace armature::storage {

// What became of a commit: the last number it took, and what to wait for until it is durable.
struct Committed {
  Sequence sequence = 0;
  Mark mark = 0;
};

namespace engine_calls {

inline void Start(Engine& engine, GetOp& op) { engine.Get(op); }
inline void Start(Engine& engine, MultiGetOp& op) { engine.MultiGet(op); }
inline void Start(Engine& engine, ScanOp& op) { engine.Scan(op); }
inline void Start(Engine& engine, CommitOp& op) { engine.Commit(op); }
inline void Start(Engine& engine, CommitManyOp& op) { engine.CommitMany(op); }
inline void Start(Engine& engine, DurableOp& op) { engine.WhenDurable(op); }

// An operation that somebody else keeps.
template <class Op>
class [[nodiscard]] Running {
 public:
  Running(Engine& engine, Op& op) : engine_(engine), op_(op) {}
  bool await_ready() {
    Start(engine_, op_);
    return op_.done.finished();
  }
  bool await_suspend(std::coroutine_handle<> caller) noexcept {
    return op_.done.operator co_await().await_suspend(caller);
  }
  const Status& await_resume() const noexcept { return op_.status; }

 private:
  Engine& engine_;
  Op& op_;
};

// An operation kept here until it is answered.
template <class Op>
class [[nodiscard]] Call {
 public:
  explicit Call(Engine& engine) : running_(engine, op_) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool await_ready() { return running_.await_ready(); }
  bool await_suspend(std::coroutine_handle<> caller) noexcept { return running_.await_suspend(caller); }

 protected:
  Op op_;
  Running<Op> running_;
};

class [[nodiscard]] Get final : public Call<GetOp> {
 public:
  Get(Engine& engine, const OpenPartition& partition, std::string_view key, ReadAt at) : Call(engine) {
    op_.partition = &partition, op_.key = key, op_.at = at;
  }
  Result<std::optional<std::string>> await_resume() {
    if (!op_.status.ok()) return std::move(op_.status);
    return op_.found ? std::optional(std::move(op_.value)) : std::nullopt;
  }
};

class [[nodiscard]] Commit final : public Call<CommitOp> {
 public:
  Commit(Engine& engine, OpenPartition& partition, const Batch& batch, Sequence* attempted)
      : Call(engine), attempted_(attempted) {
    op_.partition = &partition, op_.batch = &batch;
  }
  Result<Committed> await_resume() {
    if (!op_.status.ok()) {
      if (attempted_) *attempted_ = op_.sequence;
      return std::move(op_.status);
    }
    return Committed{op_.sequence, op_.mark};
  }

 private:
  Sequence* attempted_;
};

class [[nodiscard]] CommitMany final : public Call<CommitManyOp> {
 public:
  CommitMany(Engine& engine, std::span<CommitManyOp::Part> parts) : Call(engine) { op_.parts = parts; }
  Result<Mark> await_resume() {
    if (!op_.status.ok()) return std::move(op_.status);
    return op_.mark;
  }
};

class [[nodiscard]] Durable final : public Call<DurableOp> {
 public:
  Durable(Engine& engine, const OpenPartition& partition, Mark mark) : Call(engine) {
    op_.partition = &partition, op_.mark = mark;
  }
  Status await_resume() { return std::move(op_.status); }
};

}  // namespace engine_calls

// Starts `op`, whose inputs the caller has filled; gives its status when it is finished.
template <class Op>
engine_calls::Running<Op> Run(Engine& engine, Op& op) {
  return {engine, op};
}

// The value under `key`, nothing if there is none, or why that cannot be said.
inline engine_calls::Get GetValue(Engine& engine, const OpenPartition& partition, std::string_view key,
                                  ReadAt at = {}) {
  return {engine, partition, key, at};
}
engine_calls::Get GetValue(Engine&, const OpenPartition&, std::string&&, ReadAt = {}) = delete;

// `batch` and `parts` must live until it is finished. After kUnknown `attempted`, if given, has the number that tells
// what became of the commit (engine.h, Outcomes).
inline engine_calls::Commit CommitBatch(Engine& engine, OpenPartition& partition, const Batch& batch,
                                        Sequence* attempted = nullptr) {
  return {engine, partition, batch, attempted};
}
engine_calls::Commit CommitBatch(Engine&, OpenPartition&, Batch&&, Sequence* = nullptr) = delete;

inline engine_calls::CommitMany CommitParts(Engine& engine, std::span<CommitManyOp::Part> parts) {
  return {engine, parts};
}

// Finishes when the commit with this mark and all before it in the partition are durable, or says why they cannot be.
inline engine_calls::Durable AwaitDurable(Engine& engine, const OpenPartition& partition, Mark mark) {
  return {engine, partition, mark};
}

}  // namespace armature::storage
