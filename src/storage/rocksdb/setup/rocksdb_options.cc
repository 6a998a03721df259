#include "storage/rocksdb/setup/rocksdb_options.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>
#include <sys/resource.h>

#include "base/log.h"
#include "storage/rocksdb/cache/block_allocator.h"
#include "storage/rocksdb/memtable/linked_memtable.h"
#include "storage/rocksdb/memtable/row_blocks.h"

namespace armature::storage {
namespace {

constexpr int kLevels = 7;
// Beside rows, which have blocks of their own, a memtable's arena holds its filter and range deletions. RocksDB lets a
// memtable stop this much short of its size.
constexpr size_t kLargestArenaBlock = size_t{64} << 10;

// RocksDB's errors become warnings of our own log, its warnings debug lines; it keeps no LOG file of its own.
class LogBridge final : public rocksdb::Logger {
 public:
  LogBridge() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  void LogHeader(const char*, va_list) override {}
  void Logv(const char* format, va_list arguments) override {
    Logv(rocksdb::InfoLogLevel::WARN_LEVEL, format, arguments);
  }
  void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < rocksdb::InfoLogLevel::WARN_LEVEL || level >= rocksdb::InfoLogLevel::HEADER_LEVEL) return;
    char line[512];
    std::vsnprintf(line, sizeof line, format, arguments);
    std::string_view text = line;
    while (text.ends_with('\n')) text.remove_suffix(1);
    Log(level == rocksdb::InfoLogLevel::WARN_LEVEL ? LogLevel::kDebug : LogLevel::kWarn, "rocksdb: {}", text);
  }
};

size_t WriteBufferBytes(const RocksDbOptions& options) {
  if (options.write_buffer_bytes != 0) return options.write_buffer_bytes;
  return std::clamp(options.memory_bytes / 8, size_t{1} << 20, size_t{64} << 20);
}

// All files open when descriptors allow it (no look-up per read), otherwise a cache that takes half of them: a table
// has two (table_file.h).
int MaxOpenFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= 65536) return -1;
  return static_cast<int>(std::max<rlim_t>(limit.rlim_cur / 4, 32));
}

bool IsCompressionSupported(rocksdb::CompressionType wanted) {
  const auto supported = rocksdb::GetSupportedCompressions();
  return std::find(supported.begin(), supported.end(), wanted) != supported.end();
}

rocksdb::BlockBasedTableOptions MakeTableOptions(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 4096;  // a get reads, checks and unpacks one block: small ones cost less
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.whole_key_filtering = true;
  // A get finds its restart point by hash and reads on from there: with sixteen rows in a block, the default
  // interval of sixteen would make that half the block.
  table.block_restart_interval = 4;
  table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  // Filters and indexes live in the cache, so that memory stays bounded however large the data grows.
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  // … and are pinned there as long as their file is open: about four bytes an item, charged to the cache, for not
  // looking them up again on every level of every get.
  table.metadata_cache_options.unpartitioned_pinning = rocksdb::PinningTier::kAll;
  return table;
}

void SetMemtables(const RocksDbOptions& options, const std::shared_ptr<rocksdb::Cache>& cache,
                  rocksdb::Options& result) {
  const size_t write_buffer = WriteBufferBytes(options);
  const size_t block = std::min(RowBlocks::kHugePageBytes, write_buffer / 8);
  result.write_buffer_size = write_buffer;
  result.max_write_buffer_number = 3;
  result.write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(3 * write_buffer, cache);
  result.allow_concurrent_memtable_write = false;  // which ours does not know; a group's writes are few and quick
  result.memtable_whole_key_filtering = true;
  result.memtable_prefix_bloom_size_ratio = 0.01;
  if (options.memtable == MemtableKind::kStock) {
    result.arena_block_size = block;
  } else {
    result.memtable_factory = MakeLinkedMemtables(block, write_buffer, result.write_buffer_manager);
    result.arena_block_size = std::min(kLargestArenaBlock, block);
  }
}

}  // namespace

std::shared_ptr<rocksdb::Cache> MakeBlockCache(const RocksDbOptions& options) {
  rocksdb::LRUCacheOptions cache;
  cache.capacity = options.memory_bytes;
  cache.num_shard_bits = 4;
  cache.high_pri_pool_ratio = 0.3;
  cache.memory_allocator = std::make_shared<BlockAllocator>(options.memory_bytes);
  return rocksdb::NewLRUCache(cache);
}

rocksdb::Options MakeRocksDbOptions(const RocksDbOptions& options, rocksdb::Env* env,
                                    const std::shared_ptr<rocksdb::Cache>& cache) {
  const size_t write_buffer = WriteBufferBytes(options);
  rocksdb::Options result;
  result.env = env;
  result.create_if_missing = true;
  result.info_log = std::make_shared<LogBridge>();
  result.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  result.stats_dump_period_sec = 0;
  result.stats_persist_period_sec = 0;
  result.skip_stats_update_on_db_open = true;
  result.max_open_files = MaxOpenFiles();
  result.max_file_opening_threads = 2;
  result.manifest_preallocation_size = 64
                                       << 10;  // each opening begins one: 4 MiB would have to be found and given back
  result.max_background_jobs = options.background_jobs;

  // Only with kFsync may records wait in this process: there nobody is told before the syncer has written them.
  result.manual_wal_flush = options.durability == Durability::kFsync;
  result.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;

  SetMemtables(options, cache, result);

  result.level_compaction_dynamic_level_bytes = true;
  result.max_bytes_for_level_base = 4 * write_buffer;
  result.target_file_size_base = write_buffer;
  result.bytes_per_sync = 1 << 20;  // no burst of dirty pages that an fsync of the WAL would have to wait behind
  result.compression = rocksdb::kNoCompression;
  if (IsCompressionSupported(rocksdb::kLZ4Compression)) {
    result.compression_per_level.assign(kLevels, rocksdb::kLZ4Compression);
    result.compression_per_level[0] = result.compression_per_level[1] = rocksdb::kNoCompression;
  }
  result.table_factory.reset(rocksdb::NewBlockBasedTableFactory(MakeTableOptions(cache)));
  return result;
}

}  // namespace armature::storage
