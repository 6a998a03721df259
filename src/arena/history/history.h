// History: what clients asked of a server and what they were told, as data for the checkers.
//
// An Operation is one atomic step as its client saw it: when it was sent, when the answer came, and what it did to or
// learned of each item. A transaction is one operation with several accesses; the elements of a batch are operations of
// their own. Every write has an id that no other write has, and items carry the ids of the writes that made them, so an
// answer tells which writes it has seen. Plain data: no I/O, no threads, no clock. Filled by the arena's clients and by
// tests, read by the checkers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace armature::arena {

using Time = int64_t;
inline constexpr Time kNever = std::numeric_limits<Time>::max();

// An item of the arena: {version, count, group, trail}. A Put starts it afresh, an Update goes on with it.
struct ItemState {
  bool exists = false;
  int64_t version = 0;         // id of the last write
  int64_t count = 0;           // Updates since the last Put
  int64_t group = 0;           // what the indexes are sorted by; 0: the item has none and stands in no index
  std::vector<int64_t> trail;  // ids of the writes since the last Put, that one included

  bool operator==(const ItemState&) const = default;
};

std::string Show(const ItemState& state);

enum class Effect : uint8_t { kRead, kPut, kUpdate, kDelete };

struct Condition {
  enum class Kind : uint8_t { kNone, kAbsent, kPresent, kVersion };
  Kind kind = Kind::kNone;
  int64_t version = 0;

  bool HoldsFor(const ItemState& state) const;
};

// What an answer said about an item at one moment.
struct Sighting {
  enum class Kind : uint8_t {
    kNothing,
    kWhole,       // this state exactly
    kNotInGroup,  // it is not in state.group: an index did not have it there
  };
  Kind kind = Kind::kNothing;
  ItemState state;

  static Sighting Whole(ItemState state) { return {Kind::kWhole, std::move(state)}; }
  static Sighting NotInGroup(int64_t group);
  bool Fits(const ItemState& actual) const;
};

// What one operation did to one item.
struct Access {
  // Of the condition, when the operation was refused because of conditions.
  enum class Verdict : uint8_t { kNotTold, kHeld, kFailed };

  uint32_t key = 0;
  Effect effect = Effect::kRead;
  int64_t id = 0;           // of a Put or an Update
  bool sets_group = false;  // a Put always does
  int64_t group = 0;        // what it sets
  Condition condition;
  Verdict verdict = Verdict::kNotTold;
  Sighting before;  // a read's answer stands here too
  Sighting after;

  bool is_write() const { return effect != Effect::kRead; }
  // The state that this access makes of `state`, if it is carried out.
  ItemState Apply(const ItemState& state) const;
};

enum class Outcome : uint8_t {
  kOk,
  kRefused,  // a condition did not hold: nothing was written, but something was learned
  kFailed,   // surely not done
  kUnknown,  // may have been done, once, at any time up to `returned`; or not at all
};

struct Operation {
  uint32_t process = 0;
  const char* name = "";  // of the API operation
  Time invoked = 0;
  Time returned = kNever;
  Outcome outcome = Outcome::kOk;
  std::vector<Access> accesses;
  // A read that may be old: `invoked` stands before the question by as much as is allowed.
  bool is_stale_read = false;
};

struct History {
  std::vector<std::string> keys;  // by the number accesses use
  std::vector<Operation> operations;
};

// One line for a report.
std::string Describe(const History& history, const Operation& operation);

// What is wrong, one message a finding; and what could not be decided.
struct Findings {
  std::vector<std::string> violations;
  size_t undecided = 0;

  bool ok() const { return violations.empty() && undecided == 0; }
  // Whether a run over so many keys counts: nothing is wrong, and of a hundred keys no more than one is undecided
  // (where cycles of transactions were looked for all the same).
  bool IsPass(size_t keys) const { return violations.empty() && undecided * 100 <= keys; }
  void Add(Findings other);
  std::string ToString() const;
};

}  // namespace armature::arena
