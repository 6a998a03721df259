#include "iam/store/directory.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "iam/store/record_codec.h"
#include "iam/store/store_testing.h"

namespace armature::iam {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(StoreTest, WhatWasAnsweredSurvivesACrashWhole) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(Change(MakeWorld), "ok");
  const std::string before = Describe(*directory_->Current());
  const auto user = FindUser("bob");
  Crash();
  ASSERT_EQ(Restart(), "ok");
  EXPECT_EQ(Describe(*directory_->Current()), before);
  EXPECT_EQ(FindUser("bob")->access_keys[0].secret, user->access_keys[0].secret);
  EXPECT_FALSE(FindUser("bob")->access_keys[1].is_active);
  EXPECT_EQ(directory_->Current()->FindKeyOwner(user->access_keys[0].id)->user_id, user->id);
  EXPECT_EQ(directory_->Current()->AccountOfAlias("acme"), kAccount);
  EXPECT_EQ(directory_->set_aside(), 0u);
}

TEST_F(StoreTest, ATrustPolicyMeansTheSameAfterARestart) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(Change(MakeWorld), "ok");
  const std::string old_id = FindUser("bob")->id;
  // Somebody else gets the name.
  ASSERT_EQ(Change([](Draft& draft) {
              return UpdateUser(draft, kAccount, "bob", "robert", "/") ? IamResult<void>()
                                                                       : IamResult<void>(InvalidInput(""));
            }),
            "ok");
  NewUser bob = UserNamed("bob");
  bob.path = "/staff/";
  ASSERT_EQ(Outcome(Make<UserRef>([&](Draft& draft) { return CreateUser(draft, kAccount, bob); })), "ok");
  ASSERT_EQ(Restart(), "ok");
  const auto role = directory_->Current()->FindAccount(kAccount)->roles.Find("r");
  EXPECT_EQ(role->trust->principals.at("arn:aws:iam::111122223333:user/staff/bob"), old_id);
}

TEST_F(StoreTest, AChangeIsInForceWhenItIsDurableAndNotBefore) {
  ASSERT_EQ(Restart(), "ok");
  engine_->SetAutoSync(false);
  std::string outcome;
  const auto run = [&]() -> Task<void> {
    std::function<IamResult<void>(Draft&)> change = MakeWorld;
    outcome = Outcome(co_await directory_->Change(std::move(change)));
  };
  executor_.Start(run());
  executor_.RunUntil([&] { return engine_->unsynced_commits() == 1; });
  EXPECT_EQ(FindUser("bob"), nullptr);
  EXPECT_TRUE(directory_->is_untouched());
  ASSERT_TRUE(engine_->Sync().ok());
  executor_.RunUntil([&] { return !outcome.empty(); });
  EXPECT_EQ(outcome, "ok");
  EXPECT_TRUE(FindUser("bob"));
  EXPECT_FALSE(directory_->is_untouched());
}

TEST_F(StoreTest, ACrashBeforeTheSyncTakesAllOfAChange) {
  ASSERT_EQ(Restart(), "ok");
  engine_->SetAutoSync(false);
  std::string outcome;
  const auto run = [&]() -> Task<void> {
    std::function<IamResult<void>(Draft&)> change = MakeWorld;
    outcome = Outcome(co_await directory_->Change(std::move(change)));
  };
  executor_.Start(run());
  executor_.RunUntil([&] { return engine_->unsynced_commits() == 1; });
  Crash();
  executor_.RunQueued();
  EXPECT_EQ(outcome, "ServiceUnavailable: The request has failed due to a temporary failure of the server.");
  ASSERT_EQ(Restart(), "ok");
  EXPECT_EQ(Describe(*directory_->Current()), "");
  EXPECT_TRUE(directory_->is_untouched());
}

TEST_F(StoreTest, AFailedChangeLeavesNothingEvenAfterARestart) {
  ASSERT_EQ(Restart(), "ok");
  for (const Point point : {Point::kCommit, Point::kSync}) {
    engine_->FailNext(point, 1, Status::NoSpace("full"));
    EXPECT_THAT(Change(MakeWorld), HasSubstr("ServiceUnavailable"));
    EXPECT_EQ(Describe(*directory_->Current()), "");
    EXPECT_TRUE(directory_->is_untouched());
    Crash();
    ASSERT_EQ(Restart(), "ok");
    EXPECT_EQ(Describe(*directory_->Current()), "");
    EXPECT_TRUE(directory_->is_untouched());
  }
}

