#include "auth/verify/signing_keys.h"

#include <functional>

namespace armature::auth {

namespace {

size_t SlotOf(uint64_t key_serial, std::string_view scope) {
  return (std::hash<std::string_view>()(scope) + key_serial) % SigningKeys::kSlots;
}

}  // namespace

const HmacSha256* SigningKeys::Find(uint64_t key_serial, std::string_view scope) const {
  if (!slots_) return nullptr;
  const Slot& slot = (*slots_)[SlotOf(key_serial, scope)];
  return slot.key && slot.key_serial == key_serial && slot.scope == scope ? &*slot.key : nullptr;
}

void SigningKeys::Keep(uint64_t key_serial, std::string_view scope, const HmacSha256& key) {
  if (!slots_) slots_ = std::make_unique<Slots>();
  Slot& slot = (*slots_)[SlotOf(key_serial, scope)];
  slot.key.reset();  // should memory run out below
  slot.key_serial = key_serial;
  slot.scope = scope;
  slot.key = key;
}

SigningKeys& SigningKeys::OfThisThread() {
  thread_local SigningKeys keys;
  return keys;
}

}  // namespace armature::auth
