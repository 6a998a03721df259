// What is kept equals the table whenever no write is under way: in every order of the steps of a few readers and
// writers, and in many orders of more.
#include "dax/cache/tickets.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace armature::dax {
namespace {

constexpr uint64_t kHash = 12'345;

// Reads; writes; writes and is refused; writes and does not learn whether it was done, which it was, or was not.
enum class Role : char { kReader = 'r', kWriter = 'w', kRefused = 'f', kUnknownDone = 'u', kUnknownLost = 'l' };

// One item of a table, its entry, and some who read and write it in three steps each.
class SteppedTable {
 public:
  explicit SteppedTable(std::string_view roles) {
    for (const char role : roles) actors_.push_back({.role = static_cast<Role>(role)});
  }

  // Everybody before his first step, the entry there or not.
  void Begin(bool is_kept) {
    for (Actor& actor : actors_) actor.steps = 0;
    table_ = next_value_++;
    entry_ = is_kept ? std::optional(table_) : std::nullopt;
    writing_ = 0;
  }

  void Step(size_t index) {
    Actor& actor = actors_[index];
    const size_t step = actor.steps++;
    if (actor.role == Role::kReader) return StepReader(actor, step);
    if (step == 0) {
      actor.ticket = tickets_.Begin(kHash);
      ++writing_;
    } else if (step == 1) {
      actor.value = next_value_++;
      if (actor.role == Role::kWriter || actor.role == Role::kUnknownDone) table_ = actor.value;
    } else {
      tickets_.End(kHash, actor.ticket, [&](bool is_alone) { EndWrite(actor, is_alone); });
      --writing_;
    }
  }

  // Besides, nothing is ever put that is not the table's at that moment: or else a client would be given what is newer
  // from the table, and then what is older from the cache.
  bool is_right() const { return (writing_ > 0 || !entry_ || entry_ == table_) && !was_put_wrong_; }
  bool is_kept() const { return entry_.has_value(); }

 private:
  struct Actor {
    Role role;
    size_t steps = 0;
    ReadTicket ticket{};
    int value = 0;
  };

  void StepReader(Actor& actor, size_t step) {
    if (step == 0) actor.ticket = tickets_.Take(kHash);
    else if (step == 1) actor.value = table_;
    else tickets_.Keep(kHash, actor.ticket, [&] { PutEntry(actor.value); });
  }

  void EndWrite(const Actor& actor, bool is_alone) {
    if (actor.role == Role::kRefused) return;
    if (actor.role == Role::kWriter && is_alone) PutEntry(actor.value);
    else entry_.reset();
  }

  void PutEntry(int value) {
    entry_ = value;
    was_put_wrong_ |= value != table_;
  }

  Tickets tickets_;
  std::vector<Actor> actors_;
  int next_value_ = 0;
  int table_ = 0;
  std::optional<int> entry_;
  int writing_ = 0;
  bool was_put_wrong_ = false;
};

class TicketsOrderTest : public testing::TestWithParam<std::string> {};

TEST_P(TicketsOrderTest, EveryOrderIsRight) {
  const std::string roles = GetParam();
  SteppedTable table(roles);
  std::string order;
  for (size_t i = 0; i < roles.size(); ++i) order.append(3, static_cast<char>(i));
  size_t orders = 0, kept = 0;
  do {
    for (const bool begins_kept : {false, true}) {
      table.Begin(begins_kept);
      for (const char index : order) {
        table.Step(static_cast<size_t>(index));
        ASSERT_TRUE(table.is_right());
      }
      ++orders;
      kept += table.is_kept() ? 1 : 0;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  // It would be right to keep nothing, too.
  EXPECT_GT(kept, 0u);
  if (roles.find_first_of("ul") == std::string::npos) { EXPECT_GT(kept, orders / 100); }
}
INSTANTIATE_TEST_SUITE_P(All, TicketsOrderTest,
                         testing::Values("r", "w", "rr", "rw", "ww", "wf", "rwf", "rww", "www", "ruw", "rlw", "rff",
                                         "rrww", "rwwf", "rwfu", "rrwl"),
                         [](const auto& tested) { return tested.param; });

TEST(TicketsTest, ManyReadersAndWritersInRandomOrders) {
  SeededRandom random(4);
  for (const std::string roles : {"rrrrwwww", "rrwwwfful", "rwfulrwful"}) {
    SteppedTable table(roles);
    for (int round = 0; round < 20'000; ++round) {
      std::string order;
      for (size_t i = 0; i < roles.size(); ++i) order.append(3, static_cast<char>(i));
      for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[random.Below(left)]);
      table.Begin(round % 2 == 0);
      for (const char index : order) {
        table.Step(static_cast<size_t>(index));
        ASSERT_TRUE(table.is_right());
      }
    }
  }
}

TEST(TicketsTest, AReadAndAWriteByThemselvesAreKept) {
  Tickets tickets;
  bool is_kept = false;
  const ReadTicket read = tickets.Take(kHash);
  tickets.Keep(kHash, read, [&] { is_kept = true; });
  EXPECT_TRUE(is_kept);
  bool was_alone = false;
  const ReadTicket write = tickets.Begin(kHash);
  EXPECT_NE(read, tickets.Take(kHash));
  tickets.End(kHash, write, [&](bool is_alone) { was_alone = is_alone; });
  EXPECT_TRUE(was_alone);
}

TEST(TicketsTest, AWriteOfAnotherStripeIsNobodysMatter) {
  Tickets tickets;
  const ReadTicket read = tickets.Take(kHash);
  const ReadTicket other = tickets.Begin(kHash + 1);
  bool is_kept = false;
  tickets.Keep(kHash, read, [&] { is_kept = true; });
  EXPECT_TRUE(is_kept);
  // Of the same stripe, though of another key, it is one.
  is_kept = false;
  const ReadTicket meeting = tickets.Take(kHash + 1 + Tickets::kStripes);
  tickets.Keep(kHash + 1 + Tickets::kStripes, meeting, [&] { is_kept = true; });
  EXPECT_FALSE(is_kept);
  tickets.End(kHash + 1, other, [](bool) {});
}

TEST(TicketsTest, ATicketThatWasNeverTakenKeepsNothing) {
  Tickets tickets;
  tickets.Keep(kHash, ReadTicket(), [] { FAIL(); });
}

}  // namespace
}  // namespace armature::dax
