// Requests with a signature, right or wrong in one way, and keys to verify them with: for tests of verifiers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/key_ring.h"
#include "auth/signature.h"
#include "base/clock.h"
#include "net/http_message.h"

namespace armature::auth {

inline constexpr std::string_view kTestSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
inline constexpr std::string_view kTestUserKey = "AKIDEXAMPLE";
inline constexpr std::string_view kTestSessionKey = "ASIATEMPEXAMPLE";
inline constexpr std::string_view kTestToken = "FwoGZXIvYXdzEXAMPLE//token+with/==";
inline constexpr std::string_view kTestTime = "20150830T123600Z";
inline constexpr int64_t kTestMillis = 1'440'938'160'000;

inline std::shared_ptr<AccessKey> MakeTestKey(std::string_view id, std::shared_ptr<const Identity> identity) {
  auto key = std::make_shared<AccessKey>();
  key->id = id;
  key->secret = Secret(kTestSecret);
  key->identity = std::move(identity);
  return key;
}

inline std::shared_ptr<AccessKey> MakeTestUserKey(std::string_view id = kTestUserKey) {
  Identity alice;
  alice.kind = PrincipalKind::kUser;
  alice.account = "111122223333";
  alice.arn = alice.principal_arn = alice.entity_arn = "arn:aws:iam::111122223333:user/staff/alice";
  alice.user_id = alice.entity_id = "AIDAEXAMPLE";
  alice.user_name = "alice";
  return MakeTestKey(id, std::make_shared<const Identity>(std::move(alice)));
}

// Of a session that ends an hour after kTestMillis.
inline std::shared_ptr<AccessKey> MakeTestSessionKey() {
  Identity session;
  session.kind = PrincipalKind::kAssumedRole;
  session.account = "111122223333";
  session.arn = "arn:aws:sts::111122223333:assumed-role/Reader/tuesday";
  session.principal_arn = session.entity_arn = "arn:aws:iam::111122223333:role/staff/Reader";
  session.entity_id = "AROAEXAMPLE";
  session.user_id = "AROAEXAMPLE:tuesday";
  session.session.emplace();
  session.session->name = "tuesday";
  auto key = MakeTestKey(kTestSessionKey, std::make_shared<const Identity>(std::move(session)));
  key->session_token = Secret(kTestToken);
  key->expires_at_millis = kTestMillis + 3'600'000;
  return key;
}

// A request in the making. What is left alone is right; the signature is that of kTestSecret unless one is given.
struct TestRequest {
  std::string method = "POST";
  std::string path = "/";
  std::string query{};
  std::string host = "localhost:8000";
  std::string body = "{}";
  std::vector<std::pair<std::string, std::string>> headers{};  // besides Host, X-Amz-Date and the token

  std::string key_id{kTestUserKey};
  std::string scope = "20150830/us-east-1/dynamodb/aws4_request";
  std::string signed_headers = "host;x-amz-date";
  std::string algorithm = "AWS4-HMAC-SHA256";
  std::string date{kTestTime};
  std::string token{};
  std::string more_parts{};                // of the Authorization header, behind the others
  std::optional<std::string> signature{};  // instead of the right one
};

// It with its signature, in the header or, `presigned`, in the query. Stays where it is: the request points into it.
class SignedTestRequest {
 public:
  explicit SignedTestRequest(TestRequest from, bool presigned = false, std::string_view expires = {})
      : from_(std::move(from)) {
    http_.method_name = from_.method;
    http_.path = from_.path;
    http_.body = from_.body;
    http_.headers = {{"Host", from_.host}};
    for (const auto& [name, value] : from_.headers) http_.headers.push_back({name, value});
    if (presigned) Presign(expires);
    else SignHeader();
  }
  SignedTestRequest(const SignedTestRequest&) = delete;
  SignedTestRequest& operator=(const SignedTestRequest&) = delete;

  net::HttpRequest& http() { return http_; }

 private:
  void SignHeader() {
    http_.query = from_.query;
    if (!from_.date.empty()) http_.headers.push_back({"X-Amz-Date", from_.date});
    if (!from_.token.empty()) http_.headers.push_back({"X-Amz-Security-Token", from_.token});
    authorization_ = from_.algorithm + " Credential=" + from_.key_id + "/" + from_.scope +
                     ", SignedHeaders=" + from_.signed_headers + ", Signature=" + Signature() + from_.more_parts;
    http_.headers.push_back({"Authorization", authorization_});
  }

  void Presign(std::string_view expires) {
    const auto add = [this](std::string_view name, std::string_view value) {
      if (!from_.query.empty()) from_.query += '&';
      from_.query.append(name).append("=");
      for (const char c : value) from_.query += c == '/' ? "%2F" : c == '+' ? "%2B" : std::string(1, c);
    };
    add("X-Amz-Algorithm", from_.algorithm);
    add("X-Amz-Credential", from_.key_id + "/" + from_.scope);
    add("X-Amz-Date", from_.date);
    if (!expires.empty()) add("X-Amz-Expires", expires);
    if (!from_.token.empty()) add("X-Amz-Security-Token", from_.token);
    from_.signed_headers = "host";
    add("X-Amz-SignedHeaders", from_.signed_headers);
    http_.query = from_.query;
    add("X-Amz-Signature", Signature());
    http_.query = from_.query;
  }

  std::string Signature() {
    if (from_.signature) return *from_.signature;
    const std::string_view scope = from_.scope;
    const auto part = [scope](size_t number) {
      size_t at = 0;
      for (; number > 0; --number) at = std::min(scope.find('/', at), scope.size() - 1) + 1;
      return scope.substr(at, scope.find('/', at) - at);
    };
    Arena arena;
    return std::string(Sign({.method = http_.method_name,
                             .path = http_.path,
                             .query = http_.query,
                             .headers = http_.headers,
                             .signed_headers = CanonicalHeaderNames(from_.signed_headers, arena)},
                            HexDigest(Sha256::Of(http_.body)), from_.date, scope,
                            SigningKey(kTestSecret, part(0), part(1), part(2)))
                           .text());
  }

  TestRequest from_;
  std::string authorization_;
  net::HttpRequest http_;
};

}  // namespace armature::auth
