#include "arena/history/linearizability.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arena/history/version_orders.h"

namespace armature::arena {
namespace {

constexpr size_t kMaxUnderWay = 64;
constexpr size_t kMaxConfigurations = 400'000;

// One operation's part in one key.
struct Step {
  const Operation* operation = nullptr;
  const Access* access = nullptr;

  // Changes nothing, whatever the state.
  bool is_look() const { return !access->is_write() || operation->outcome == Outcome::kRefused; }
  bool is_optional() const { return operation->outcome == Outcome::kUnknown; }

  bool CanHappen(const ItemState& state) const {
    if (operation->outcome == Outcome::kRefused) {
      if (access->verdict == Access::Verdict::kFailed && access->condition.HoldsFor(state)) return false;
      if (access->verdict == Access::Verdict::kHeld && !access->condition.HoldsFor(state)) return false;
      return access->before.Fits(state);
    }
    if (!access->condition.HoldsFor(state) || !access->before.Fits(state)) return false;
    return access->after.kind == Sighting::Kind::kNothing || access->after.Fits(access->Apply(state));
  }
};

struct Event {
  Time at = 0;
  bool is_end = false;
  uint32_t step = 0;
};

struct Configuration {
  ItemState state;
  uint64_t done = 0;  // by slot, of the operations under way

  bool operator==(const Configuration&) const = default;
};

struct HashConfiguration {
  size_t operator()(const Configuration& c) const {
    uint64_t hash = c.done * 0x9e3779b97f4a7c15u;
    const auto mix = [&](int64_t value) {
      hash = (hash ^ static_cast<uint64_t>(value)) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    };
    mix(c.state.exists ? c.state.version : -1);
    mix(c.state.count);
    mix(c.state.group);
    for (const int64_t id : c.state.trail) mix(id);
    return hash;
  }
};

using Configurations = std::unordered_set<Configuration, HashConfiguration>;

class KeySearch {
 public:
  // Hiding, a write that nobody has seen happens at the latest just before the next Put; an explanation found so is
  // one.
  KeySearch(const History& history, const VersionOrders& orders, std::vector<Step> steps, bool is_hiding)
      : history_(history), orders_(orders), steps_(std::move(steps)), is_hiding_(is_hiding), is_unseen_(FindUnseen()) {}

  Findings Run() {
    configurations_.insert(Configuration{});
    for (const Event& event : Events()) {
      if (!event.is_end) {
        if (!Begin(event.step)) return GiveUp();
        continue;
      }
      const Configurations before = configurations_;
      if (!End(event.step)) return GiveUp();
      if (configurations_.empty()) return Explain(event.step, before);
    }
    return {};
  }

 private:
  std::vector<Event> Events() const {
    std::vector<Event> events;
    for (uint32_t i = 0; i < steps_.size(); ++i) {
      events.push_back({steps_[i].operation->invoked, false, i});
      if (steps_[i].operation->returned != kNever) events.push_back({steps_[i].operation->returned, true, i});
    }
    // At the same instant beginnings come first: such operations overlap.
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.at != b.at ? a.at < b.at : a.is_end < b.is_end; });
    return events;
  }

  // Puts and Updates that happen whatever there is, and of which no answer shows anything: the next Put may hide them.
  std::vector<bool> FindUnseen() const {
    std::unordered_set<int64_t> seen;
    for (const Step& step : steps_) {
      for (const Sighting* sighting : {&step.access->before, &step.access->after})
        seen.insert(sighting->state.trail.begin(), sighting->state.trail.end());
      seen.insert(step.access->condition.version);
    }
    std::vector<bool> unseen;
    for (const Step& step : steps_)
      unseen.push_back(is_hiding_ && !step.is_look() && step.access->id != 0 &&
                       step.access->condition.kind == Condition::Kind::kNone &&
                       step.access->before.kind == Sighting::Kind::kNothing && !seen.contains(step.access->id));
    return unseen;
  }

  static bool Overwrites(const Step& step) {
    return !step.is_look() && step.access->condition.kind == Condition::Kind::kNone &&
           step.access->effect == Effect::kPut;
  }

  // Whether what answers tell of the order of versions allows this write on top of this state.
  bool HasItsPlace(const ItemState& state, const Access& access) const {
    if (state.exists)
      if (const auto next = orders_.After(access.key, state.version); next.is_known)
        if (next.version != (access.effect == Effect::kDelete ? -state.version : access.id)) return false;
    if (access.id == 0) return true;
    const auto previous = orders_.Before(access.key, access.id);
    return !previous.is_known ||
           (previous.version > 0 ? state.exists && state.version == previous.version : !state.exists);
  }

  Configuration After(const Configuration& c, size_t slot) const {
    const Step& happens = steps_[*slots_[slot]];
    Configuration after{happens.access->Apply(c.state), c.done | uint64_t{1} << slot};
    if (Overwrites(happens))
      for (size_t other = 0; other < kMaxUnderWay; ++other)
        if (slots_[other] && is_unseen_[*slots_[other]]) after.done |= uint64_t{1} << other;
    LookAround(after);
    return after;
  }

  bool Begin(uint32_t step) {
    const auto slot = std::find(slots_.begin(), slots_.end(), std::nullopt) - slots_.begin();
    if (slot == kMaxUnderWay) return false;
    slots_[static_cast<size_t>(slot)] = step;
    if (!steps_[step].is_look()) return true;
    Configurations next;
    for (Configuration c : configurations_) {
      LookAround(c);
      next.insert(std::move(c));
    }
    configurations_ = std::move(next);
    return true;
  }

