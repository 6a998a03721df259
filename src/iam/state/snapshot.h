// Snapshot: all that IAM knows at one moment.
//
// Immutable once published; versions share what did not change between them (cow_map.h). Look-ups take no lock and copy
// nothing. What names something that is not there (a policy whose record could not be read) is told as null: whoever
// decides about access takes that as a denial, never as nothing. AWS's own managed policies are part of every snapshot.
// Made by Draft, published by the Directory (iam/store); read by every layer above.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "iam/entities/entities.h"
#include "iam/state/cow_map.h"

namespace armature::iam {

// The entities of one kind in one account.
template <class E>
class Register {
 public:
  using Ref = std::shared_ptr<const E>;

  // Without regard to case. Null if there is none.
  Ref Find(std::string_view name) const;
  Ref FindById(std::string_view id) const;
  // By name without regard to case, as they are listed.
  const CowMap<Ref>& by_name() const { return by_name_; }
  size_t size() const { return by_name_.size(); }

  // In the place of the one with the same id, whatever that one's name.
  void Put(Ref entity);
  void Remove(const E& entity);

 private:
  CowMap<Ref> by_name_;
  CowMap<Ref> by_id_;
};

struct AccountState {
  Account info;
  Register<User> users{};
  Register<Group> groups{};
  Register<Role> roles{};
  Register<ManagedPolicy> policies{};
  Register<OidcProvider> providers{};

  template <class E>
  Register<E>& Of();
  template <class E>
  const Register<E>& Of() const {
    return const_cast<AccountState*>(this)->Of<E>();
  }
};

template <>
Register<User>& AccountState::Of<User>();
template <>
Register<Group>& AccountState::Of<Group>();
template <>
Register<Role>& AccountState::Of<Role>();
template <>
Register<ManagedPolicy>& AccountState::Of<ManagedPolicy>();
template <>
Register<OidcProvider>& AccountState::Of<OidcProvider>();

// Whose an access key is.
struct KeyOwner {
  std::string account;
  std::string user_id;  // empty: the account's root
};

class Snapshot final : public policy::PrincipalDirectory {
 public:
  // Null if nothing was ever made in that account.
  const AccountState* FindAccount(std::string_view account) const;
  const KeyOwner* FindKeyOwner(std::string_view access_key_id) const { return keys_.Find(access_key_id); }
  // The account with that alias; empty if there is none.
  std::string_view AccountOfAlias(std::string_view alias) const;

  // By ARN, with regard to case. Null if there is none.
  UserRef FindUser(std::string_view arn) const;
  RoleRef FindRole(std::string_view arn) const;
  ProviderRef FindProvider(std::string_view arn) const;
  // AWS's own too.
  PolicyRef FindPolicy(std::string_view arn) const;
  // Of users and roles, as policies that name them are bound to them.
  std::optional<std::string> FindUniqueId(std::string_view arn) const override;

  const CowMap<std::shared_ptr<const AccountState>>& accounts() const { return accounts_; }
  // Whether there is anybody who could sign a request: a key of a user or of a root.
  bool has_keys() const { return !keys_.empty(); }
  // Whether there is anybody whom policies could mean: a user or a role, or a root with a key.
  bool has_principals() const;

 private:
  friend class Draft;

  CowMap<std::shared_ptr<const AccountState>> accounts_;
  CowMap<KeyOwner> keys_;        // by access key id, of all accounts
  CowMap<std::string> aliases_;  // account by alias
};

// AWS's own managed policies, by ARN.
const CowMap<PolicyRef>& AwsPolicies();

// How often each managed policy is used in an account: one pass over it.
struct PolicyUse {
  size_t attachments = 0;
  size_t boundaries = 0;
};
CowMap<PolicyUse> CountPolicyUse(const AccountState& account);
// The same of one policy: a pass that stops nowhere early, for calls about one policy.
PolicyUse CountUseOf(const AccountState& account, std::string_view policy_arn);

}  // namespace armature::iam
