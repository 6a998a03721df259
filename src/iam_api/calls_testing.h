// Calls of IAM and STS for tests: forms in, replies out, over a real directory on an engine that fails and crashes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/codec/percent_encoding.h"
#include "iam/access/iam_key_ring.h"
#include "iam/access/identities.h"
#include "iam/store/store_testing.h"
#include "iam_api/iam_operations.h"
#include "query/query_operations.h"
#include "wire/query/form_decode.h"
#include "wire/query/query_schema.h"

namespace armature::iam_api {

using Who = std::shared_ptr<const auth::Identity>;

// "bob" of "…<UserName>bob</UserName>…"; of the first such element, empty if there is none.
inline std::string Element(std::string_view xml, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
  const size_t at = xml.find(open), end = xml.find(close, at);
  if (at == std::string_view::npos || end == std::string_view::npos) return {};
  return std::string(xml.substr(at + open.size(), end - at - open.size()));
}

// A parameter's value in a form.
inline std::string Form(std::string_view value) {
  std::string encoded;
  PercentEncode(value, encoded);
  return encoded;
}

class CallsTest : public iam::StoreTest {
 protected:
  CallsTest() {
    EXPECT_EQ(Restart(), "ok");
    service_ = std::make_unique<IamService>(IamService{*directory_, usage_});
    AddOperations(operations_, *service_);
    ring_ = std::make_unique<iam::IamKeyRing>(*directory_, usage_);
  }

  Who Root(std::string_view account = iam::kAccount) const { return iam::RootIdentityOf(account); }
  // Whom a key, with its token, stands for now. Null: nobody.
  Who Holder(const std::string& id, const std::string& token = {}) const {
    const auto key = ring_->Find(id, token);
    return key ? key->identity : nullptr;
  }
  Who User(std::string_view name) const {
    const auto state = directory_->Current();
    const iam::UserRef user = state->FindAccount(iam::kAccount)->users.Find(name);
    return user ? iam::IdentityOf(*state, *user) : nullptr;
  }
  Who CallerIn(std::string_view reply) const {
    return Holder(Element(reply, "AccessKeyId"), Element(reply, "SessionToken"));
  }

  // "Action=CreateUser&UserName=bob" as that caller (null: unsigned): the reply's body, or "Code: message".
  std::string Call(std::string_view form_text, const Who& who, std::string_view key_id = "AKIATESTTESTTESTTEST") {
    return RunBlocking(Answer(std::string(form_text), who, std::string(key_id)));
  }
  // The same on whichever executor runs it.
  Task<std::string> Answer(std::string form_text, Who who, std::string key_id = "AKIATESTTESTTESTTEST") {
    Arena arena;
    const auto form = wire::FormParameters::Parse({}, form_text, arena);
    if (!form) co_return Told(form.error());
    const wire::QueryOperationSchema* const schema = Find(form_text);
    if (!schema || !operations_.Has(*schema)) co_return "no such operation";
    const auto input = wire::DecodeForm(*schema, *form, arena);
    if (!input) co_return Told(input.error());
    const auth::Principal principal = who ? auth::PrincipalOf(who, key_id) : auth::Principal{};
    query::QueryContext context{.arena = arena,
                                .caller = who ? &principal : nullptr,
                                .is_unproven = is_unproven_,
                                .region = "us-east-1",
                                .iam_action = schema->iam_action,
                                .source_ip = "192.0.2.1",
                                .now_millis = clock_.NowMillis()};
    std::string body;
    const wire::ReplyTarget target{wire::ReplyForm::kXml, "id", body};
    const auto answered = co_await operations_.Execute(*schema, context, *input, target);
    co_return answered ? body : Told(answered.error());
  }
  bool is_unproven_ = false;  // as if nobody had looked at signatures

  // As the root of the account.
  std::string Call(std::string_view form_text) { return Call(form_text, Root()); }
  // Says nothing but whether it went well.
  std::string Try(std::string_view form_text, const Who& who) {
    const std::string reply = Call(form_text, who);
    return reply.starts_with("<") ? "ok" : reply;
  }
  std::string Try(std::string_view form_text) { return Try(form_text, Root()); }

  iam::UsageTable usage_{*engine_};
  std::unique_ptr<IamService> service_;
  query::QueryOperations operations_;
  std::unique_ptr<iam::IamKeyRing> ring_;

 private:
  static std::string Told(const model::ApiError& error) { return error.name + ": " + error.message; }
  static const wire::QueryOperationSchema* Find(std::string_view form_text) {
    const std::string_view name = form_text.substr(7, form_text.find('&') - 7);  // behind "Action="
    for (const wire::QueryService& service : wire::QueryServices())
      if (const auto* const schema = wire::FindQueryOperation(service, name)) return schema;
    return nullptr;
  }
};

}  // namespace armature::iam_api
