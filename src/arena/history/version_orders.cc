#include "arena/history/version_orders.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace armature::arena {

namespace {

// The version an access found, if its answer or its condition says so. Absence has no name here.
std::optional<int64_t> VersionBefore(const Operation& operation, const Access& access) {
  if (access.before.kind == Sighting::Kind::kWhole && access.before.state.exists) return access.before.state.version;
  const bool held = operation.outcome == Outcome::kOk || operation.outcome == Outcome::kUnknown;
  if (access.condition.kind == Condition::Kind::kVersion && held) return access.condition.version;
  return std::nullopt;
}

}  // namespace

VersionOrders::VersionOrders(const History& history, const std::vector<std::vector<int64_t>>& streamed,
                             Findings& findings)
    : history_(history),
      streamed_(streamed),
      findings_(findings),
      committed_(history.operations.size()),
      has_deletes_(history.keys.size()) {
  FindWriters();
  LearnFromStream();
  LearnFromAnswers();
  RequireWhole();
}

void VersionOrders::FindWriters() {
  for (size_t i = 0; i < history_.operations.size(); ++i) {
    const Operation& operation = history_.operations[i];
    committed_[i] = operation.outcome == Outcome::kOk;
    for (const Access& access : operation.accesses) {
      if (access.id != 0) writers_[{access.key, access.id}] = i;
      if (access.effect == Effect::kDelete && operation.outcome != Outcome::kFailed) has_deletes_[access.key] = true;
    }
  }
}

void VersionOrders::MarkSeen(uint32_t key, int64_t version) {
  if (version <= 0) return;
  const auto writer = writers_.find({key, version});
  if (writer == writers_.end()) {
    findings_.violations.push_back(
        fmt::format("item {} has a version {} that nobody wrote", history_.keys[key], version));
    return;
  }
  const Operation& operation = history_.operations[writer->second];
  if (operation.outcome == Outcome::kFailed || operation.outcome == Outcome::kRefused)
    findings_.violations.push_back(fmt::format("aborted read (G1a): item {} was seen with version {} of {}",
                                               history_.keys[key], version, Describe(history_, operation)));
  committed_[writer->second] = true;
}

void VersionOrders::Follows(uint32_t key, int64_t version, int64_t next) {
  const auto [after, is_first] = next_.emplace(Key{key, version}, next);
  if (!is_first && after->second != next)
    findings_.violations.push_back(fmt::format("lost update: item {}: versions {} and {} both follow version {}",
                                               history_.keys[key], after->second, next, version));
  const auto [before, is_only] = previous_.emplace(Key{key, next}, version);
  if (!is_only && before->second != version)
    findings_.violations.push_back(fmt::format("duplicated effect: item {}: version {} follows both {} and {}",
                                               history_.keys[key], next, before->second, version));
}

void VersionOrders::LearnFromSighting(uint32_t key, const Sighting& sighting) {
  if (sighting.kind != Sighting::Kind::kWhole || !sighting.state.exists) return;
  MarkSeen(key, sighting.state.version);
  const auto& trail = sighting.state.trail;
  for (size_t i = 0; i + 1 < trail.size(); ++i) {
    MarkSeen(key, trail[i]);
    Follows(key, trail[i], trail[i + 1]);
  }
}

void VersionOrders::LearnFromStream() {
  for (uint32_t key = 0; key < streamed_.size(); ++key) {
    int64_t last = 0;
    for (const int64_t version : streamed_[key]) {
      MarkSeen(key, version);
      Follows(key, last, version);
      last = version;
    }
  }
}

void VersionOrders::LearnFromAnswers() {
  for (const Operation& operation : history_.operations) {
    if (operation.outcome == Outcome::kFailed || operation.outcome == Outcome::kUnknown) continue;
    for (const Access& access : operation.accesses) {
      LearnFromSighting(access.key, access.before);
      LearnFromSighting(access.key, access.after);
    }
  }
  for (size_t i = 0; i < history_.operations.size(); ++i) {
    const Operation& operation = history_.operations[i];
    if (!committed_[i] || operation.outcome == Outcome::kRefused) continue;
    for (const Access& access : operation.accesses) {
      if (!access.is_write()) continue;
      const auto before = VersionBefore(operation, access);
      if (access.effect == Effect::kDelete) {
        if (!before) continue;
        writers_[{access.key, -*before}] = i;
        Follows(access.key, *before, -*before);
      } else if (before) {
        Follows(access.key, *before, access.id);
      } else if (access.before.kind == Sighting::Kind::kWhole && !has_deletes_[access.key]) {
        Follows(access.key, 0, access.id);
      }
    }
  }
}

// A stream tells of every version: an operation of which one write is there must be there with all of them.
void VersionOrders::RequireWhole() {
  if (streamed_.empty()) return;
  for (size_t i = 0; i < history_.operations.size(); ++i) {
    const Operation& operation = history_.operations[i];
    if (!committed_[i]) continue;
    for (const Access& access : operation.accesses)
      if (access.id != 0 && !previous_.contains({access.key, access.id}))
        findings_.violations.push_back(
            fmt::format("item {} never had version {} of {}, which {}", history_.keys[access.key], access.id,
                        Describe(history_, operation),
                        operation.outcome == Outcome::kOk ? "was acknowledged" : "was done elsewhere: half of it"));
  }
}

int64_t VersionOrders::WriterOf(uint32_t key, int64_t version) const {
  const auto writer = writers_.find({key, version});
  return writer == writers_.end() ? -1 : static_cast<int64_t>(writer->second);
}

VersionOrders::Next VersionOrders::After(uint32_t key, int64_t version) const {
  const auto next = next_.find({key, version});
  return next == next_.end() ? Next{} : Next{true, next->second};
}

VersionOrders::Next VersionOrders::Before(uint32_t key, int64_t version) const {
  const auto previous = previous_.find({key, version});
  return previous == previous_.end() ? Next{} : Next{true, previous->second};
}

VersionOrders::Next VersionOrders::AbsenceSeenBy(uint32_t key, const Operation& reader) const {
  if (!has_deletes_[key]) return {true, 0};
  if (streamed_.empty()) return {};
  // Of all the times the item was not there, those that real time leaves: begun before the answer, not surely over
  // before the question.
  Next found;
  int64_t version = 0;
  for (size_t i = 0; i <= streamed_[key].size(); ++i) {
    if (version <= 0) {
      const int64_t maker = WriterOf(key, version);
      const int64_t ender = i < streamed_[key].size() ? WriterOf(key, streamed_[key][i]) : -1;
      const bool is_begun = maker < 0 || history_.operations[static_cast<size_t>(maker)].invoked <= reader.returned;
      const bool is_over = ender >= 0 && history_.operations[static_cast<size_t>(ender)].returned < reader.invoked;
      if (is_begun && !is_over) {
        if (found.is_known) return {};
        found = {true, version};
      }
    }
    if (i < streamed_[key].size()) version = streamed_[key][i];
  }
  return found;
}

}  // namespace armature::arena
