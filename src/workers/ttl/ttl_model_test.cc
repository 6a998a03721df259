// Random writes of every kind, with Time to Live turned on and off and crashes in between: the expiry rows are always
// what a look at every item says they should be.
#include <memory>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "workers/ttl/ttl_testing.h"

namespace armature::workers {
namespace {

using model::TtlStatus;
using table::ItemWrite;
using table::TestWrite;
using testing::IsEmpty;
using testing::IsSubsetOf;

class TtlModelTest : public TtlFixture, public testing::WithParamInterface<uint32_t> {
 protected:
  static constexpr size_t kKeys = 40;

  size_t Pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  // An expiry, or something that is none.
  std::string PickValue() {
    switch (Pick(8)) {
      case 0: return "S:1700000000";
      case 1: return "N:0";
      case 2: return fmt::format("N:{}.{}", 1'700'000'000 + Pick(20), Pick(10));
      case 3: return fmt::format("N:{}E2", 17'000'000 + Pick(3));
      case 4: return "N:1E30";
      default: return fmt::format("N:{}", 1'700'000'000 + Pick(20));
    }
  }

  std::unique_ptr<TestWrite> PickWrite(size_t key_number) {
    const std::string key = fmt::format("pk=S:k{}", key_number);
    switch (Pick(9)) {
      case 0: return TestWrite::Delete(*table_, key);
      case 1: return TestWrite::Delete(*table_, key, "exp > :v", {{":v", "N:1700000010"}});
      case 2: return TestWrite::Put(*table_, key);
      case 3: return TestWrite::Update(*table_, key, "REMOVE exp");
      case 4: return TestWrite::Update(*table_, key, "SET extra = :v", {}, {{":v", PickValue()}});
      case 5: return TestWrite::Update(*table_, key, "SET exp = :v", "attribute_exists(exp)", {{":v", PickValue()}});
      case 6:
        return TestWrite::Update(*table_, key, "SET exp = :v, upto = :w", {},
                                 {{":v", PickValue()}, {":w", PickValue()}});
      case 7: return TestWrite::Put(*table_, key + ",exp=" + PickValue(), "attribute_not_exists(pk)");
      default: return TestWrite::Put(*table_, fmt::format("{},exp={},upto={}", key, PickValue(), PickValue()));
    }
  }

  Task<void> WriteOne() {
    auto write = PickWrite(Pick(kKeys));
    const std::string outcome = co_await write->Execute(layer_->writes);
    EXPECT_TRUE(outcome == "ok" || outcome == "condition") << outcome;
  }

  // Several items, in a transaction or a batch.
  Task<void> WriteSeveral(bool is_transaction) {
    std::vector<std::unique_ptr<TestWrite>> parts;
    const size_t count = 1 + Pick(5), first = Pick(kKeys);
    for (size_t i = 0; i < count; ++i) parts.push_back(PickWrite((first + i) % kKeys));
    const auto writes = std::make_unique<ItemWrite[]>(count);
    for (size_t i = 0; i < count; ++i) {
      const ItemWrite& from = parts[i]->write();
      ItemWrite& to = writes[i];
      to.kind = from.kind;
      to.table = from.table;
      to.key = from.key;
      to.put_item = from.put_item;
      to.put_item_size = from.put_item_size;
      to.update = from.update;
      to.condition = from.condition;
    }
    Arena arena;
    const std::span<ItemWrite> all(writes.get(), count);
    if (is_transaction) {
      const auto done = co_await layer_->writes.ExecuteTransaction(all, nullptr, arena);
      EXPECT_TRUE(done.has_value());
    } else {
      const auto done = co_await layer_->writes.ExecuteBatch(all, arena);
      EXPECT_TRUE(done.has_value());
    }
  }

  void WriteSome() {
    for (size_t i = Pick(30); i > 0; --i) {
      switch (Pick(4)) {
        case 0: RunBlocking(WriteSeveral(true)); break;
        case 1: RunBlocking(WriteSeveral(false)); break;
        default: RunBlocking(WriteOne()); break;
      }
    }
  }

  void Check() {
    const std::string attribute = table_->def()->ttl.attribute;
    const std::string state = State();
    if (state == "ENABLED") {
      EXPECT_EQ(Rows(), ExpectedRows(attribute));
    } else if (state == "ENABLING") {
      EXPECT_THAT(Rows(), IsSubsetOf(ExpectedRows(attribute)));  // some are missing, none is wrong
    } else if (state == "DISABLED") {
      EXPECT_THAT(Rows(), IsEmpty());
    }
  }

  // One step of the life of TTL, whatever state it is in.
  void MoveOn() {
    const std::string state = State();
    if (state == "DISABLED") ChangeTtl(TtlStatus::kEnabling, Pick(2) == 0 ? "exp" : "upto");
    else if (state == "ENABLED") ChangeTtl(TtlStatus::kDisabling, table_->def()->ttl.attribute);
    if (Pick(4) != 0) Announce();  // otherwise a crash or a later step comes first
  }

  std::mt19937 random_{GetParam()};
};

TEST_P(TtlModelTest, RowsAreWhatTheItemsSay) {
  size_t enabled = 0, crashes = 0;
  for (int step = 0; step < 400; ++step) {
    WriteSome();
    Check();
    switch (Pick(8)) {
      case 0: MoveOn(); break;
      case 1:
        Crash();
        ++crashes;
        break;
      case 2:
        // Several seconds of items expire and go.
        AdvanceSeconds(static_cast<int64_t>(Pick(2)));
        Sweep();
        break;
      default: SetupStep(); break;
    }
    Check();
    if (State() == "ENABLED") ++enabled;
    if (HasFailure()) FAIL() << "at step " << step;
  }
  EXPECT_GT(enabled, 50u);
  EXPECT_GT(crashes, 20u);
}

INSTANTIATE_TEST_SUITE_P(Seed, TtlModelTest, testing::Range(1u, 9u));

}  // namespace
}  // namespace armature::workers
