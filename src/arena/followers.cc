#include "arena/followers.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace armature::arena {
namespace {

class StreamCheck {
 public:
  StreamCheck(const History& history, const Items& items)
      : history_(history), items_(items), states_(history.keys.size()), numbers_(history.keys.size()) {
    verdict_.orders.resize(history.keys.size());
  }

  StreamVerdict Run(const std::vector<StreamRecord>& records) {
    for (const StreamRecord& record : records) Take(record);
    for (const Operation& operation : history_.operations)
      for (const Access& access : operation.accesses) Compare(operation, access);
    for (const auto& [key, removals] : removals_)
      if (removals > deletes_[key])
        Complain(key,
                 fmt::format("has {} REMOVE records, but {} Deletes can have had an effect", removals, deletes_[key]));
    CompareEnd();
    return std::move(verdict_);
  }

 private:
  void Complain(uint32_t key, const std::string& what) {
    verdict_.findings.violations.push_back(fmt::format("stream: item {} {}", history_.keys[key], what));
  }

  void Take(const StreamRecord& r) {
    if (!all_numbers_.emplace(r.stream, r.sequence_number).second)
      return Complain(r.key, fmt::format("has record {} twice", r.sequence_number));
    if (r.sequence_number <= numbers_[r.key])
      Complain(r.key, fmt::format("has record {} behind {}", r.sequence_number, numbers_[r.key]));
    if (!(r.before == states_[r.key]))
      Complain(r.key, fmt::format("has record {} with old image {} on top of {}", r.sequence_number, Show(r.before),
                                  Show(states_[r.key])));
    const char* event = !r.before.exists ? "INSERT" : !r.after.exists ? "REMOVE" : "MODIFY";
    if (r.event != event || (!r.before.exists && !r.after.exists))
      Complain(r.key, fmt::format("has record {} called {}, which is {}", r.sequence_number, r.event, event));
    numbers_[r.key] = r.sequence_number;
    states_[r.key] = r.after;
    const int64_t version = r.after.exists ? r.after.version : -r.before.version;
    verdict_.orders[r.key].push_back(version);
    if (!r.after.exists) ++removals_[r.key];
    if (!made_.emplace(std::pair(r.key, version), r.sequence_number).second)
      Complain(r.key, r.after.exists ? fmt::format("got version {} twice", version)
                                     : fmt::format("lost version {} twice", -version));
  }

  void Compare(const Operation& operation, const Access& access) {
    if (!access.is_write()) return;
    const bool is_ok = operation.outcome == Outcome::kOk;
    if (access.effect == Effect::kDelete) {
      const bool can_be = is_ok || operation.outcome == Outcome::kUnknown;
      const auto& before = access.before;
      const bool found_none = before.kind == Sighting::Kind::kWhole && !before.state.exists;
      if (can_be && !found_none) ++deletes_[access.key];
      if (is_ok && before.kind == Sighting::Kind::kWhole && before.state.exists &&
          !made_.contains({access.key, -before.state.version}))
        Complain(access.key, "lacks the record of " + Describe(history_, operation));
      return;
    }
    const bool is_there = made_.contains({access.key, access.id});
    if (is_ok && !is_there) Complain(access.key, "lacks the record of " + Describe(history_, operation));
    if ((operation.outcome == Outcome::kFailed || operation.outcome == Outcome::kRefused) && is_there)
      Complain(access.key, "has a record of " + Describe(history_, operation));
  }

  void CompareEnd() {
    for (uint32_t key = 0; key < states_.size(); ++key) {
      const auto item = items_.find(key);
      const ItemState stored = item == items_.end() ? ItemState{} : item->second;
      if (!(stored == states_[key]))
        Complain(key, fmt::format("ends as {}, the table has {}", Show(states_[key]), Show(stored)));
    }
  }

  struct HashPair {
    size_t operator()(const std::pair<uint32_t, int64_t>& p) const {
      return static_cast<uint64_t>(p.second) * 0x9e3779b97f4a7c15u ^ (p.first * 0xff51afd7ed558ccdu);
    }
  };

