#include "storage/rocksdb/memtable/linked_memtable.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rocksdb/memtablerep.h>
#include <rocksdb/slice.h>
#include <rocksdb/write_buffer_manager.h>

#include "base/log.h"
#include "storage/rocksdb/memtable/row_blocks.h"
#include "storage/rocksdb/memtable/row_list.h"
#include "storage/rocksdb/memtable/spare_blocks.h"

namespace armature::storage {
namespace {

// RocksDB's write thread hands a memtable from writer to writer by atomics that ThreadSanitizer does not see: Debian's
// build has none of its instrumentation. In its builds writers meet here as well, so that it judges the rest.
class WritersMeet {
 public:
#if defined(ARMATURE_THREAD_SANITIZER)
  void Begin() { static_cast<void>(writes_.load(std::memory_order_acquire)); }
  void End() { writes_.fetch_add(1, std::memory_order_release); }

 private:
  std::atomic<uint64_t> writes_{0};
#else
  void Begin() {}
  void End() {}
#endif
};

class LinkedMemtable final : public rocksdb::MemTableRep {
 public:
  LinkedMemtable(size_t largest_block, std::shared_ptr<SpareBlocks> spare,
                 std::shared_ptr<rocksdb::WriteBufferManager> budget)
      : MemTableRep(nullptr),
        budget_(std::move(budget)),
        spare_(std::move(spare)),
        blocks_(largest_block, spare_.get()),
        list_(blocks_) {
    ChargeBlocks();
  }
  ~LinkedMemtable() override {
    writers_.Begin();
    MarkReadOnly();
    if (budget_) budget_->FreeMem(charged_);
  }

  rocksdb::KeyHandle Allocate(size_t bytes, char** entry) override {
    writers_.Begin();
    RowList::Row* const row = list_.Allocate(bytes);
    if (blocks_.held() != charged_) ChargeBlocks();
    *entry = row->entry();
    return row;
  }
  void Insert(rocksdb::KeyHandle handle) override {
    list_.Insert(static_cast<RowList::Row*>(handle));
    writers_.End();
  }
  bool Contains(const char* entry) const override { return list_.Contains(RowKey::OfEntry(entry)); }

  // By this RocksDB decides when the memtable is full: what the rows take, not the room still free in the last block.
  size_t ApproximateMemoryUsage() override { return blocks_.used(); }

  // No more rows from here on: what is charged will be given back with the flush, which therefore need not be hurried.
  void MarkReadOnly() override {
    writers_.Begin();
    if (std::exchange(is_read_only_, true) || !budget_) return;
    budget_->ScheduleFreeMem(charged_);
    writers_.End();
  }

  Iterator* GetIterator(rocksdb::Arena* arena) override;
  Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override;

 private:
  // As RocksDB's arena does for the memtables that have their rows there.
  void ChargeBlocks() {
    const size_t more = blocks_.held() - charged_;
    charged_ += more;
    if (budget_) budget_->ReserveMem(more);
  }

  const std::shared_ptr<rocksdb::WriteBufferManager> budget_;  // may be null
  size_t charged_ = 0;                                         // the writer's
  bool is_read_only_ = false;
  [[no_unique_address]] WritersMeet writers_;
  const std::shared_ptr<SpareBlocks> spare_;
  RowBlocks blocks_;
  RowList list_;
};

class Cursor : public rocksdb::MemTableRep::Iterator {
 public:
  explicit Cursor(const RowList& list) : list_(list) {}

  bool Valid() const final { return row_ != nullptr; }
  const char* key() const final { return row_->entry(); }
  void Next() final { row_ = RowList::Next(row_); }
  void Prev() final { row_ = list_.Previous(row_); }
  void Seek(const rocksdb::Slice& internal_key, const char* entry) final {
    row_ = list_.AtOrAfter(KeyOf(internal_key, entry));
  }
  void SeekForPrev(const rocksdb::Slice& internal_key, const char* entry) final {
    row_ = list_.AtOrBefore(KeyOf(internal_key, entry));
  }
  void SeekToFirst() final { row_ = list_.First(); }
  void SeekToLast() final { row_ = list_.Last(); }

 private:
  static RowKey KeyOf(const rocksdb::Slice& internal_key, const char* entry) {
    return entry != nullptr ? RowKey::OfEntry(entry) : RowKey::OfInternal(internal_key.data(), internal_key.size());
  }

  const RowList& list_;
  const RowList::Row* row_ = nullptr;
};

// RocksDB destroys a cursor made "in an arena" without freeing it, and gives no access to the arena's type; so a
// cursor's destructor hands its memory back itself, to the next cursor of the thread.
class CursorMemory {
 public:
  ~CursorMemory() { Keep(0); }
  void* Take(size_t bytes) {
    if (kept_.empty()) return ::operator new(bytes);
    void* const memory = kept_.back();
    kept_.pop_back();
    Keep(kMostKept);
    return memory;
  }
  // Called while what lies there is being destroyed, so nothing is freed yet.
  void Return(void* memory) { kept_.push_back(memory); }

