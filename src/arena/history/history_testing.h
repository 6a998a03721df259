// What the checkers' tests share: operations in one line, and a simulated table that makes legal histories.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "arena/followers.h"
#include "arena/history/history.h"

namespace armature::arena {

inline ItemState Item(std::vector<int64_t> trail, int64_t group = 0) {
  const auto count = static_cast<int64_t>(trail.size()) - 1;
  return {true, trail.back(), count, group, std::move(trail)};
}

inline Access Read(uint32_t key, ItemState seen) {
  Access access;
  access.key = key;
  access.before = Sighting::Whole(std::move(seen));
  return access;
}
inline Access Put(uint32_t key, int64_t id, int64_t group = 0) {
  Access access;
  access.key = key, access.effect = Effect::kPut, access.id = id;
  access.sets_group = true, access.group = group;
  return access;
}
inline Access Update(uint32_t key, int64_t id) {
  Access access;
  access.key = key, access.effect = Effect::kUpdate, access.id = id;
  return access;
}
inline Access Delete(uint32_t key) {
  Access access;
  access.key = key, access.effect = Effect::kDelete;
  return access;
}
inline Access If(Access access, Condition::Kind kind, int64_t version = 0) {
  access.condition = {kind, version};
  return access;
}
inline Access Saw(Access access, ItemState before) {
  access.before = Sighting::Whole(std::move(before));
  return access;
}
inline Access Left(Access access, ItemState after) {
  access.after = Sighting::Whole(std::move(after));
  return access;
}
inline Access NotHolding(Access access) {
  access.verdict = Access::Verdict::kFailed;
  return access;
}

// A history written down by hand; every operation has a client of its own unless told.
class HistoryBuilder {
 public:
  explicit HistoryBuilder(size_t keys = 3) {
    for (size_t i = 0; i < keys; ++i) history_.keys.push_back(fmt::format("k{}", i));
  }
  HistoryBuilder& Add(Time invoked, Time returned, std::vector<Access> accesses, Outcome outcome = Outcome::kOk) {
    history_.operations.push_back({static_cast<uint32_t>(history_.operations.size()), "Test", invoked, returned,
                                   outcome, std::move(accesses), false});
    return *this;
  }
  const History& history() const { return history_; }
  Operation& last() { return history_.operations.back(); }

 private:
  History history_;
};

// Plays clients on a table that does everything right, operation by operation, each taking effect at one instant
// between its question and its answer. Crashes leave operations without an answer, done or not.
class LegalTable {
 public:
  LegalTable(uint32_t seed, size_t keys, size_t clients) : random_(seed), states_(keys), free_at_(clients, 0) {
    for (size_t i = 0; i < keys; ++i) history.keys.push_back(fmt::format("k{}", i));
  }

  void Play(size_t operations) {
    for (size_t i = 0; i < operations; ++i) PlayOne();
    for (uint32_t key = 0; key < states_.size(); ++key)
      if (states_[key].exists) items[key] = states_[key];
  }

  History history;
  std::vector<StreamRecord> records;
  Items items;

 private:
  size_t Pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  // Effects happen at rising instants; questions and answers lie around them as the clients' own order allows.
  void PlayOne() {
    now_ += 10;
    const size_t client = Pick(free_at_.size());
    Operation operation;
    operation.process = static_cast<uint32_t>(client);
    operation.name = "Played";
    operation.invoked = std::max<Time>(free_at_[client] + 1, now_ - static_cast<Time>(Pick(60)) - 1);
    if (operation.invoked >= now_) operation.invoked = now_ - 1;
    operation.returned = now_ + 1 + static_cast<Time>(Pick(60));
    free_at_[client] = operation.returned;
    const size_t accesses = Pick(3) == 0 ? 2 + Pick(2) : 1;
    const bool is_read = Pick(3) == 0;
    std::vector<uint32_t> keys(states_.size());
    for (uint32_t key = 0; key < keys.size(); ++key) keys[key] = key;
    std::shuffle(keys.begin(), keys.end(), random_);
    for (size_t i = 0; i < std::min(accesses, keys.size()); ++i)
      operation.accesses.push_back(is_read ? Read(keys[i], states_[keys[i]]) : RandomWrite(keys[i]));
    if (!is_read) Carry(operation);
    history.operations.push_back(std::move(operation));
  }

  Access RandomWrite(uint32_t key) {
    Access access;
    switch (Pick(4)) {
      case 0: access = Put(key, ++ids_, static_cast<int64_t>(Pick(3))); break;
      case 1: access = Delete(key); break;
      default: access = Update(key, ++ids_); break;
    }
    const ItemState& state = states_[key];
    if (Pick(4) == 0) access.condition = {Condition::Kind::kVersion, Pick(4) == 0 ? 0 : state.version};
    else if (Pick(6) == 0) access.condition = {Condition::Kind::kAbsent, 0};
    return access;
  }

  void Carry(Operation& operation) {
    bool holds = true;
    for (Access& access : operation.accesses)
      if (!access.condition.HoldsFor(states_[access.key])) {
        holds = false;
        access.verdict = Access::Verdict::kFailed;
        if (Pick(2) == 0) access.before = Sighting::Whole(states_[access.key]);
      }
    const bool is_lost = Pick(20) == 0;
    if (is_lost) {
      operation.outcome = Outcome::kUnknown;
      if (Pick(2) == 0) operation.returned = kNever;
      for (Access& access : operation.accesses) access.before = {}, access.verdict = Access::Verdict::kNotTold;
      if (Pick(2) == 0) return;  // and not done
    }
    if (!holds) {
      if (!is_lost) operation.outcome = Outcome::kRefused;
      return;
    }
    for (Access& access : operation.accesses) {
      ItemState& state = states_[access.key];
      const ItemState next = access.Apply(state);
      if (!is_lost && Pick(3) == 0) access.before = Sighting::Whole(state);
      if (!is_lost && access.effect != Effect::kDelete && Pick(3) == 0) access.after = Sighting::Whole(next);
      if (!(next == state))
        records.push_back({access.key, fmt::format("1{:020}", ++positions_),
                           !state.exists  ? "INSERT"
                           : !next.exists ? "REMOVE"
                                          : "MODIFY",
                           state, next});
      state = next;
    }
  }

  std::mt19937 random_;
  std::vector<ItemState> states_;
  std::vector<Time> free_at_;
  Time now_ = 100;
  int64_t ids_ = 0;
  uint64_t positions_ = 0;
};

}  // namespace armature::arena
