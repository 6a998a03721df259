#include "iam/state/draft.h"

#include <type_traits>

namespace armature::iam {

AccountState& Draft::Edit(std::string_view account) {
  if (const auto found = editable_.find(account); found != editable_.end()) return *found->second;
  std::shared_ptr<AccountState> state;
  if (const AccountState* const known = next_->FindAccount(account)) {
    state = std::make_shared<AccountState>(*known);
  } else {
    state = std::make_shared<AccountState>();
    state->info.id = account;
    state->info.created_millis = now_millis_;
    touched_.insert({std::string(account), RecordKind::kAccount, {}});
  }
  next_->accounts_.Set(account, state);
  return *editable_.emplace(account, std::move(state)).first->second;
}

const AccountState& Draft::AccountOf(std::string_view account) {
  const AccountState* const known = next_->FindAccount(account);
  return known ? *known : Edit(account);
}

void Draft::ReplaceKeys(const std::vector<AccessKey>& before, const std::vector<AccessKey>& after,
                        const KeyOwner& owner) {
  for (const AccessKey& key : before) next_->keys_.Erase(key.id);
  for (const AccessKey& key : after) next_->keys_.Set(key.id, owner);
}

void Draft::PutAccount(Account info) {
  AccountState& state = Edit(info.id);
  ReplaceKeys(state.info.root_keys, info.root_keys, {info.id, {}});
  if (!state.info.alias.empty()) next_->aliases_.Erase(state.info.alias);
  if (!info.alias.empty()) next_->aliases_.Set(info.alias, info.id);
  touched_.insert({info.id, RecordKind::kAccount, {}});
  state.info = std::move(info);
}

template <class E>
void Draft::Put(std::shared_ptr<const E> entity) {
  auto& entities = Edit(entity->account).template Of<E>();
  if constexpr (std::is_same_v<E, User>) {
    const UserRef old = entities.FindById(entity->id);
    ReplaceKeys(old ? old->access_keys : std::vector<AccessKey>(), entity->access_keys, {entity->account, entity->id});
  }
  touched_.insert({entity->account, RecordKindOf<E>(), entity->id});
  entities.Put(std::move(entity));
}

template <class E>
void Draft::Remove(const E& entity) {
  if constexpr (std::is_same_v<E, User>) ReplaceKeys(entity.access_keys, {}, {});
  touched_.insert({entity.account, RecordKindOf<E>(), entity.id});
  Edit(entity.account).template Of<E>().Remove(entity);
}

template void Draft::Put(UserRef);
template void Draft::Put(GroupRef);
template void Draft::Put(RoleRef);
template void Draft::Put(PolicyRef);
template void Draft::Put(ProviderRef);
template void Draft::Remove(const User&);
template void Draft::Remove(const Group&);
template void Draft::Remove(const Role&);
template void Draft::Remove(const ManagedPolicy&);
template void Draft::Remove(const OidcProvider&);

}  // namespace armature::iam
