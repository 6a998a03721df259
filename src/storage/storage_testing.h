// What storage's tests share: waiting for operations, one-line reads and writes, directories that go away.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
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
inline Status CommitAndWait(Engine& engine, const Batch& batch, OpenPartition* partition = nullptr) {
  CommitOp op;
  op.partition = partition ? partition : &engine.system(), op.batch = &batch;
  engine.Commit(op);
  Await(op.done);
  if (!op.status.ok()) return op.status;
  DurableOp durable;
  durable.partition = op.partition, durable.mark = op.mark;
  engine.WhenDurable(durable);
  Await(durable.done);
  return durable.status;
}

inline Status PutAndWait(Engine& engine, std::string_view key, std::string_view value,
                         OpenPartition* partition = nullptr) {
  Batch batch;
  batch.Put(key, value);
  return CommitAndWait(engine, batch, partition);
}

// The value, `absent`, or the name of the error.
inline std::string GetOr(Engine& engine, std::string_view key, std::string_view absent, ReadAt at = {},
                         const OpenPartition* partition = nullptr) {
  GetOp op;
  op.partition = partition ? partition : &engine.system(), op.key = key, op.at = at;
  engine.Get(op);
  Await(op.done);
  if (!op.status.ok()) return op.status.ToString();
  return op.found ? op.value : std::string(absent);
}

// In the system partition, unless `op` names another.
inline ScanOp& RunScan(Engine& engine, ScanOp& op) {
  if (!op.partition) op.partition = &engine.system();
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

// What a crash of the process leaves of the store at `from`: the files as they are, without Close. Files come and go in
// the background, so the copy is taken again until none did; a log may still be cut to its contents meanwhile, which is
// no harm. In the order of their names: SYNCED speaks of the files in db/, so its copy must be older than theirs.
inline void CopyAsIfKilled(const std::filesystem::path& from, const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  const auto files = [&from] {
    std::set<fs::path> names;
    for (const auto& entry : fs::recursive_directory_iterator(from))
      if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(from));
    return names;
  };
  std::set<fs::path> before;
  do {
    fs::remove_all(to);
    before = files();
    for (const fs::path& file : before) {
      fs::create_directories((to / file).parent_path());
      std::ifstream source(from / file, std::ios::binary);
      std::ofstream(to / file, std::ios::binary) << source.rdbuf();
    }
  } while (files() != before);
}

}  // namespace armature::storage
