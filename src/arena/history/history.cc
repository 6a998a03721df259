#include "arena/history/history.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace armature::arena {

std::string Show(const ItemState& state) {
  if (!state.exists) return "(none)";
  return fmt::format("{{version {}, count {}, group {}, trail {}}}", state.version, state.count, state.group,
                     fmt::join(state.trail, "-"));
}

bool Condition::HoldsFor(const ItemState& state) const {
  switch (kind) {
    case Kind::kNone: return true;
    case Kind::kAbsent: return !state.exists;
    case Kind::kPresent: return state.exists;
    case Kind::kVersion: return state.exists && state.version == version;
  }
  return false;
}

Sighting Sighting::NotInGroup(int64_t group) {
  Sighting sighting{Kind::kNotInGroup, {}};
  sighting.state.group = group;
  return sighting;
}

bool Sighting::Fits(const ItemState& actual) const {
  switch (kind) {
    case Kind::kNothing: return true;
    case Kind::kWhole: return actual == state;
    case Kind::kNotInGroup: return !actual.exists || actual.group != state.group;
  }
  return false;
}

ItemState Access::Apply(const ItemState& state) const {
  ItemState next;
  switch (effect) {
    case Effect::kRead: return state;
    case Effect::kDelete: return next;
    case Effect::kPut: next.group = group; break;
    case Effect::kUpdate:
      next = state;
      if (sets_group) next.group = group;
      ++next.count;
      break;
  }
  next.exists = true;
  next.version = id;
  next.trail.push_back(id);
  return next;
}

namespace {

std::string ShowAccess(const History& history, const Access& access) {
  static constexpr const char* kEffects[] = {"reads", "puts", "updates", "deletes"};
  std::string text = fmt::format("{} {}", kEffects[static_cast<size_t>(access.effect)], history.keys[access.key]);
  auto out = std::back_inserter(text);
  if (access.id != 0) fmt::format_to(out, " to version {}", access.id);
  if (access.sets_group) fmt::format_to(out, " in group {}", access.group);
  switch (access.condition.kind) {
    case Condition::Kind::kNone: break;
    case Condition::Kind::kAbsent: text += " if absent"; break;
    case Condition::Kind::kPresent: text += " if present"; break;
    case Condition::Kind::kVersion: fmt::format_to(out, " if at version {}", access.condition.version); break;
  }
  if (access.verdict == Access::Verdict::kFailed) text += " (which did not hold)";
  if (access.before.kind == Sighting::Kind::kWhole) fmt::format_to(out, ", saw {}", Show(access.before.state));
  if (access.before.kind == Sighting::Kind::kNotInGroup)
    fmt::format_to(out, ", not in group {}", access.before.state.group);
  if (access.after.kind == Sighting::Kind::kWhole) fmt::format_to(out, ", left {}", Show(access.after.state));
  return text;
}

}  // namespace

std::string Describe(const History& history, const Operation& operation) {
  static constexpr const char* kOutcomes[] = {"", " refused", " failed", " outcome unknown"};
  std::vector<std::string> accesses;
  for (const Access& access : operation.accesses) accesses.push_back(ShowAccess(history, access));
  return fmt::format("[client {} {} {}..{}{}: {}]", operation.process, operation.name, operation.invoked,
                     operation.returned == kNever ? "?" : fmt::format("{}", operation.returned),
                     kOutcomes[static_cast<size_t>(operation.outcome)], fmt::join(accesses, "; "));
}

void Findings::Add(Findings other) {
  violations.insert(violations.end(), std::make_move_iterator(other.violations.begin()),
                    std::make_move_iterator(other.violations.end()));
  undecided += other.undecided;
}

std::string Findings::ToString() const {
  std::string text = fmt::format("{}", fmt::join(violations, "\n"));
  if (undecided > 0) fmt::format_to(std::back_inserter(text), "\n{} keys could not be decided", undecided);
  return text;
}

}  // namespace armature::arena
