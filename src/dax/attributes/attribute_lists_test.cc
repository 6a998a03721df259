#include "dax/attributes/attribute_lists.h"

#include <chrono>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/mutex.h"

namespace armature::dax {
namespace {

using Names = std::vector<std::string_view>;

constexpr std::string_view kListAccount = "111122223333";
constexpr std::string_view kOtherListAccount = "444455556666";

// A store that the test can make fail, or hold.
class FakeStore final : public AttributeListStore {
 public:
  Result<std::vector<AttributeList>> Load() override {
    const MutexLock lock(mutex_);
    return stored_;
  }
  Status Append(std::span<const std::shared_ptr<const AttributeList>> lists) override {
    MutexLock lock(mutex_);
    ++appends_;
    changed_.notify_all();
    changed_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return !is_held_; });
    if (!failure_.ok()) return failure_;
    for (const auto& list : lists) stored_.push_back(*list);
    return Status::Ok();
  }

  void Hold(bool is_held) {
    const MutexLock lock(mutex_);
    is_held_ = is_held;
    changed_.notify_all();
  }
  void FailWith(Status failure) {
    const MutexLock lock(mutex_);
    failure_ = std::move(failure);
  }
  void AwaitAppends(size_t count) {
    MutexLock lock(mutex_);
    changed_.wait(lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return appends_ >= count; });
  }
  size_t appends() {
    const MutexLock lock(mutex_);
    return appends_;
  }
  std::vector<AttributeList> stored() {
    const MutexLock lock(mutex_);
    return stored_;
  }
  std::vector<AttributeNames> stored_names() {
    std::vector<AttributeNames> names;
    for (const AttributeList& list : stored()) names.push_back(list.names);
    return names;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::vector<AttributeList> stored_ ARMATURE_GUARDED_BY(mutex_);
  Status failure_ ARMATURE_GUARDED_BY(mutex_);
  bool is_held_ ARMATURE_GUARDED_BY(mutex_) = false;
  size_t appends_ ARMATURE_GUARDED_BY(mutex_) = 0;
};

uint64_t Id(AttributeLists& lists, Names names) { return lists.Intern(kListAccount, names).value(); }