  const History& history_;
  const Items& items_;
  std::vector<ItemState> states_;
  std::vector<std::string> numbers_;  // all of one length, so text compares as numbers do
  std::set<std::pair<uint32_t, std::string>> all_numbers_;
  std::unordered_map<std::pair<uint32_t, int64_t>, std::string, HashPair> made_;
  std::map<uint32_t, size_t> removals_, deletes_;
  StreamVerdict verdict_;
};

}  // namespace

StreamVerdict CheckStream(const History& history, const std::vector<StreamRecord>& records, const Items& items) {
  return StreamCheck(history, items).Run(records);
}

Findings CheckIndex(const History& history, const std::string& name, const Items& items,
                    const std::vector<std::pair<uint32_t, ItemState>>& rows) {
  Findings findings;
  std::set<uint32_t> found;
  const auto complain = [&](uint32_t key, const std::string& what) {
    findings.violations.push_back(fmt::format("index {}: item {} {}", name, history.keys[key], what));
  };
  for (const auto& [key, state] : rows) {
    const auto item = items.find(key);
    if (!found.insert(key).second) complain(key, "has two rows");
    else if (item == items.end()) complain(key, fmt::format("is gone, its row {} is left", Show(state)));
    else if (!(item->second == state)) complain(key, fmt::format("is {}, its row {}", Show(item->second), Show(state)));
    else if (state.group == 0) complain(key, "has a row without the index's key");
  }
  for (const auto& [key, state] : items)
    if (state.group != 0 && !found.contains(key)) complain(key, fmt::format("{} has no row", Show(state)));
  return findings;
}

namespace {

// A state that an item had, and between which instants it can have had it.
struct Span {
  ItemState state;
  Time from = std::numeric_limits<Time>::min();
  Time until = kNever;
};

// By key, in order: begun at the earliest with the question of the write that made it, over at the latest with the
// answer to the next one. Of a Delete nobody knows which one it was: it counts as done at any time.
std::vector<std::vector<Span>> SpansOf(const History& history, const std::vector<StreamRecord>& records) {
  std::map<std::pair<uint32_t, int64_t>, const Operation*> writers;
  for (const Operation& operation : history.operations)
    for (const Access& access : operation.accesses)
      if (access.id != 0) writers[{access.key, access.id}] = &operation;
  std::vector<std::vector<Span>> spans(history.keys.size(), std::vector<Span>(1));
  for (const StreamRecord& record : records) {
    const auto writer = writers.find({record.key, record.after.version});
    Span next{record.after, std::numeric_limits<Time>::min(), kNever};
    if (record.after.exists && writer != writers.end()) {
      next.from = writer->second->invoked;
      spans[record.key].back().until = writer->second->returned;
    }
    spans[record.key].push_back(std::move(next));
  }
  // What came before something that was over, was over too; and what came behind something begun had not begun before.
  for (auto& of_key : spans) {
    for (size_t i = of_key.size() - 1; i-- > 0;) of_key[i].until = std::min(of_key[i].until, of_key[i + 1].until);
    for (size_t i = 1; i < of_key.size(); ++i) of_key[i].from = std::max(of_key[i].from, of_key[i - 1].from);
  }
  return spans;
}

}  // namespace

Findings CheckStaleReads(const History& history, const std::vector<StreamRecord>& records) {
  Findings findings;
  const auto spans = SpansOf(history, records);
  for (const Operation& operation : history.operations) {
    if (!operation.is_stale_read || operation.outcome != Outcome::kOk) continue;
    for (const Access& access : operation.accesses) {
      const auto& of_key = spans[access.key];
      const bool can_be = std::any_of(of_key.begin(), of_key.end(), [&](const Span& span) {
        return access.before.Fits(span.state) && span.from <= operation.returned && span.until >= operation.invoked;
      });
      if (!can_be) findings.violations.push_back("a read older than allowed: " + Describe(history, operation));
    }
  }
  return findings;
}

}  // namespace armature::arena
