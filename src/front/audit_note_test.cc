// What the audit hears of requests, over real sockets: once each, whatever becomes of them.
#include "front/audit_note.h"

#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/api_testing.h"
#include "auth/accept_any.h"
#include "front/dispatcher.h"
#include "front/routes.h"
#include "net/server.h"
#include "net/server_testing.h"

namespace armature::front {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Keeps the lines.
class KeepingSink final : public audit::LineSink {
 public:
  bool Offer(audit::Rank rank, std::string line) noexcept override {
    ranks.push_back(rank);
    lines.push_back(std::move(line));
    return true;
  }
  void NoteLost() noexcept override { ++lost; }

  std::vector<audit::Rank> ranks;
  std::vector<std::string> lines;
  int lost = 0;
};

// Believes everyone, and has no memory for the key "NOMEMORY".
class TightVerifier final : public auth::Verifier {
 public:
  auth::AuthResult<auth::Verified> Verify(const net::HttpRequest& request, const auth::Expected& expected,
                                          Arena& arena) const override {
    auto verified = everybody_.Verify(request, expected, arena);
    if (verified && verified->principal.access_key_id == "NOMEMORY") throw std::bad_alloc();
    return verified;
  }

 private:
  auth::AcceptAnyVerifier everybody_{"123456789012"};
};

class AuditNoteTest : public api::ApiFixture {
 protected:
  void SetUp() override { Start(audit::DataEvents::kNone); }
  void TearDown() override { Stop(); }

  void Start(audit::DataEvents data_events) {
    Stop();
    audit_ = std::make_unique<audit::Audit>(data_events, "123456789012", "us-east-1", audit::HashKey("0"), sink_,
                                            clock_, random_);
    pipeline_of_audit_ =
        std::make_unique<Pipeline>(PipelineOptions{.region = "us-east-1"}, services_, verifier_, audit_.get());
    DispatcherOptions options;
    options.audit = audit_.get();
    dispatcher_ = std::make_unique<Dispatcher>(
        std::move(options), MakeRoutes(*pipeline_of_audit_, "us-east-1", nullptr, metrics_), random_, metrics_);
    net::ServerOptions net;
    net.port = 0;
    net.threads = 1;
    server_ = std::make_unique<net::Server>(net, *dispatcher_, metrics_);
    ASSERT_TRUE(server_->Start().ok());
    client_ = std::make_unique<net::TestClient>(server_->port());
  }
  void Stop() {
    client_.reset();
    if (server_) server_->Stop(std::chrono::seconds(5));
    if (dispatcher_) dispatcher_->Stop();
    server_.reset();
    dispatcher_.reset();
  }

  int Send(std::string_view target, std::string_view body, std::string_view key = "AKIDEXAMPLE",
           std::string_view more_headers = {}) {
    std::string bytes = fmt::format(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\nContent-Type: application/x-amz-json-1.0\r\n"
        "X-Amz-Target: DynamoDB_20120810.{}\r\n{}",
        body.size(), target, more_headers);
    if (!key.empty())
      bytes += fmt::format(
          "X-Amz-Date: 20231114T221320Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential={}/20231114/us-east-1/dynamodb/"
          "aws4_request, SignedHeaders=host, Signature=0\r\n",
          key);
    return client_->Call(bytes + "\r\n" + std::string(body)).status;
  }
  void MakeTable() {
    EXPECT_EQ(Send("CreateTable", R"({"TableName":"Items","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":)"
                                  R"([{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":)"
                                  R"([{"AttributeName":"pk","KeyType":"HASH"}]})"),
              200);
  }

  KeepingSink sink_;
  TightVerifier verifier_;
  std::unique_ptr<audit::Audit> audit_;
  std::unique_ptr<Pipeline> pipeline_of_audit_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::TestClient> client_;
};