TEST(AttributeLists, GiveIdsInTurnAndTheSameAgain) {
  FakeStore store;
  AttributeLists lists(&store);
  ASSERT_TRUE(lists.Load().ok());
  EXPECT_EQ(Id(lists, {}), kEmptyAttributeList);
  EXPECT_TRUE(lists.is_settled());
  EXPECT_EQ(Id(lists, {"a", "b"}), 2u);
  EXPECT_EQ(Id(lists, {"b", "a"}), 3u);
  EXPECT_EQ(Id(lists, {"ab"}), 4u);
  EXPECT_EQ(Id(lists, {"a", "b"}), 2u);
  EXPECT_TRUE(RunBlocking(lists.Settled()).ok());
  EXPECT_TRUE(lists.is_settled());
  EXPECT_EQ(*lists.Find(kListAccount, 2), (AttributeNames{"a", "b"}));
  EXPECT_EQ(*lists.Find(kListAccount, 1), AttributeNames{});
  for (const uint64_t id : {uint64_t{0}, uint64_t{5}, uint64_t{100'001}, UINT64_MAX})
    EXPECT_EQ(lists.Find(kListAccount, id), nullptr);
  EXPECT_EQ(store.stored_names(), (std::vector<AttributeNames>{{"a", "b"}, {"b", "a"}, {"ab"}}));
}

// Names are their account's alone, and so are their numbers.
TEST(AttributeLists, BelongToAnAccount) {
  FakeStore store;
  {
    AttributeLists lists(&store);
    ASSERT_TRUE(lists.Load().ok());
    EXPECT_EQ(lists.Intern(kListAccount, Names{"a"}).value(), 2u);
    EXPECT_EQ(lists.Intern(kOtherListAccount, Names{"a"}).value(), 3u);
    EXPECT_EQ(lists.Intern(kOtherListAccount, Names{"secret"}).value(), 4u);
    EXPECT_EQ(lists.Intern(kListAccount, Names{}).value(), lists.Intern(kOtherListAccount, Names{}).value());
  }
  AttributeLists lists(&store);
  ASSERT_TRUE(lists.Load().ok());
  EXPECT_EQ(lists.Find(kListAccount, 4), nullptr);
  EXPECT_EQ(lists.Find(kListAccount, 3), nullptr);
  EXPECT_EQ(lists.Find(kOtherListAccount, 2), nullptr);
  EXPECT_EQ(*lists.Find(kOtherListAccount, 4), AttributeNames{"secret"});
  EXPECT_EQ(*lists.Find(kOtherListAccount, 1), AttributeNames{});
  EXPECT_EQ(lists.Intern(kListAccount, Names{"a"}).value(), 2u);
  EXPECT_EQ(lists.Intern(kOtherListAccount, Names{"a"}).value(), 3u);
  EXPECT_EQ(lists.Intern(kListAccount, Names{"secret"}).value(), 5u);
}

TEST(AttributeLists, SurviveARestart) {
  FakeStore store;
  {
    AttributeLists lists(&store);
    ASSERT_TRUE(lists.Load().ok());
    Id(lists, {"a"});
    Id(lists, {"b"});
  }  // what waited was appended
  AttributeLists lists(&store);
  ASSERT_TRUE(lists.Load().ok());
  EXPECT_TRUE(lists.is_settled());
  EXPECT_EQ(Id(lists, {"b"}), 3u);
  EXPECT_EQ(Id(lists, {"c"}), 4u);
  EXPECT_EQ(*lists.Find(kListAccount, 2), AttributeNames{"a"});
}

TEST(AttributeLists, WithoutAStoreAreAlwaysSettled) {
  AttributeLists lists(nullptr);
  ASSERT_TRUE(lists.Load().ok());
  EXPECT_EQ(Id(lists, {"a"}), 2u);
  EXPECT_TRUE(lists.is_settled());
  EXPECT_TRUE(RunBlocking(lists.Settled()).ok());
}

TEST(AttributeLists, SettleTogether) {
  FakeStore store;
  AttributeLists lists(&store);
  ASSERT_TRUE(lists.Load().ok());
  store.Hold(true);
  Id(lists, {"first"});
  store.AwaitAppends(1);
  for (int i = 0; i < 100; ++i) lists.Intern(kListAccount, Names{std::to_string(i)}).value();
  EXPECT_FALSE(lists.is_settled());
  std::thread waiter([&] { EXPECT_TRUE(RunBlocking(lists.Settled()).ok()); });
  store.Hold(false);
  waiter.join();
  EXPECT_EQ(store.appends(), 2u);
  EXPECT_EQ(store.stored().size(), 101u);
}

TEST(AttributeLists, AStoreThatFailsIsToldAndTriedAgain) {
  FakeStore store;
  AttributeLists lists(&store);
  ASSERT_TRUE(lists.Load().ok());
  store.FailWith(Status::NoSpace("the disk is full"));
  EXPECT_EQ(Id(lists, {"a"}), 2u);
  EXPECT_EQ(RunBlocking(lists.Settled()).code(), StatusCode::kNoSpace);
  EXPECT_EQ(RunBlocking(lists.Settled()).code(), StatusCode::kNoSpace);
  EXPECT_EQ(Id(lists, {"a"}), 2u) << "the id stays what it is";
  EXPECT_EQ(Id(lists, {"b"}), 3u);
  store.FailWith(Status::Ok());
  while (!lists.is_settled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(RunBlocking(lists.Settled()).ok());
  EXPECT_EQ(store.stored_names(), (std::vector<AttributeNames>{{"a"}, {"b"}}));
}

TEST(AttributeLists, AStoreThatFailsDoesNotHoldTheEnd) {
  FakeStore store;
  store.FailWith(Status::IoError("broken"));
  AttributeLists lists(&store);
  ASSERT_TRUE(lists.Load().ok());
  Id(lists, {"a"});
}

TEST(AttributeLists, AreBounded) {
  AttributeLists lists(nullptr, {.most_lists = 3});
  for (const char* name : {"a", "b", "c"}) lists.Intern(kListAccount, Names{name}).value();
  EXPECT_EQ(lists.Intern(kListAccount, Names{"d"}).error().code(), StatusCode::kNoSpace);
  EXPECT_EQ(Id(lists, {"b"}), 3u) << "what is there is found";
  AttributeLists total(nullptr, {.most_total_bytes = 1000});
  const std::string long_name(600, 'x');
  total.Intern(kListAccount, Names{long_name}).value();
  EXPECT_EQ(total.Intern(kListAccount, Names{long_name, "b"}).error().code(), StatusCode::kNoSpace);
  AttributeLists one(nullptr, {.most_list_bytes = 100});
  EXPECT_EQ(one.Intern(kListAccount, Names{long_name}).error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(one.Intern(kListAccount, Names{"a", "b", "c", "d"}).error().code(), StatusCode::kInvalidArgument);
}

TEST(AttributeLists, RefuseNamesThatNoItemHas) {
  AttributeLists lists(nullptr);
  EXPECT_EQ(lists.Intern(kListAccount, Names{"a", "a"}).error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(lists.Intern(kListAccount, Names{"\xff"}).error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Id(lists, {"a"}), 2u) << "and nothing was given for them";
}

TEST(AttributeLists, MoreThanStoredThanAllowedIsAnError) {
  FakeStore store;
  {
    AttributeLists lists(&store);
    ASSERT_TRUE(lists.Load().ok());
    for (const char* name : {"a", "b", "c"}) lists.Intern(kListAccount, Names{name}).value();
  }
  AttributeLists lists(&store, {.most_lists = 2});
  EXPECT_EQ(lists.Load().code(), StatusCode::kInvalidArgument);
}

TEST(AttributeLists, ManyThreadsAgree) {
  constexpr int kThreads = 4;
  constexpr int kLists = 3000;  // more than a chunk of the table
  FakeStore store;
  AttributeLists lists(&store);
  ASSERT_TRUE(lists.Load().ok());
  std::vector<std::map<std::string, uint64_t>> seen(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&lists, &mine = seen[static_cast<size_t>(thread)], thread] {
      for (int i = 0; i < kLists; ++i) {
        const std::string name = std::to_string((i + thread * 7) % kLists);
        const uint64_t id = lists.Intern(kListAccount, Names{name, "common"}).value();
        mine[name] = id;
        const auto names = lists.Find(kListAccount, id);
        ASSERT_NE(names, nullptr);
        ASSERT_EQ((*names)[0], name);
        if (i % 500 != 0) continue;
        ASSERT_TRUE(RunBlocking(lists.Settled()).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& map : seen) EXPECT_EQ(map, seen[0]);
  std::set<uint64_t> ids;
  for (const auto& [name, id] : seen[0]) ids.insert(id);
  EXPECT_EQ(ids.size(), size_t{kLists});
  EXPECT_EQ(*ids.rbegin(), uint64_t{kLists} + 1);
  ASSERT_TRUE(RunBlocking(lists.Settled()).ok());
  const auto stored = store.stored_names();
  ASSERT_EQ(stored.size(), size_t{kLists});
  for (size_t i = 0; i < stored.size(); ++i) EXPECT_EQ(seen[0][stored[i][0]], i + 2);
}

}  // namespace
}  // namespace armature::dax
