#include "storage/rocksdb/linked_memtable.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include <rocksdb/memtablerep.h>
#include <rocksdb/slice.h>

namespace armature::storage {
namespace {

constexpr int kMaxHeight = 12;
constexpr uint32_t kBranching = 4;  // one node in four is also on the next level

template <class Word>
Word Load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// A row's place in the order: the user's key, and the sequence number and kind packed behind it.
struct Key {
  const char* bytes = nullptr;
  size_t size = 0;
  uint64_t packed = 0;

  static Key OfInternal(const char* bytes, size_t size) {
    return {bytes, size - sizeof(uint64_t), Load<uint64_t>(bytes + size - sizeof(uint64_t))};
  }
  // As entries of a memtable start: the length as a varint, then the internal key.
  static Key OfEntry(const char* entry) {
    auto byte = static_cast<uint8_t>(*entry++);
    uint32_t size = byte & 0x7F;
    for (int shift = 7; byte & 0x80; shift += 7) {
      byte = static_cast<uint8_t>(*entry++);
      size |= static_cast<uint32_t>(byte & 0x7F) << shift;
    }
    return OfInternal(entry, size);
  }
};

bool IsBefore(const Key& a, const Key& b) {
  size_t left = std::min(a.size, b.size);
  const char* x = a.bytes;
  const char* y = b.bytes;
  // Most keys differ in their second word, which a call of memcmp would not reach before this has returned.
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), x += sizeof(uint64_t), y += sizeof(uint64_t)) {
    const auto p = Load<uint64_t>(x), q = Load<uint64_t>(y);
    if (p != q) return __builtin_bswap64(p) < __builtin_bswap64(q);
  }
  if (const int order = std::memcmp(x, y, left); order != 0) return order < 0;
  if (a.size != b.size) return a.size < b.size;
  return a.packed > b.packed;
}
static_assert(std::endian::native == std::endian::little, "words are swapped, and RocksDB stores `packed` as it is");

// In front of a node lie its links of the higher levels, behind it the entry. A search in a large list is all cache
// misses, so nodes lie in cache lines such that one miss brings the links of the lower levels and the part of the key
// in which most keys differ.
struct Node {
  std::atomic<Node*> next;      // of level 0
  std::atomic<Node*> previous;  // of level 0; the head of the list is a node too

  std::atomic<Node*>& Next(int level) { return *(&next - level); }
  const std::atomic<Node*>& Next(int level) const { return *(&next - level); }
  char* entry() { return reinterpret_cast<char*>(this + 1); }
  const char* entry() const { return reinterpret_cast<const char*>(this + 1); }
  Key key() const { return Key::OfEntry(entry()); }

  static size_t BytesInFront(int height) { return sizeof(std::atomic<Node*>) * static_cast<size_t>(height - 1); }
  static constexpr size_t kCacheLine = 64;
  static constexpr size_t kPlaceInLine = 3 * sizeof(std::atomic<Node*>);  // behind the links of three levels
};

class LinkedMemtable final : public rocksdb::MemTableRep {
 public:
  explicit LinkedMemtable(rocksdb::Allocator* allocator) : MemTableRep(allocator) {
    head_ = NewNode(kMaxHeight, 0);
    for (int level = 0; level < kMaxHeight; ++level) head_->Next(level).store(nullptr, std::memory_order_relaxed);
    last_.store(head_, std::memory_order_relaxed);
  }

  rocksdb::KeyHandle Allocate(size_t bytes, char** entry) override {
    const int height = RandomHeight();
    Node* const node = NewNode(height, bytes);
    // Kept where Insert will put the first link.
    node->next.store(reinterpret_cast<Node*>(static_cast<uintptr_t>(height)), std::memory_order_relaxed);
    *entry = node->entry();
    return node;
  }

  void Insert(rocksdb::KeyHandle handle) override {
    auto* const node = static_cast<Node*>(handle);
    const int height = static_cast<int>(reinterpret_cast<uintptr_t>(node->next.load(std::memory_order_relaxed)));
    std::array<Node*, kMaxHeight> before;
    const int known = height_.load(std::memory_order_relaxed);
    FindBefore(node->key(), known, before.data());
    for (int level = known; level < height; ++level) before[static_cast<size_t>(level)] = head_;
    if (height > known) height_.store(height, std::memory_order_relaxed);

    Node* const after = before[0]->next.load(std::memory_order_relaxed);
    node->previous.store(before[0], std::memory_order_relaxed);
    for (int level = 0; level < height; ++level) {
      Node* const left = before[static_cast<size_t>(level)];
      node->Next(level).store(left->Next(level).load(std::memory_order_relaxed), std::memory_order_relaxed);
      left->Next(level).store(node, std::memory_order_release);
    }
    (after != nullptr ? after->previous : last_).store(node, std::memory_order_release);
  }

  bool Contains(const char* entry) const override {
    const Key key = Key::OfEntry(entry);
    const Node* const node = FindAtOrAfter(key);
    return node != nullptr && !IsBefore(key, node->key());
  }

  size_t ApproximateMemoryUsage() override { return 0; }  // nothing beside the arena

