// Draft: the next state of IAM while it is being made.
//
// Begins as a copy of a snapshot; changes (iam/changes) read it and put entities into it, several of them one after the
// other if they are to be one step, and the Directory stores what was touched as one commit and publishes it. A draft
// that is thrown away leaves nothing. One thread's. Time and chance are the Directory's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/random.h"
#include "iam/entities/iam_error.h"
#include "iam/state/snapshot.h"

namespace armature::iam {

// What a stored record is about; also the last part of its key.
enum class RecordKind : char {
  kAccount = 'a',
  kUser = 'u',
  kGroup = 'g',
  kRole = 'r',
  kPolicy = 'p',
  kProvider = 'o',
};

struct RecordName {
  std::string account;
  RecordKind kind = RecordKind::kAccount;
  std::string id;  // of an account: empty
  auto operator<=>(const RecordName&) const = default;
};

template <class E>
constexpr RecordKind RecordKindOf();
template <>
constexpr RecordKind RecordKindOf<User>() {
  return RecordKind::kUser;
}
template <>
constexpr RecordKind RecordKindOf<Group>() {
  return RecordKind::kGroup;
}
template <>
constexpr RecordKind RecordKindOf<Role>() {
  return RecordKind::kRole;
}
template <>
constexpr RecordKind RecordKindOf<ManagedPolicy>() {
  return RecordKind::kPolicy;
}
template <>
constexpr RecordKind RecordKindOf<OidcProvider>() {
  return RecordKind::kProvider;
}

class Draft {
 public:
  // `random` is for ids and secrets.
  Draft(const Snapshot& base, int64_t now_millis, RandomSource& random)
      : next_(std::make_shared<Snapshot>(base)), now_millis_(now_millis), random_(random) {}

  // The state with all changes so far.
  const Snapshot& state() const { return *next_; }
  int64_t now_millis() const { return now_millis_; }
  RandomSource& random() const { return random_; }

  // The account as it is now; made if there is none yet. REQUIRES: twelve digits.
  const AccountState& AccountOf(std::string_view account);
  void PutAccount(Account info);
  // Adds it, or puts it in the place of the one with its id. Keys of users follow.
  template <class E>
  void Put(std::shared_ptr<const E> entity);
  template <class E>
  void Remove(const E& entity);

  // What is to be stored, or removed from the store if it is not in the state any more.
  const std::set<RecordName>& touched() const { return touched_; }
  std::shared_ptr<const Snapshot> Finish() && { return std::move(next_); }

 private:
  AccountState& Edit(std::string_view account);
  void ReplaceKeys(const std::vector<AccessKey>& before, const std::vector<AccessKey>& after, const KeyOwner& owner);

  std::shared_ptr<Snapshot> next_;
  // Those of next_ that are this draft's own and may be changed in place.
  std::map<std::string, std::shared_ptr<AccountState>, std::less<>> editable_;
  std::set<RecordName> touched_;
  const int64_t now_millis_;
  RandomSource& random_;
};

}  // namespace armature::iam
