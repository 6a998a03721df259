// What storage's tests share: waiting for operations, one-line reads and writes, directories that go away.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

#include "base/async.h"
#include "storage/engine.h"

namespace armature::storage {

inline Task<void> AwaitTask(Completion& done) { co_await done; }
inline void Await(Completion& done) {
  if (!done.finished()) RunBlocking(AwaitTask(done));
}

// Commits and waits until it is durable.
inline Status CommitAndWait(Engine& engine, const Batch& batch, PartitionId partition = kSystemPartition,
                            Epoch epoch = 0) {
  CommitOp op;
  op.partition = partition, op.epoch = epoch, op.batch = &batch;
  engine.Commit(op);
  Await(op.done);
  if (!op.status.ok()) return op.status;
  DurableOp durable;
  durable.sequence = op.sequence;
  engine.WhenDurable(durable);
  Await(durable.done);
  return durable.status;
}

inline Status PutAndWait(Engine& engine, std::string_view key, std::string_view value) {
  Batch batch;
  batch.Put(key, value);
  return CommitAndWait(engine, batch);
}

// The value, `absent`, or the name of the error.
inline std::string GetOr(Engine& engine, std::string_view key, std::string_view absent, ReadAt at = {}) {
  GetOp op;
  op.key = key, op.at = at;
  engine.Get(op);
  Await(op.done);
  if (!op.status.ok()) return op.status.ToString();
  return op.found ? op.value : std::string(absent);
}

inline ScanOp& RunScan(Engine& engine, ScanOp& op) {
  engine.Scan(op);
  Await(op.done);
  return op;
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "armature-storage-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace armature::storage
