#include "base/http_client.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/http_testing.h"

namespace armature {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(HttpClientTest, SendsWhatItWasToldAndReturnsTheReply) {
  std::string seen;
  TinyHttpServer server([&](const std::string& request) {
    seen = request;
    return HttpReply("pong", "HTTP/1.1 429 Slow Down\r\n");
  });
  HttpClient client;
  HttpClientRequest request;
  request.url = server.Url("/a/b?c=d");
  request.headers = {{"X-One", "1"}, {"X-Empty", ""}};
  request.body = "ping";
  const auto response = client.Send(request);
  ASSERT_TRUE(response) << response.error().ToString();
  EXPECT_EQ(response->status, 429);
  EXPECT_EQ(response->body, "pong");
  EXPECT_EQ(response->Header("x-note"), "two words");
  EXPECT_EQ(response->Header("absent"), "");
  EXPECT_THAT(seen, testing::StartsWith("POST /a/b?c=d HTTP/1.1\r\n"));
  EXPECT_THAT(seen, AllOf(HasSubstr("X-One: 1\r\n"), HasSubstr("X-Empty:\r\n"), HasSubstr("\r\n\r\nping")));
  EXPECT_THAT(seen, Not(HasSubstr("form-urlencoded")));
}

TEST(HttpClientTest, EachMethodIsSentUnderItsName) {
  std::vector<std::string> methods;
  TinyHttpServer server([&](const std::string& request) {
    methods.push_back(request.substr(0, request.find(' ')));
    return methods.back() == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n" : HttpReply("");
  });
  HttpClient client;
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "DELETE", "GET"}) {
    HttpClientRequest request;
    request.method = method;
    request.url = server.Url();
    const auto response = client.Send(request);
    ASSERT_TRUE(response) << method << ": " << response.error().ToString();
    EXPECT_EQ(response->status, 200);
  }
  EXPECT_THAT(methods, testing::ElementsAre("GET", "HEAD", "POST", "PUT", "DELETE", "GET"));
  EXPECT_EQ(server.accepted(), 1) << "the connection is reused";
}

TEST(HttpClientTest, ABodyOfMegabytesArrives) {
  size_t received = 0;
  std::string head;
  TinyHttpServer server([&](const std::string& request) {
    head = request.substr(0, request.find("\r\n\r\n"));
    received = request.size() - head.size() - 4;
    return HttpReply("ok");
  });
  const std::string body(5 << 20, 'x');
  HttpClient client;
  HttpClientRequest request;
  request.url = server.Url();
  request.body = body;
  ASSERT_TRUE(client.Send(request));
  EXPECT_EQ(received, body.size());
  EXPECT_THAT(head, Not(HasSubstr("Expect"))) << "no round trip before the body";
}

TEST(HttpClientTest, AHostOfTheCallersReplacesTheUrls) {
  std::string seen;
  TinyHttpServer server([&](const std::string& request) {
    seen = request;
    return HttpReply("{}");
  });
  HttpClient client;
  HttpClientRequest request;
  request.url = server.Url();
  request.headers = {{"Host", "kinesis.eu-west-1.amazonaws.com"}};
  ASSERT_TRUE(client.Send(request));
  EXPECT_THAT(seen, HasSubstr("Host: kinesis.eu-west-1.amazonaws.com\r\n"));
  EXPECT_THAT(seen, Not(HasSubstr("127.0.0.1")));
}

TEST(HttpClientTest, AStopEndsTheCallFromAnotherThread) {
  TinyHttpServer server([](const std::string&) { return std::string(); });
  HttpClient client;
  std::stop_source stop;
  std::jthread other([&] {
    server.got_request().get_future().wait();
    stop.request_stop();
  });
  HttpClientRequest request;
  request.url = server.Url();
  const auto started = std::chrono::steady_clock::now();
  const auto response = client.Send(request, stop.get_token());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), StatusCode::kUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10)) << "well before the timeout";
  EXPECT_FALSE(client.Send(request, stop.get_token())) << "a stopped token starts nothing";
}

TEST(HttpClientTest, FailuresSayWhatKindTheyAre) {
  HttpClient client;
  HttpClientRequest request;
  {
    TinyHttpServer gone([](const std::string&) { return HttpReply(""); });
    request.url = gone.Url();
  }
  EXPECT_EQ(client.Send(request).error().code(), StatusCode::kUnavailable) << "refused";

  TinyHttpServer silent([](const std::string&) { return std::string(); });
  request.url = silent.Url();
  request.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(client.Send(request).error().code(), StatusCode::kUnavailable) << "timed out";
  request.timeout = std::chrono::seconds(30);

  TinyHttpServer wordy([](const std::string&) { return HttpReply(std::string(1000, 'x')); });
  request.url = wordy.Url();
  request.max_response_bytes = 999;
  EXPECT_EQ(client.Send(request).error().code(), StatusCode::kIoError);
  request.max_response_bytes = 1000;
  EXPECT_TRUE(client.Send(request)) << "a failure leaves the session usable";

  request.headers = {{"X-Split", "a\r\nX-Forged: b"}};
  EXPECT_EQ(client.Send(request).error().code(), StatusCode::kInvalidArgument);
  request.headers.clear();
  request.url = "ftp://127.0.0.1/";
  EXPECT_EQ(client.Send(request).error().code(), StatusCode::kInvalidArgument);
}

TEST(HttpClientTest, ThreadsSendSideBySide) {
  TinyHttpServer server([](const std::string& request) { return HttpReply(request.substr(request.size() - 4)); });
  HttpClient client;
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const std::string body = fmt::format("{:04}", t);
        HttpClientRequest request;
        request.url = server.Url();
        request.body = body;
        for (int i = 0; i < 50; ++i) {
          const auto response = client.Send(request);
          if (response && response->body == body) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 200);
  EXPECT_LE(server.accepted(), 4);
}

}  // namespace
}  // namespace armature