// The sync of a deletion fails, and so does taking it back. The next change makes both durable: the user must be there.
TEST_F(StoreTest, WhatAFailedChangeMayHaveLeftIsTakenBackByTheNext) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(AddUser("bob"), "ok");
  engine_->SetAutoSync(false);
  std::string outcome;
  const auto run = [&]() -> Task<void> {
    std::function<IamResult<void>(Draft&)> change = [](Draft& draft) { return DeleteUser(draft, kAccount, "bob"); };
    outcome = Outcome(co_await directory_->Change(std::move(change)));
  };
  executor_.Start(run());
  executor_.RunUntil([&] { return engine_->unsynced_commits() == 1; });
  engine_->FailNext(Point::kSync, 1, Status::NoSpace("full"));
  engine_->FailNext(Point::kCommit, 1, Status::NoSpace("full"));
  EXPECT_FALSE(engine_->Sync().ok());
  executor_.RunUntil([&] { return !outcome.empty(); });
  EXPECT_THAT(outcome, HasSubstr("ServiceUnavailable"));
  engine_->SetAutoSync(true);
  EXPECT_TRUE(FindUser("bob"));
  const AccessKey key = AddKey("bob");
  Crash();
  ASSERT_EQ(Restart(), "ok");
  ASSERT_TRUE(FindUser("bob"));
  EXPECT_EQ(FindUser("bob")->access_keys.at(0).id, key.id);
}

TEST_F(StoreTest, AChangeThatChangesNothingWritesNothing) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(AddUser("bob"), "ok");
  const uint64_t version = directory_->version();
  const uint64_t commits = engine_->stats().commits;
  EXPECT_EQ(Change([](Draft& draft) { return EnsureAccount(draft, kAccount); }), "ok");
  EXPECT_THAT(AddUser("BOB"), HasSubstr("EntityAlreadyExists"));
  EXPECT_EQ(directory_->version(), version);
  EXPECT_EQ(engine_->stats().commits, commits);
}

// --- secrets

TEST_F(StoreTest, NoSecretIsStoredInTheClear) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(AddUser("bob"), "ok");
  const AccessKey key = AddKey("bob"), root_key = AddKey("");
  for (const auto& [record_key, record] : Records()) {
    EXPECT_THAT(record, Not(HasSubstr(key.secret)));
    EXPECT_THAT(record, Not(HasSubstr(root_key.secret)));
  }
}

TEST_F(StoreTest, AnotherMasterKeyIsOneClearError) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(AddUser("bob"), "ok");
  AddKey("bob");
  source_.text = kOtherMasterKey;
  EXPECT_THAT(Restart(), AllOf(HasSubstr("IAM's secrets are encrypted with key"), Not(HasSubstr(kMasterKey)),
                               Not(HasSubstr(kOtherMasterKey))));
  source_.text = "zz";
  EXPECT_THAT(Restart(), HasSubstr("line 1: a key is 64 hexadecimal digits"));
  source_.text.clear();
  source_.file = testing::TempDir() + "/there-is-no-such-key";
  source_.may_create_file = true;
  EXPECT_THAT(Restart(), AllOf(HasSubstr("IAM's secrets are encrypted with key"), HasSubstr("there is no file")));
}

TEST_F(StoreTest, ANewMasterKeyInFrontSealsEverythingAnew) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(AddUser("bob"), "ok");
  const AccessKey key = AddKey("bob");
  source_.text = kOtherMasterKey + "\n" + kMasterKey + "\n";
  ASSERT_EQ(Restart(), "ok");
  source_.text = kOtherMasterKey;
  ASSERT_EQ(Restart(), "ok");
  EXPECT_EQ(FindUser("bob")->access_keys.at(0).secret, key.secret);
  source_.text = kMasterKey;
  EXPECT_THAT(Restart(), HasSubstr("encrypted with key"));
}

