// What the tests of IAM's store share: a directory over an engine that fails and crashes, and changes in one line.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/async.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/testing/executor_testing.h"
#include "iam/changes/changes_testing.h"
#include "iam/store/directory.h"
#include "iam/store/record_codec.h"
#include "storage/faulty/faulty_engine.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::iam {

// Two master keys, as text.
inline const std::string kMasterKey(64, 'a');
inline const std::string kOtherMasterKey(64, 'b');

// Says all that is stored, entity by entity, without secrets' nonces.
inline std::string Describe(const Snapshot& state) {
  std::string all;
  for (const RecordName& name : AllRecords(state)) {
    class NoRandom final : public RandomSource {
     public:
      uint64_t NextU64() override { return 0; }
    } none;
    const auto keys = MasterKeys::Parse(kMasterKey);
    std::string record;
    EXPECT_TRUE(RecordCodec(*keys, none).Encode(state, name, record));
    all += fmt::format("{}{}{} {}\n", name.account, static_cast<char>(name.kind), name.id, record);
  }
  return all;
}

// One of everything.
inline IamResult<void> MakeWorld(Draft& draft) {
  ARMATURE_CHECK_OK(CreateAccountAlias(draft, kAccount, "acme"));
  NewUser bob = UserNamed("bob");
  bob.path = "/staff/";
  bob.tags = {{"team", "röd \"1\"\n"}};
  ARMATURE_TRY(const UserRef user, CreateUser(draft, kAccount, bob));
  ARMATURE_CHECK_OK(CreateGroup(draft, kAccount, "devs", "/g/"));
  ARMATURE_CHECK_OK(AddUserToGroup(draft, kAccount, "devs", "bob"));
  ARMATURE_CHECK_OK(PutInlinePolicy<Group>(draft, kAccount, "devs", "in", Allow("dynamodb:Query")));
  ARMATURE_TRY(const PolicyRef policy, CreatePolicy(draft, kAccount, PolicyNamed("p")));
  ARMATURE_CHECK_OK(CreatePolicyVersion(draft, kAccount, ArnOf(*policy), Allow("dynamodb:*"), true));
  ARMATURE_CHECK_OK(AttachPolicy<User>(draft, kAccount, "bob", ArnOf(*policy)));
  ARMATURE_CHECK_OK(PutPermissionsBoundary<User>(draft, kAccount, "bob", kAdministratorAccess));
  ARMATURE_CHECK_OK(CreateAccessKey(draft, kAccount, "bob"));
  ARMATURE_TRY(const AccessKey second, CreateAccessKey(draft, kAccount, "bob"));
  ARMATURE_CHECK_OK(UpdateAccessKey(draft, kAccount, "bob", second.id, false));
  ARMATURE_CHECK_OK(CreateAccessKey(draft, kAccount, ""));
  NewRole role = RoleNamed("r", Trust(ArnOf(*user)));
  role.description = "of tests";
  role.max_session_seconds = 7200;
  ARMATURE_CHECK_OK(CreateRole(draft, kAccount, role));
  ARMATURE_CHECK_OK(CreateOidcProvider(draft, kOtherAccount, {"https://idp.example.com", {"app"}, {}, {{"a", "b"}}}));
  return {};
}

class StoreTest : public testing::Test {
 protected:
  using Point = storage::FaultyEngine::Point;

  StoreTest() { source_.text = kMasterKey; }

  // A new process on what the old one has left. Says what is wrong.
  std::string Restart() {
    for (const Point point : {Point::kGet, Point::kScan, Point::kCommit, Point::kSync}) engine_->FailNext(point, 0, {});
    engine_->SetAutoSync(true);
    directory_ = std::make_unique<Directory>(*engine_, clock_, random_, source_);
    return RunBlocking(directory_->Load()).ToString();
  }
  // The process is gone: whatever still runs of it changes nothing any more.
  void Crash() {
    for (const Point point : {Point::kGet, Point::kScan, Point::kCommit})
      engine_->FailNext(point, 1000, Status::Unavailable("dead"));
    engine_->Crash();
  }
  std::string Change(std::function<IamResult<void>(Draft&)> change) {
    return Outcome(RunBlocking(directory_->Change(std::move(change))));
  }
  template <class T>
  IamResult<T> Make(std::function<IamResult<T>(Draft&)> change) {
    return RunBlocking(directory_->Change<T>(std::move(change)));
  }
  std::string AddUser(std::string_view name) {
    return Outcome(Make<UserRef>([&](Draft& draft) { return CreateUser(draft, kAccount, UserNamed(name)); }));
  }
  AccessKey AddKey(std::string_view user) {
    auto key = Make<AccessKey>([&](Draft& draft) { return CreateAccessKey(draft, kAccount, user); });
    EXPECT_EQ(Outcome(key), "ok");
    return *key;
  }
  UserRef FindUser(std::string_view name) {
    const auto state = directory_->Current();
    const AccountState* const account = state->FindAccount(kAccount);
    return account ? account->users.Find(name) : nullptr;
  }

  // All records of IAM, keys and values.
  std::map<std::string, std::string> Records() {
    storage::ScanOp scan;
    const storage::KeyRange range{"A", "B"};
    EXPECT_TRUE(RunBlocking(table::ReadSystemRecords(*engine_, range, scan)).ok());
    std::map<std::string, std::string> records;
    for (const auto& row : scan.rows) records.emplace(row.key, row.value);
    return records;
  }
  void WriteRecord(const std::string& key, const std::string& value) {
    storage::Batch batch;
    batch.Put(key, value);
    EXPECT_TRUE(RunBlocking(table::WriteSystemRecordsDurably(*engine_, batch)).ok());
  }
  std::string KeyOfRecord(char kind, std::string_view id) { return table::IamKey(kAccount, kind, id); }

  Metrics metrics_;
  std::unique_ptr<storage::FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
  ManualClock clock_;
  SecretRandom random_;
  MasterKeySource source_;
  std::unique_ptr<Directory> directory_ =
      std::make_unique<Directory>(*engine_, clock_, random_, MasterKeySource{kMasterKey});
  StepExecutor executor_;
};

}  // namespace armature::iam
