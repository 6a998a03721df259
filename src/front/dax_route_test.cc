// The control plane of DAX as a client sees it, over real sockets.
#include "front/dax_route.h"

#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/api_testing.h"
#include "dax/control/control_testing.h"
#include "front/dispatcher.h"
#include "front/routes.h"
#include "net/server.h"
#include "net/server_testing.h"

namespace armature::front {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Sent {
  std::string_view target = "AmazonDAXV3.DescribeClusters";
  std::string body = "{}";
  std::string_view service = "dax";  // empty: not signed
  std::string_view type = "application/x-amz-json-1.1";
};

class DaxRouteTest : public api::ApiFixture {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RunBlocking(book_.Load()).ok());
    dispatcher_ = std::make_unique<Dispatcher>(
        DispatcherOptions{}, MakeRoutes(pipeline_, "us-east-1", nullptr, metrics_, nullptr, {}, &book_), random_,
        metrics_);
    net::ServerOptions net;
    net.port = 0;
    net.threads = 1;
    server_ = std::make_unique<net::Server>(net, *dispatcher_, metrics_);
    ASSERT_TRUE(server_->Start().ok());
    client_ = std::make_unique<net::TestClient>(server_->port());
  }
  void TearDown() override {
    client_.reset();
    server_->Stop(std::chrono::seconds(5));
    dispatcher_->Stop();
  }

  net::TestResponse Send(const Sent& sent) {
    std::string bytes = fmt::format(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
        sent.target, sent.type, sent.body.size());
    if (!sent.service.empty())
      bytes += fmt::format(
          "X-Amz-Date: 20231114T221320Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/us-east-1/{}"
          "/aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\n",
          sent.service);
    return client_->Call(bytes + "\r\n" + sent.body);
  }

  dax::control::MemoryClusterStore store_;
  dax::control::ClusterBook book_{store_, clock_};
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::TestClient> client_;
};

TEST_F(DaxRouteTest, AClusterIsCreatedInThePlaceOfTheSignature) {
  const net::TestResponse created = Send(
      {"AmazonDAXV3.CreateCluster",
       R"({"ClusterName":"c","NodeType":"dax.r5.large","ReplicationFactor":1,"IamRoleArn":"arn:aws:iam::123456789012:role/r"})"});
  EXPECT_EQ(created.status, 200);
  EXPECT_EQ(created.Header("Content-Type"), "application/x-amz-json-1.1");
  EXPECT_THAT(created.body, HasSubstr(R"("ClusterArn":"arn:aws:dax:us-east-1:123456789012:cache/c")"));
  EXPECT_THAT(Send({}).body, HasSubstr(R"("ClusterName":"c")"));
  EXPECT_FALSE(store_.records.empty());
}

TEST_F(DaxRouteTest, FaultsAreToldInTheProtocolsForm) {
  const net::TestResponse missing = Send({"AmazonDAXV3.DescribeClusters", R"({"ClusterNames":["c"]})"});
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(missing.body, R"({"__type":"ClusterNotFoundFault","message":"Cluster c not found."})");
  EXPECT_THAT(Send({"AmazonDAXV3.CreateCluster"}).body,
              StartsWith(R"({"__type":"com.amazon.coral.validate#ValidationException")"));
  EXPECT_THAT(Send({"AmazonDAXV3.DescribeClusters", R"({"ClusterNames":"c"})"}).body,
              HasSubstr("SerializationException"));
  EXPECT_THAT(Send({"AmazonDAXV3.DescribeClusters", "no JSON"}).body, HasSubstr("SerializationException"));
  EXPECT_THAT(Send({"AmazonDAXV3.DescribeClusters", "[1]"}).body, HasSubstr("SerializationException"));
  EXPECT_THAT(Send({"AmazonDAXV3.DescribeCaches"}).body, HasSubstr("UnknownOperationException"));
  EXPECT_THAT(Send({.service = ""}).body, HasSubstr("MissingAuthenticationTokenException"));
  EXPECT_EQ(Send({.body = std::string(kMaxControlBody + 1, ' ')}).status, 413);
}

TEST_F(DaxRouteTest, OtherTargetsAndTypesGoOtherWays) {
  EXPECT_EQ(Send({"AmazonDAXV2.DescribeClusters"}).status, 404);
  EXPECT_EQ(Send({"AmazonDAXV3"}).status, 404);
  EXPECT_EQ(Send({.type = "text/plain"}).status, 404);
  EXPECT_THAT(Send({.type = "application/x-amz-json-1.0"}).body, HasSubstr("UnknownOperationException"))
      << "DynamoDB's protocol, which has no such operation";
  EXPECT_EQ(Send({.type = "Application/X-Amz-Json-1.1; charset=utf-8"}).status, 200);
}

TEST_F(DaxRouteTest, CallsAreCountedByTheirNames) {
  Send({});
  Send({"AmazonDAXV3.DescribeCaches"});
  const std::string all = metrics_.RenderPrometheus();
  EXPECT_THAT(all, HasSubstr("armature_requests_total{operation=\"DescribeClusters\"} 1"));
  EXPECT_THAT(all, HasSubstr("armature_requests_total{operation=\"none\"} 1"));
}

}  // namespace
}  // namespace armature::front