TEST_F(StoreTest, ASecretDoesNotOpenInAnotherRecord) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(AddUser("bob"), "ok");
  ASSERT_EQ(AddUser("eve"), "ok");
  AddKey("bob");
  const std::string of_bob = KeyOfRecord('u', FindUser("bob")->id), of_eve = KeyOfRecord('u', FindUser("eve")->id);
  std::string stolen = Records()[of_bob];
  stolen.replace(stolen.find(FindUser("bob")->id), 21, FindUser("eve")->id);
  stolen.replace(stolen.find("\"bob\""), 5, "\"eve\"");
  WriteRecord(of_eve, stolen);
  storage::Batch batch;
  batch.Delete(of_bob);
  ASSERT_TRUE(RunBlocking(table::WriteSystemRecordsDurably(*engine_, batch)).ok());
  ASSERT_EQ(Restart(), "ok");
  EXPECT_EQ(directory_->set_aside(), 1u);
  EXPECT_FALSE(directory_->Current()->has_keys());
}

// --- damage

TEST_F(StoreTest, ADamagedRecordIsSetAsideAndTheOthersStay) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(Change(MakeWorld), "ok");
  ASSERT_EQ(AddUser("carl"), "ok");
  const std::string of_bob = KeyOfRecord('u', FindUser("bob")->id);
  const std::string record = Records()[of_bob];
  const AccessKey key = FindUser("bob")->access_keys.at(0);
  for (const std::string& damaged :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"), record.substr(0, record.size() / 2),
        std::string(record).replace(record.find("\"secret\":\"") + 20, 4, "AAAA"), std::string("{\"version\":2}")}) {
    WriteRecord(of_bob, damaged);
    ASSERT_EQ(Restart(), "ok") << damaged;
    EXPECT_EQ(directory_->set_aside(), 1u) << damaged;
    EXPECT_EQ(FindUser("bob"), nullptr);
    EXPECT_TRUE(FindUser("carl"));
    EXPECT_EQ(directory_->Current()->FindKeyOwner(key.id), nullptr);
    EXPECT_EQ(Records()[of_bob], damaged) << "kept as it is";
  }
  WriteRecord(of_bob, record);
  ASSERT_EQ(Restart(), "ok");
  EXPECT_EQ(FindUser("bob")->access_keys.at(0).secret, key.secret);
}

TEST_F(StoreTest, DamageNeverMakesAServerThatBelievesEverybody) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(AddUser("bob"), "ok");
  AddKey("bob");
  const auto records = Records();
  for (const auto& [key, record] : records)
    if (key != table::IamKey()) WriteRecord(key, "garbage");
  ASSERT_EQ(Restart(), "ok");
  EXPECT_FALSE(directory_->is_untouched());
  WriteRecord(table::IamKey(), "garbage");
  EXPECT_NE(Restart(), "ok");
}

TEST_F(StoreTest, OnePrincipalIsEnoughForNobodyToBeBelievedUnseen) {
  ASSERT_EQ(Restart(), "ok");
  ASSERT_EQ(Change([](Draft& draft) -> IamResult<void> {
              ARMATURE_CHECK_OK(CreateGroup(draft, kAccount, "g", "/"));
              return {};
            }),
            "ok");
  EXPECT_TRUE(directory_->is_untouched()) << "a group is nobody";
  ASSERT_EQ(Change([](Draft& draft) -> IamResult<void> {
              ARMATURE_CHECK_OK(CreateRole(draft, kAccount, RoleNamed("r")));
              return {};
            }),
            "ok");
  EXPECT_FALSE(directory_->is_untouched());
  ASSERT_EQ(Restart(), "ok");
  EXPECT_FALSE(directory_->is_untouched());
}

TEST_F(StoreTest, DeletingTheLastPrincipalDoesNotMakeItBelieveEverybody) {
  ASSERT_EQ(Restart(), "ok");
  EXPECT_TRUE(directory_->is_untouched());
  ASSERT_EQ(AddUser("bob"), "ok");
  EXPECT_FALSE(directory_->is_untouched()) << "although he cannot sign yet";
  const AccessKey key = AddKey("bob");
  ASSERT_EQ(Change([&](Draft& draft) -> IamResult<void> {
              ARMATURE_CHECK_OK(DeleteAccessKey(draft, kAccount, "bob", key.id));
              return DeleteUser(draft, kAccount, "bob");
            }),
            "ok");
  EXPECT_FALSE(directory_->is_untouched());
  ASSERT_EQ(Restart(), "ok");
  EXPECT_FALSE(directory_->is_untouched());
}

// --- formats

class CountingRandom final : public RandomSource {
 public:
  uint64_t NextU64() override { return next_++; }

 private:
  uint64_t next_ = 1;
};

