// What can be chosen about the RocksDB engine, and how it is turned into RocksDB's own options.
//
// Plain values. The server fills RocksDbOptions from flags; only this folder sees RocksDB's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace rocksdb {
class Cache;
class Env;
struct Options;
}  // namespace rocksdb

namespace armature::storage {

class DataKeys;

// What an acknowledgement (a finished WhenDurable) means.
enum class Durability {
  // On stable storage: survives power loss. Readers see nothing else.
  kFsync,
  // Handed to the operating system: survives kill -9 and a crash of the server, but power loss or a crash of
  // the machine may take the last `interval_millis` of acknowledged writes. Synced in the background.
  kInterval,
  // The same, and never synced on purpose: the operating system writes back when it likes (often 30 s).
  kNone,
};

// The list of the rows in memory.
enum class MemtableKind {
  kLinked,  // ours: memtable/linked_memtable.h
  kStock,   // RocksDB's own, to compare with and to fall back to
};

struct RocksDbOptions {
  std::string directory;
  Durability durability = Durability::kFsync;
  int64_t interval_millis = 1000;  // for kInterval

  // The bound on what the engine keeps in memory: blocks, filters, indexes and memtables together.
  size_t memory_bytes = size_t{512} << 20;
  // One memtable; 0 chooses an eighth of memory_bytes, at most 64 MiB.
  size_t write_buffer_bytes = 0;
  MemtableKind memtable = MemtableKind::kLinked;
  int background_jobs = 2;

  // What files are encrypted with; null: they are not.
  std::shared_ptr<DataKeys> data_keys{};

  // The operating system to run on; null = the real one. Tests inject faults here.
  rocksdb::Env* env = nullptr;
};

// `env` must outlive the database opened with the result.
rocksdb::Options MakeRocksDbOptions(const RocksDbOptions& options, rocksdb::Env* env,
                                    const std::shared_ptr<rocksdb::Cache>& cache);
std::shared_ptr<rocksdb::Cache> MakeBlockCache(const RocksDbOptions& options);

}  // namespace armature::storage
