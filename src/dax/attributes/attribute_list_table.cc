#include "dax/attributes/attribute_list_table.h"

#include <algorithm>
#include <cassert>

#include <xxhash.h>

namespace armature::dax {

AttributeListTable::AttributeListTable(size_t most_lists, uint64_t seed)
    : most_lists_(most_lists), seed_(seed), buckets_(kBuckets), chunk_pointers_((most_lists + kChunk - 1) / kChunk) {}

uint64_t AttributeListTable::Hash(std::string_view account, std::span<const std::string_view> names) const {
  uint64_t hash = XXH3_64bits_withSeed(account.data(), account.size(), seed_);
  for (const std::string_view name : names) hash = XXH3_64bits_withSeed(name.data(), name.size(), hash);
  return hash;
}

uint64_t AttributeListTable::Find(std::string_view account, std::span<const std::string_view> names,
                                  uint64_t hash) const {
  const Entry* entry = buckets_[hash % kBuckets].load(std::memory_order_acquire);
  for (; entry; entry = entry->next)
    if (entry->hash == hash && entry->list->account == account && std::ranges::equal(entry->list->names, names))
      return entry->id;
  return 0;
}

const AttributeNames* AttributeListTable::Find(std::string_view account, uint64_t id) const {
  if (id < kFirstAttributeList) return nullptr;
  const uint64_t index = id - kFirstAttributeList;
  if (index >= most_lists_) return nullptr;
  const Chunk* const chunk = chunk_pointers_[index / kChunk].load(std::memory_order_acquire);
  if (!chunk) return nullptr;
  const Entry* const entry = (*chunk)[index % kChunk].load(std::memory_order_acquire);
  return entry && entry->list->account == account ? &entry->list->names : nullptr;
}

uint64_t AttributeListTable::Add(std::shared_ptr<const AttributeList> list, uint64_t hash) {
  assert(!is_full());
  const size_t index = entries_.size();
  if (index / kChunk == chunks_.size()) {
    chunks_.push_back(std::make_unique<Chunk>());
    chunk_pointers_[index / kChunk].store(chunks_.back().get(), std::memory_order_release);
  }
  std::atomic<const Entry*>& bucket = buckets_[hash % kBuckets];
  const uint64_t id = kFirstAttributeList + index;
  const Entry& entry = entries_.emplace_back(Entry{std::move(list), hash, id, bucket.load(std::memory_order_relaxed)});
  (*chunks_.back())[index % kChunk].store(&entry, std::memory_order_release);
  bucket.store(&entry, std::memory_order_release);
  return id;
}

}  // namespace armature::dax