// The example of docs/design/formats.md.
TEST(IamRecords, BytesAsDocumented) {
  CountingRandom random;
  const auto keys = MasterKeys::Parse(kMasterKey);
  ASSERT_TRUE(keys);
  Draft draft(Snapshot(), 1'700'000'000'000, random);
  auto user = std::make_shared<User>();
  user->account = "111122223333";
  user->id = "AIDAEXAMPLEEXAMPLE123";
  user->name = "bob";
  user->created_millis = 1'700'000'000'000;
  user->attached = {"arn:aws:iam::aws:policy/AdministratorAccess"};
  user->access_keys.push_back({"AKIAEXAMPLEEXAMPLE12", std::string(40, 's'), true, 1'700'000'000'000});
  draft.Put(UserRef(user));
  std::string record;
  const RecordName name{"111122223333", RecordKind::kUser, user->id};
  ASSERT_TRUE(RecordCodec(*keys, random).Encode(draft.state(), name, record));
  EXPECT_EQ(KeyOf(name), "A111122223333uAIDAEXAMPLEEXAMPLE123");
  EXPECT_EQ(
      record,
      R"({"version":1,"id":"AIDAEXAMPLEEXAMPLE123","name":"bob","path":"/","created":1700000000000,"tags":[],"inline":[],)"
      R"("attached":["arn:aws:iam::aws:policy/AdministratorAccess"],"boundary":"","groups":[],"keys":[{)"
      R"("id":"AKIAEXAMPLEEXAMPLE12","active":true,"created":1700000000000,"key":"021fd5d0f14b80e2",)"
      R"("secret":"AQAAAAAAAAACAAAArlUZMWWBdF6cxr1SQG7IVXeNkFOT4rSv1UvYvjSDiTW9OqHZ/4fAukGxrS83+7w+2UreDZVIpCo="}]})");
}

// --- threads

// Two users come and go together; whoever looks sees both or none, and never an older state after a newer one.
TEST_F(StoreTest, ReadersSeeWholeChangesInTheirOrder) {
  ASSERT_EQ(Restart(), "ok");
  std::atomic<bool> is_over = false;
  std::atomic<uint64_t> looks = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      int64_t newest = -1;
      while (!is_over) {
        const auto& state = directory_->Pinned();
        const AccountState* const account = state->FindAccount(kAccount);
        if (!account) continue;
        EXPECT_EQ(account->users.Find("a") == nullptr, account->users.Find("b") == nullptr);
        const auto counter = account->users.Find("counter");
        const int64_t now = counter ? std::stoll(counter->tags.at(0).value) : 0;
        EXPECT_GE(now, newest);
        newest = now;
        ++looks;
      }
    });
  }
  for (int i = 1; i <= 200; ++i) {
    ASSERT_EQ(Change([&](Draft& draft) -> IamResult<void> {
                if (!draft.AccountOf(kAccount).users.Find("counter"))
                  ARMATURE_CHECK_OK(CreateUser(draft, kAccount, UserNamed("counter")));
                ARMATURE_CHECK_OK(TagEntity<User>(draft, kAccount, "counter", {{"n", std::to_string(i)}}));
                for (const char* const name : {"a", "b"}) {
                  if (draft.AccountOf(kAccount).users.Find(name)) ARMATURE_CHECK_OK(DeleteUser(draft, kAccount, name));
                  else ARMATURE_CHECK_OK(CreateUser(draft, kAccount, UserNamed(name)));
                }
                return {};
              }),
              "ok");
    const AccountState* const account = directory_->Pinned()->FindAccount(kAccount);
    EXPECT_EQ(account->users.Find("counter")->tags.at(0).value, std::to_string(i)) << "in force when it is answered";
  }
  while (looks < 1000) std::this_thread::yield();
  is_over = true;
  for (std::thread& reader : readers) reader.join();
}

TEST_F(StoreTest, ChangesOfSeveralThreadsComeOneAfterTheOther) {
  ASSERT_EQ(Restart(), "ok");
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 25; ++i) EXPECT_EQ(AddUser(fmt::format("u-{}-{}", w, i)), "ok");
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(directory_->Current()->FindAccount(kAccount)->users.size(), 100u);
  Crash();
  ASSERT_EQ(Restart(), "ok");
  EXPECT_EQ(directory_->Current()->FindAccount(kAccount)->users.size(), 100u);
}

}  // namespace
}  // namespace armature::iam
