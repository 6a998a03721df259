// Changes with every one of their allocations failing: what is in force is what is stored, all of a change or nothing.
#include <memory>
#include <new>

#include <gtest/gtest.h>

#include "api/faults/failing_new.h"
#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "iam/access/iam_key_ring.h"
#include "iam/seed/administrator.h"
#include "iam/store/store_testing.h"
#include "storage/memory/memory_engine.h"

namespace armature::iam {
namespace {

// Over the memory engine, whose commits are whole whatever fails.
class AllocationTest : public testing::Test {
 protected:
  AllocationTest() {
    SetLogLevel(LogLevel::kOff);
    MemoryReserve::Install(1 << 20);
    source_.text = kMasterKey;
  }
  ~AllocationTest() override {
    std::set_new_handler(nullptr);
    SetLogLevel(LogLevel::kInfo);
  }

  // A new, empty world.
  void Begin() {
    directory_.reset();
    engine_ = storage::OpenMemoryEngine(metrics_);
    directory_ = std::make_unique<Directory>(*engine_, clock_, random_, source_);
    ASSERT_TRUE(RunBlocking(directory_->Load()).ok());
  }
  // Runs `step` with its n-th allocation failing; whether that came.
  template <class Step>
  bool RunFailing(uint64_t n, Step step) {
    const Fallible fallible;
    FailingNew::Arm(n);
    try {
      step();
    } catch (const std::bad_alloc&) {}
    FailingNew::Disarm();
    MemoryReserve::Refill();
    return FailingNew::has_failed();
  }
  std::string AddUser(std::string_view name) {
    return Outcome(RunBlocking(
        directory_->Change<UserRef>([&](Draft& draft) { return CreateUser(draft, kAccount, UserNamed(name)); })));
  }
  UserRef FindUser(std::string_view name) {
    const auto state = directory_->Current();
    const AccountState* const account = state->FindAccount(kAccount);
    return account ? account->users.Find(name) : nullptr;
  }
  std::string Stored() {
    Directory again(*engine_, clock_, random_, source_);
    EXPECT_TRUE(RunBlocking(again.Load()).ok());
    EXPECT_EQ(again.set_aside(), 0u);
    return Describe(*again.Current());
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_;
  ManualClock clock_;
  SecretRandom random_;
  MasterKeySource source_;
  std::unique_ptr<Directory> directory_;
};

TEST_F(AllocationTest, AChangeIsStoredWholeOrNotAtAll) {
  bool has_failed = true;
  uint64_t done = 0;
  for (uint64_t n = 1; has_failed; n += n < 200 ? 1 : 7) {
    Begin();
    ASSERT_EQ(AddUser("before"), "ok");
    const std::string before = Describe(*directory_->Current());
    has_failed = RunFailing(n, [&] { (void)RunBlocking(directory_->Change(MakeWorld)); });
    const std::string now = Describe(*directory_->Current());
    EXPECT_EQ(Stored(), now) << n;
    if (now != before) {
      EXPECT_TRUE(FindUser("bob")) << n;
      EXPECT_FALSE(directory_->is_untouched());
      ++done;
    }
    EXPECT_EQ(AddUser("after"), "ok") << n;
    EXPECT_EQ(Stored(), Describe(*directory_->Current())) << n;
    if (HasFailure()) break;
  }
  EXPECT_GE(done, 1u);
}

TEST_F(AllocationTest, ADeletionIsStoredWholeOrNotAtAll) {
  bool has_failed = true;
  for (uint64_t n = 1; has_failed; ++n) {
    Begin();
    ASSERT_EQ(AddUser("bob"), "ok");
    has_failed = RunFailing(n, [&] {
      (void)RunBlocking(directory_->Change([](Draft& draft) { return DeleteUser(draft, kAccount, "bob"); }));
    });
    EXPECT_EQ(Stored(), Describe(*directory_->Current())) << n;
    EXPECT_EQ(AddUser("after"), "ok") << n;
    EXPECT_EQ(Stored(), Describe(*directory_->Current())) << n;
    if (HasFailure()) break;
  }
  EXPECT_EQ(FindUser("bob"), nullptr);
}

TEST_F(AllocationTest, AKeyIsFoundAgainAfterALookThatFoundNoMemory) {
  Begin();
  const auto key = RunBlocking(InitAccount(*directory_, std::string(kAccount)));
  ASSERT_TRUE(key);
  UsageTable usage(*engine_);
  bool has_failed = true;
  for (uint64_t n = 1; has_failed; ++n) {
    const IamKeyRing ring(*directory_, usage);  // nothing is known to it yet
    has_failed = RunFailing(n, [&] { (void)ring.Find(key->id, {}); });
    const auto found = ring.Find(key->id, {});
    ASSERT_TRUE(found) << n;
    EXPECT_EQ(found->secret.text(), key->secret);
    EXPECT_EQ(found->identity->user_name, kAdministratorName);
  }
}

}  // namespace
}  // namespace armature::iam