 private:
  static constexpr size_t kMostKept = 32;

  void Keep(size_t most) {
    for (; kept_.size() > most; kept_.pop_back()) ::operator delete(kept_.back());
  }

  std::vector<void*> kept_;
};
thread_local CursorMemory cursor_memory;

class ReadersCursor final : public Cursor {
 public:
  using Cursor::Cursor;
  ~ReadersCursor() override { cursor_memory.Return(this); }
  static void* operator new(size_t bytes) { return cursor_memory.Take(bytes); }
  static void operator delete(void*) {}  // done by the destructor
};

// RocksDB's Get asks for a cursor, uses it at once, and (7.8) forgets to delete it. So there is one for each thread,
// which may be deleted or not.
class LookUpCursor final : public Cursor {
 public:
  using Cursor::Cursor;
  static void* operator new(size_t, void* memory) { return memory; }
  static void operator delete(void*) {}
  static void operator delete(void*, void*) {}
};

rocksdb::MemTableRep::Iterator* LinkedMemtable::GetIterator(rocksdb::Arena*) { return new ReadersCursor(list_); }

// Asked for by Get and, where there is a prefix extractor, by iterators, of which a thread may have several at a time.
// There is none: the factory sees to it.
rocksdb::MemTableRep::Iterator* LinkedMemtable::GetDynamicPrefixIterator(rocksdb::Arena*) {
  alignas(LookUpCursor) thread_local std::byte memory[sizeof(LookUpCursor)];
  return new (memory) LookUpCursor(list_);
}

// An entry of a memtable without a value.
std::string EntryOf(std::string_view key, uint64_t sequence) {
  std::string entry(1, static_cast<char>(key.size() + sizeof(uint64_t)));
  entry += key;
  const uint64_t packed = sequence << 8 | 1;
  entry.append(reinterpret_cast<const char*>(&packed), sizeof(packed));
  return entry;
}

// Whether RocksDB orders rows as RowList does. Its comparator cannot be asked for its name here, but can be tried.
bool IsBytewise(const rocksdb::MemTableRep::KeyComparator& order) {
  const std::string ascending[] = {EntryOf("", 1),          EntryOf("a", 9),     EntryOf("a", 8),
                                   EntryOf("ab", 1),        EntryOf("b", 300),   EntryOf("b", 2),
                                   EntryOf("bbbbbbbbb", 1), EntryOf("b\x7f", 1), EntryOf("b\x80", 1),
                                   EntryOf("b\xff", 1),     EntryOf("\xff", 1)};
  const std::string* last = nullptr;
  for (const std::string& entry : ascending) {
    if (last && (order(last->data(), entry.data()) >= 0 || order(entry.data(), last->data()) <= 0)) return false;
    last = &entry;
  }
  return true;
}

class LinkedMemtableFactory final : public rocksdb::MemTableRepFactory {
 public:
  LinkedMemtableFactory(size_t largest_block, size_t spare_bytes, std::shared_ptr<rocksdb::WriteBufferManager> budget)
      : largest_block_(largest_block), spare_(std::make_shared<SpareBlocks>(spare_bytes)), budget_(std::move(budget)) {}

  const char* Name() const override { return "ArmatureLinkedMemtable"; }
  using MemTableRepFactory::CreateMemTableRep;
  rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator& order,
                                          rocksdb::Allocator* allocator, const rocksdb::SliceTransform* prefixes,
                                          rocksdb::Logger* logger) override {
    if (prefixes == nullptr && IsBytewise(order)) return new LinkedMemtable(largest_block_, spare_, budget_);
    // Somebody has changed the options without looking here. Slower, but right.
    LogError("storage: the linked memtable knows {}; RocksDB's own is used instead",
             prefixes ? "no prefix extractor" : "no comparator but the bytewise one");
    return rocksdb::SkipListFactory().CreateMemTableRep(order, allocator, prefixes, logger);
  }

 private:
  const size_t largest_block_;
  const std::shared_ptr<SpareBlocks> spare_;
  const std::shared_ptr<rocksdb::WriteBufferManager> budget_;
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> MakeLinkedMemtables(size_t largest_block, size_t spare_bytes,
                                                                 std::shared_ptr<rocksdb::WriteBufferManager> budget) {
  return std::make_shared<LinkedMemtableFactory>(largest_block, spare_bytes, std::move(budget));
}

}  // namespace armature::storage
