// What a node tells of its calls: of all, or of those that were denied.
#include "dax/node/parts/call_record.h"

#include "dax/node/testing/node_testing.h"

namespace armature::dax {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NotingRecorder final : public CallRecorder {
 public:
  bool Wants(Method method) const override {
    MutexLock lock(mutex_);
    return wants_all_ || method == Method::kPutItem;
  }
  void Record(const CallRecord& record) const noexcept override {
    const DaxCall& call = record.call;
    MutexLock lock(mutex_);
    told_.push_back(fmt::format("{} {} {}{}", ArgumentCount(static_cast<int64_t>(call.request.method)),
                                call.caller ? call.caller->access_key_id : fmt::format("?{}", record.claimed_key_id),
                                record.error ? record.error->name : "ok", record.is_denied ? " denied" : ""));
    if (!call.request.items.empty()) keys_.push_back(std::string(call.request.items[0].key));
    changed_.notify_all();
  }
  void NoteLost() const noexcept override {}

  void WantAll() {
    MutexLock lock(mutex_);
    wants_all_ = true;
  }
  // Since this was asked last.
  std::vector<std::string> Told() {
    MutexLock lock(mutex_);
    return std::exchange(told_, {});
  }
  std::vector<std::string> keys() const {
    MutexLock lock(mutex_);
    return keys_;
  }
  bool AwaitTold() {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [this]() ARMATURE_WITH_LOCK(mutex_) { return !told_.empty(); });
  }

 private:
  mutable Mutex mutex_;
  mutable Condition changed_;
  bool wants_all_ ARMATURE_GUARDED_BY(mutex_) = false;
  mutable std::vector<std::string> told_ ARMATURE_GUARDED_BY(mutex_);
  mutable std::vector<std::string> keys_ ARMATURE_GUARDED_BY(mutex_);
};

class CallRecordTest : public NodeTest {
 protected:
  CallRecordTest() {
    recorder = &noting;
    backend.Answer("GetItem", ItemReply(7, "a"));
    backend.Answer("PutItem", "{}");
  }
  void TearDown() override { cluster.reset(); }

  NotingRecorder noting;
};

class DenyingReads final : public auth::Authorizer {
 public:
  model::ApiResult<void> Authorize(const auth::Principal&, const auth::Access& access) const override {
    if (access.action() == "dax:GetItem") return model::AccessDeniedException("no");
    return {};
  }
};

TEST_F(CallRecordTest, WhatIsWantedIsToldWhateverBecomesOfIt) {
  noting.WantAll();
  Start();
  DaxClient client = Connect();
  client.Call(GetItem(7));
  client.Call(GetItem(7));
  EXPECT_THAT(noting.Told(), ElementsAre("3 AKIDEXAMPLE ok", "3 AKIDEXAMPLE ok")) << "cached or not";
  EXPECT_THAT(noting.keys(), ElementsAre(IdKey(7), IdKey(7)));
  backend.Fail("PutItem", ErrorNamed("ConditionalCheckFailedException"));
  client.Call(PutItem(7, Blob("b")));
  backend.SetScript("PutItem", [](std::string_view) -> BackendReply { throw std::bad_alloc(); });
  client.Call(PutItem(7, Blob("b")));
  client.Call(Message(Method::kEndpoints));
  EXPECT_THAT(noting.Told(), ElementsAre("4 AKIDEXAMPLE ConditionalCheckFailedException",
                                         "4 AKIDEXAMPLE InternalServerError", "0 AKIDEXAMPLE ok"));
  client.Call(Message(Method::kGetItem, Bytes("05 06 07")));
  EXPECT_THAT(noting.Told(), IsEmpty()) << "it is no request";
}

TEST_F(CallRecordTest, DenialsAreToldAlways) {
  const DenyingReads denying;
  authorizer = &denying;
  Start();
  DaxClient client = Connect();
  client.Call(GetItem(7));
  client.Call(Message(Method::kEndpoints));
  backend.Fail("PutItem", ErrorNamed("AccessDeniedException"));
  client.Call(PutItem(7, Blob("b")));
  EXPECT_THAT(noting.Told(),
              ElementsAre("3 AKIDEXAMPLE AccessDeniedException denied", "4 AKIDEXAMPLE AccessDeniedException denied"))
      << "the caller's, and the role's";
  cluster.reset();
}

TEST_F(CallRecordTest, WhoeverIsNotBelievedIsToldByTheNameOfHisKey) {
  Start();
  DaxClient client(PortOf());
  client.Send(Handshake());
  client.Call(Message(Method::kEndpoints));
  client.Send(AuthorizeWith("AKIDNOBODY", "00", "not a string to sign"));
  client.Call(Message(Method::kEndpoints));
  EXPECT_THAT(noting.Told(), ElementsAre("0 ? MissingAuthenticationTokenException denied",
                                         "0 ?AKIDNOBODY IncompleteSignatureException denied"));
}

TEST_F(CallRecordTest, ACallWhoseClientHasGoneIsTold) {
  Start();
  backend.Hold("PutItem");
  {
    DaxClient client = Connect();
    client.Send(PutItem(7, Blob("b")));
    ASSERT_TRUE(backend.AwaitCalls("PutItem", 1));
    client.socket().Reset();
  }
  backend.LetGo("PutItem");
  ASSERT_TRUE(noting.AwaitTold());
  EXPECT_THAT(noting.Told(), ElementsAre("4 AKIDEXAMPLE ok"));
}

}  // namespace
}  // namespace armature::dax