  Iterator* GetIterator(rocksdb::Arena* arena) override;
  Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override;

 private:
  friend class Cursor;

  // In the arena, which gives no aligned memory through this interface.
  Node* NewNode(int height, size_t entry_bytes) {
    const size_t front = Node::BytesInFront(height);
    char* memory = nullptr;
    MemTableRep::Allocate(front + sizeof(Node) + entry_bytes + Node::kCacheLine - 1, &memory);
    const auto address = reinterpret_cast<uintptr_t>(memory) + front;
    memory += front + (Node::kPlaceInLine - address) % Node::kCacheLine;
    for (int level = 1; level < height; ++level) new (memory - Node::BytesInFront(level + 1)) std::atomic<Node*>;
    return new (memory) Node;
  }

  int RandomHeight() {
    // xorshift: heights need no better, and the writer is one thread.
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return std::min(kMaxHeight, 1 + std::countr_zero(random_ | (uint64_t{1} << 63)) / std::countr_zero(kBranching));
  }

  // Walks down to where `key` belongs. Tells `visit` the last node before it on each level, from the highest.
  template <class Visit>
  Node* Descend(const Key& key, int height, Visit visit) const {
    Node* node = head_;
    const Node* bound = nullptr;  // known not to be before `key`; often the next one on the level below too
    for (int level = height - 1;; --level) {
      for (Node* next = node->Next(level).load(std::memory_order_acquire); next != bound;) {
        // Whichever way it goes on from here.
        if (level > 0) __builtin_prefetch(node->Next(level - 1).load(std::memory_order_relaxed));
        Node* const later = next->Next(level).load(std::memory_order_acquire);
        __builtin_prefetch(later);
        if (!IsBefore(next->key(), key)) {
          bound = next;
          break;
        }
        node = next;
        next = later;
      }
      visit(level, node);
      if (level == 0) return node;
    }
  }

  void FindBefore(const Key& key, int height, Node** before) const {
    Descend(key, height, [before](int level, Node* node) { before[level] = node; });
  }
  Node* LastBefore(const Key& key) const {
    return Descend(key, height_.load(std::memory_order_relaxed), [](int, Node*) {});
  }
  const Node* FindAtOrAfter(const Key& key) const {
    // The next one may have been linked since the descent, and then is before `key` or newer than any reader.
    const Node* node = LastBefore(key)->next.load(std::memory_order_acquire);
    while (node != nullptr && IsBefore(node->key(), key)) node = node->next.load(std::memory_order_acquire);
    return node;
  }

  Node* head_ = nullptr;
  std::atomic<Node*> last_{nullptr};  // the head while there is none
  std::atomic<int> height_{1};
  uint64_t random_ = 0x9E3779B97F4A7C15;
};

class Cursor : public rocksdb::MemTableRep::Iterator {
 public:
  explicit Cursor(const LinkedMemtable& list) : list_(list) {}

  bool Valid() const final { return node_ != nullptr; }
  const char* key() const final { return node_->entry(); }
  void Next() final { node_ = node_->next.load(std::memory_order_acquire); }
  void Prev() final { Take(node_->previous.load(std::memory_order_acquire)); }
  void Seek(const rocksdb::Slice& internal_key, const char* entry) final {
    node_ = list_.FindAtOrAfter(KeyOf(internal_key, entry));
  }
  void SeekForPrev(const rocksdb::Slice& internal_key, const char* entry) final {
    const Key key = KeyOf(internal_key, entry);
    node_ = list_.FindAtOrAfter(key);
    if (node_ == nullptr) SeekToLast();
    while (node_ != nullptr && IsBefore(key, node_->key())) Prev();
  }
  void SeekToFirst() final { node_ = list_.head_->next.load(std::memory_order_acquire); }
  void SeekToLast() final { Take(list_.last_.load(std::memory_order_acquire)); }

 private:
  static Key KeyOf(const rocksdb::Slice& internal_key, const char* entry) {
    return entry != nullptr ? Key::OfEntry(entry) : Key::OfInternal(internal_key.data(), internal_key.size());
  }
  void Take(const Node* node) { node_ = node == list_.head_ ? nullptr : node; }

  const LinkedMemtable& list_;
  const Node* node_ = nullptr;
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

rocksdb::MemTableRep::Iterator* LinkedMemtable::GetIterator(rocksdb::Arena*) { return new ReadersCursor(*this); }

rocksdb::MemTableRep::Iterator* LinkedMemtable::GetDynamicPrefixIterator(rocksdb::Arena*) {
  alignas(LookUpCursor) thread_local std::byte memory[sizeof(LookUpCursor)];
  return new (memory) LookUpCursor(*this);
}

class LinkedMemtableFactory final : public rocksdb::MemTableRepFactory {
 public:
  const char* Name() const override { return "ArmatureLinkedMemtable"; }
  using MemTableRepFactory::CreateMemTableRep;
  rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator&, rocksdb::Allocator* allocator,
                                          const rocksdb::SliceTransform*, rocksdb::Logger*) override {
    return new LinkedMemtable(allocator);
  }
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> MakeLinkedMemtables() { return std::make_shared<LinkedMemtableFactory>(); }

}  // namespace armature::storage