  // Everything that only learns something and fits now, happens now.
  void LookAround(Configuration& c) const {
    for (size_t slot = 0; slot < kMaxUnderWay; ++slot) {
      if (!slots_[slot] || (c.done >> slot & 1)) continue;
      const Step& step = steps_[*slots_[slot]];
      if (step.is_look() && step.CanHappen(c.state)) c.done |= uint64_t{1} << slot;
    }
  }

  // The answer of `step` has come (or it is over with it, answered or not): it has happened, in every explanation.
  bool End(uint32_t step) {
    const auto slot = static_cast<size_t>(std::find(slots_.begin(), slots_.end(), step) - slots_.begin());
    const uint64_t bit = uint64_t{1} << slot;
    Configurations next, seen;
    std::vector<Configuration> open;
    for (const Configuration& c : configurations_) {
      if ((c.done & bit) || steps_[step].is_optional()) next.insert({c.state, c.done & ~bit});
      if (!(c.done & bit)) open.push_back(c);
    }
    while (!open.empty()) {
      const Configuration c = std::move(open.back());
      open.pop_back();
      for (size_t other = 0; other < kMaxUnderWay; ++other) {
        if (!slots_[other] || (c.done >> other & 1)) continue;
        const Step& happens = steps_[*slots_[other]];
        if (happens.is_look() || !happens.CanHappen(c.state) || !HasItsPlace(c.state, *happens.access)) continue;
        Configuration after = After(c, other);
        if (after.done & bit) next.insert({after.state, after.done & ~bit});
        else if (seen.insert(after).second) open.push_back(std::move(after));
      }
      if (seen.size() + next.size() > kMaxConfigurations) return false;
    }
    slots_[slot].reset();
    configurations_ = std::move(next);
    return true;
  }

  static Findings GiveUp() { return {{}, 1}; }

  Findings Explain(uint32_t step, const Configurations& before) const {
    std::vector<std::string> states, others;
    for (const Configuration& c : before) {
      if (states.size() == 4) break;
      states.push_back(Show(c.state));
    }
    for (const auto& slot : slots_)
      if (slot && *slot != step && others.size() < 12)
        others.push_back("\n    " + Describe(history_, *steps_[*slot].operation));
    return {
        {fmt::format("not linearizable: item {}: {}\n  fits no order of what was answered before; the item could be "
                     "{}{}\n  with these under way:{}",
                     history_.keys[steps_[step].access->key], Describe(history_, *steps_[step].operation),
                     fmt::join(states, " or "), before.size() > states.size() ? " or others" : "",
                     others.empty() ? " none" : fmt::format("{}", fmt::join(others, "")))},
        0};
  }

  const History& history_;
  const VersionOrders& orders_;
  const std::vector<Step> steps_;
  const bool is_hiding_;
  const std::vector<bool> is_unseen_;                        // by step; used when hiding
  std::array<std::optional<uint32_t>, kMaxUnderWay> slots_;  // which step is under way there
  Configurations configurations_;
};

bool TellsSomething(const Operation& operation, const Access& access) {
  if (operation.is_stale_read) return false;
  switch (operation.outcome) {
    case Outcome::kFailed: return false;
    case Outcome::kUnknown: return access.is_write();
    case Outcome::kRefused:
      return access.verdict != Access::Verdict::kNotTold || access.before.kind != Sighting::Kind::kNothing;
    case Outcome::kOk: return true;
  }
  return false;
}

// Without the unknown operations that nobody has seen anything of. They may not have happened, so an explanation
// without them is one; and without them there are few ways to try.
std::vector<Step> WithoutUnseen(const std::vector<Step>& steps) {
  std::unordered_set<int64_t> seen;
  const auto look = [&](const Sighting& sighting) {
    if (sighting.kind == Sighting::Kind::kWhole) seen.insert(sighting.state.trail.begin(), sighting.state.trail.end());
  };
  for (const Step& step : steps) {
    look(step.access->before);
    look(step.access->after);
    if (step.operation->outcome == Outcome::kOk) seen.insert(step.access->condition.version);
  }
  std::vector<Step> kept;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(kept),
               [&](const Step& step) { return !step.is_optional() || seen.contains(step.access->id); });
  return kept;
}

Findings CheckKey(const History& history, const VersionOrders& orders, std::vector<Step> steps) {
  // From the few ways to the many: what explains the answers in the first, explains them.
  std::vector<Step> fewer = WithoutUnseen(steps);
  const bool is_shorter = fewer.size() < steps.size();
  if (KeySearch(history, orders, fewer, /*is_hiding=*/true).Run().ok()) return {};
  if (is_shorter && KeySearch(history, orders, std::move(fewer), /*is_hiding=*/false).Run().ok()) return {};
  return KeySearch(history, orders, std::move(steps), /*is_hiding=*/false).Run();
}

}  // namespace

Findings CheckItems(const History& history) {
  std::vector<std::vector<Step>> by_key(history.keys.size());
  for (const Operation& operation : history.operations)
    for (const Access& access : operation.accesses)
      if (TellsSomething(operation, access)) by_key[access.key].push_back({&operation, &access});
  Findings findings, contradictions;  // the latter leave no explanation either, and are CheckTransactions' to name
  const std::vector<std::vector<int64_t>> no_stream;
  const VersionOrders orders(history, no_stream, contradictions);
  for (auto& steps : by_key) findings.Add(CheckKey(history, orders, std::move(steps)));
  return findings;
}

}  // namespace armature::arena
