// RowBlocks: the memory of one memtable's rows, taken from the system in blocks and given back as a whole.
//
// A skip list of tens of megabytes is searched by steps to another page each time: with 4 KiB pages (two translations
// of each, in a virtual machine) the page walks were a tenth of a PutItem. So large blocks lie on huge pages where the
// kernel gives them to those who ask. The first block is small and each is as large as all before it, up to the
// largest: a memtable of few rows costs little.
//
// A row is placed in its cache line as the list wants it; what lies between two rows is all that is lost.
//
// Allocate is the writer's alone; `used` and `held` may be read by any thread. When the system has no memory Allocate
// does as operator new does: asks the new-handler, and throws std::bad_alloc if there is none.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "storage/rocksdb/memtable/spare_blocks.h"

namespace armature::storage {

class RowBlocks {
 public:
  static constexpr size_t kCacheLine = 64;
  static constexpr size_t kHugePageBytes = size_t{2} << 20;
  static constexpr size_t kFirstBlockBytes = size_t{16} << 10;

  // No block is larger than `largest`, but for a row that needs more. `spare` may be null; else it lives longer.
  explicit RowBlocks(size_t largest, SpareBlocks* spare = nullptr);
  ~RowBlocks();
  RowBlocks(const RowBlocks&) = delete;
  RowBlocks& operator=(const RowBlocks&) = delete;

  // An address `place` bytes behind the beginning of a cache line; `front` bytes before it and `bytes` from it on are
  // the caller's until this object goes. REQUIRES: `place` < kCacheLine.
  char* Allocate(size_t front, size_t bytes, size_t place);

  size_t used() const { return used_.load(std::memory_order_relaxed); }  // by rows, with what is lost between them
  size_t held() const { return held_.load(std::memory_order_relaxed); }  // taken from the system

 private:
  struct Block {
    char* begin;
    size_t bytes;
  };

  char* AllocateElsewhere(size_t front, size_t bytes, size_t place);
  Block AddBlock(size_t bytes);

  const size_t largest_;
  SpareBlocks* const spare_;
  char* free_ = nullptr;  // in the current block
  char* end_ = nullptr;
  std::vector<Block> blocks_;
  std::atomic<size_t> used_{0};
  std::atomic<size_t> held_{0};
};

}  // namespace armature::storage
