#include "dax/cache/item_cache.h"

#include <cassert>
#include <utility>

#include <xxhash.h>

#include "dax/cache/store_key.h"

namespace armature::dax {
namespace {

// A blob has an attribute-list id at least, so this is none.
constexpr std::string_view kAbsentValue;

}  // namespace

uint64_t ItemCache::HashOf(std::string_view store_key) const {
  return XXH3_64bits_withSeed(store_key.data(), store_key.size(), seed_);
}

int64_t ItemCache::Expiry() const {
  const int64_t ttl = settings_.record_ttl_millis.load(std::memory_order_relaxed);
  return ttl == 0 ? 0 : ExpiryMillis(clock_.NowMillis(), ttl);
}

// --- reading

ItemCache::Found ItemCache::FindAgain(uint32_t table, std::string_view key, std::string& append_to) {
  const StoreKey store_key(EntryKind::kItem, table, key);
  const size_t before = append_to.size();
  if (!store_.Find(store_key.view(), clock_.NowMillis(), append_to)) return Found::kNothing;
  return append_to.size() == before ? Found::kAbsent : Found::kItem;
}

ItemCache::Found ItemCache::Find(uint32_t table, std::string_view key, std::string& append_to) {
  const Found found = FindAgain(table, key, append_to);
  (found == Found::kNothing ? counters_.misses : counters_.hits).Add();
  return found;
}

ReadTicket ItemCache::BeginRead(uint32_t table, std::string_view key) const {
  const StoreKey store_key(EntryKind::kItem, table, key);
  return tickets_.Take(HashOf(store_key.view()));
}

void ItemCache::Keep(ReadTicket ticket, uint32_t table, std::string_view key, std::string_view value) {
  const StoreKey store_key(EntryKind::kItem, table, key);
  tickets_.Keep(HashOf(store_key.view()), ticket, [&] { store_.Put(store_key.view(), value, Expiry()); });
}

void ItemCache::KeepItem(ReadTicket ticket, uint32_t table, std::string_view key, std::string_view blob) {
  assert(!blob.empty());
  Keep(ticket, table, key, blob);
}

void ItemCache::KeepAbsent(ReadTicket ticket, uint32_t table, std::string_view key) {
  Keep(ticket, table, key, kAbsentValue);
}

// --- writing

ItemWrite ItemCache::BeginWrite(uint32_t table, std::string_view key) {
  return {*this, std::string(StoreKey(EntryKind::kItem, table, key).view())};
}

void ItemCache::Invalidate(uint32_t table, std::string_view key) { BeginWrite(table, key).EndUnknown(); }

ItemWrite::ItemWrite(ItemCache& cache, std::string store_key)
    : cache_(&cache),
      store_key_(std::move(store_key)),
      hash_(cache.HashOf(store_key_)),
      begun_(cache.tickets_.Begin(hash_)) {}

ItemWrite::ItemWrite(ItemWrite&& other) noexcept
    : cache_(std::exchange(other.cache_, nullptr)),
      store_key_(std::move(other.store_key_)),
      hash_(other.hash_),
      begun_(other.begun_) {}

void ItemWrite::EndWith(std::string_view value) {
  ItemCache* const cache = std::exchange(cache_, nullptr);
  if (cache == nullptr) return;
  cache->tickets_.End(hash_, begun_, [&](bool is_alone) {
    if (is_alone) cache->store_.Put(store_key_, value, cache->Expiry());
    else cache->store_.Erase(store_key_);
  });
}

void ItemWrite::EndItem(std::string_view blob) {
  assert(!blob.empty());
  EndWith(blob);
}

void ItemWrite::EndAbsent() { EndWith(kAbsentValue); }

void ItemWrite::EndUnchanged() {
  ItemCache* const cache = std::exchange(cache_, nullptr);
  if (cache != nullptr) cache->tickets_.End(hash_, begun_, [](bool /*is_alone*/) {});
}

void ItemWrite::EndUnknown() {
  ItemCache* const cache = std::exchange(cache_, nullptr);
  if (cache != nullptr) cache->tickets_.End(hash_, begun_, [&](bool /*is_alone*/) { cache->store_.Erase(store_key_); });
}

}  // namespace armature::dax