TEST_F(AuditNoteTest, TheControlPlaneIsRecordedAndTheDataPlaneIsNot) {
  MakeTable();
  ASSERT_THAT(sink_.lines, SizeIs(1));
  EXPECT_THAT(sink_.lines[0], HasSubstr("\"eventName\":\"CreateTable\""));
  EXPECT_THAT(sink_.lines[0], HasSubstr("\"ARN\":\"arn:aws:dynamodb:us-east-1:123456789012:table/Items\""));
  EXPECT_EQ(sink_.ranks[0], audit::Rank::kManagement);
  EXPECT_EQ(Send("PutItem", R"({"TableName":"Items","Item":{"pk":{"S":"x"}}})"), 200);
  EXPECT_EQ(Send("GetItem", R"({"TableName":"Nowhere","Key":{"pk":{"S":"x"}}})"), 400);
  EXPECT_EQ(Send("Nonsense", "{}"), 400);
  EXPECT_EQ(Send("CreateBackup", "{}"), 400) << "is not answered";
  EXPECT_THAT(sink_.lines, SizeIs(1));
}

TEST_F(AuditNoteTest, DataEventsAreRecordedWhereTheyAreAskedFor) {
  Start(audit::DataEvents::kWrites);
  MakeTable();
  EXPECT_EQ(Send("PutItem", R"({"TableName":"Items","Item":{"pk":{"S":"x"}}})"), 200);
  EXPECT_EQ(Send("GetItem", R"({"TableName":"Items","Key":{"pk":{"S":"x"}}})"), 200);
  EXPECT_EQ(Send("ExecuteStatement", R"({"Statement":"SELECT * FROM Items"})"), 200);
  EXPECT_EQ(Send("ExecuteStatement", R"({"Statement":"DELETE FROM Items WHERE pk = 'x'"})"), 200);
  ASSERT_THAT(sink_.lines, SizeIs(3));
  EXPECT_EQ(sink_.ranks[1], audit::Rank::kData);
  EXPECT_THAT(sink_.lines[1], HasSubstr("\"eventCategory\":\"Data\""));
  EXPECT_THAT(sink_.lines[2], HasSubstr("\"ARN\":\"arn:aws:dynamodb:us-east-1:123456789012:table/Items\""));
}

TEST_F(AuditNoteTest, WhoComesWithoutASignatureIsRecordedWhateverHeAsksFor) {
  EXPECT_EQ(Send("GetItem", R"({"TableName":"Items","Key":{"pk":{"S":"x"}}})", ""), 400);
  ASSERT_THAT(sink_.lines, SizeIs(1));
  EXPECT_EQ(sink_.ranks[0], audit::Rank::kDenial);
  EXPECT_THAT(sink_.lines[0], HasSubstr("\"errorCode\":\"MissingAuthenticationTokenException\""));
  EXPECT_THAT(sink_.lines[0], HasSubstr("\"userIdentity\":{\"type\":\"Unknown\"}"));
  EXPECT_THAT(sink_.lines[0], HasSubstr("\"requestParameters\":null"));
}

TEST_F(AuditNoteTest, AWebPageThatIsTurnedAwayIsRecorded) {
  EXPECT_EQ(Send("GetItem", "{}", "AKIDEXAMPLE", "Origin: http://evil.example\r\n"), 403);
  ASSERT_THAT(sink_.lines, SizeIs(1));
  EXPECT_EQ(sink_.ranks[0], audit::Rank::kDenial);
  EXPECT_THAT(sink_.lines[0],
              HasSubstr(R"("additionalEventData":{"host":"localhost","origin":"http://evil.example"})"));
}

TEST_F(AuditNoteTest, ARequestThatEndsInAnExceptionIsRecorded) {
  EXPECT_EQ(Send("ListTables", "{}", "NOMEMORY"), 500);
  ASSERT_THAT(sink_.lines, SizeIs(1));
  EXPECT_THAT(sink_.lines[0], HasSubstr("\"errorCode\":\"InternalServerError\""));
  // What is not recorded stays so.
  EXPECT_EQ(Send("GetItem", "{}", "NOMEMORY"), 500);
  EXPECT_THAT(sink_.lines, SizeIs(1));
  EXPECT_EQ(sink_.lost, 0);
}

TEST_F(AuditNoteTest, WhatIsNotAnOperationIsNotRecorded) {
  EXPECT_EQ(client_->Call("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  EXPECT_EQ(client_->Call("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  EXPECT_THAT(sink_.lines, IsEmpty());
}

}  // namespace
}  // namespace armature::front
