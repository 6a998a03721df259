#include "dax/node/item_writes.h"

#include <algorithm>
#include <utility>

#include "base/memory/memory_reserve.h"

namespace armature::dax {

ItemWrites::ItemWrites(DaxCluster& cluster, WritesUnderWay& list)
    : cluster_(cluster), list_(list), nodes_(cluster.nodes()) {
  list_.Add(*this);
}

ItemWrites::~ItemWrites() {
  list_.Remove(*this);
  const Essential for_the_others;  // an entry that has to go would stay
  EndUnknown();
}

void ItemWrites::Begin(size_t item, uint32_t table, std::string_view key) {
  Write write{item, table, std::string(key), {}};
  write.cached.reserve(nodes_.size());
  for (const auto& node : nodes_) write.cached.push_back(node->caches().items().BeginWrite(table, key));
  writes_.push_back(std::move(write));
}

void ItemWrites::End(Write& write, const std::function<void(ItemWrite&)>& end) {
  if (write.cached.empty()) return;
  for (size_t i = 0; i < write.cached.size(); ++i) {
    nodes_[i]->caches().queries().NoteWrite(write.table);
    end(write.cached[i]);
  }
  write.cached.clear();
  const NodeList now = cluster_.nodes();
  if (now == nodes_) return;
  for (const auto& node : now)
    if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end())
      node->caches().NoteForeignWrite(write.table, write.key);
}

void ItemWrites::EndItem(size_t item, std::string_view blob) {
  for (Write& write : writes_)
    if (write.item == item) End(write, [blob](ItemWrite& cached) { cached.EndItem(blob); });
}

void ItemWrites::EndAbsent(size_t item) {
  for (Write& write : writes_)
    if (write.item == item) End(write, [](ItemWrite& cached) { cached.EndAbsent(); });
}

// The pages are what they were, too, and whoever came has read what is there.
void ItemWrites::EndUnchanged() {
  for (Write& write : writes_) {
    for (ItemWrite& cached : write.cached) cached.EndUnchanged();
    write.cached.clear();
  }
}

void ItemWrites::EndUnknown() {
  for (Write& write : writes_) End(write, [](ItemWrite& cached) { cached.EndUnknown(); });
}

// --- The list

void WritesUnderWay::Add(ItemWrites& writes) {
  MutexLock lock(mutex_);
  writes.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &writes;
  first_ = &writes;
}

void WritesUnderWay::Remove(ItemWrites& writes) {
  MutexLock lock(mutex_);
  if (writes.previous_ != nullptr) writes.previous_->next_ = writes.next_;
  else first_ = writes.next_;
  if (writes.next_ != nullptr) writes.next_->previous_ = writes.previous_;
}

void WritesUnderWay::Abandon() {
  ItemWrites* writes = nullptr;
  {
    MutexLock lock(mutex_);
    writes = std::exchange(first_, nullptr);
  }
  for (; writes != nullptr; writes = writes->next_) {
    writes->EndUnknown();
    writes->nodes_ = {};  // a frame that stays allocated must not keep nodes
  }
}

}  // namespace armature::dax
