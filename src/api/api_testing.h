// ApiFixture: operations without a network, for tests.
//
// A memory engine (storage/testing/test_engine.h), a clock that is stepped by hand, and Call(), which takes a request
// as JSON through the front's own pipeline. Test support only; not linked into the server.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/registry.h"
#include "api/request_context.h"
#include "auth/accept_any.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "front/pipeline.h"
#include "front/testing/call_testing.h"
#include "storage/testing/test_engine.h"
#include "workers/index_backfill.h"
#include "workers/ttl/ttl_setup.h"

namespace armature::api {

class ApiFixture : public testing::Test {
 protected:
  struct Reply {
    bool ok = false;
    std::string body;  // on success
    model::ApiError error;

    std::string ErrorText() const { return ok ? "" : error.name + ": " + error.message; }
  };

  explicit ApiFixture(int64_t control_plane_delay_millis = 0)
      : engine_(storage::MakeTestEngine(metrics_)),
        catalog_(*engine_, clock_, control_plane_delay_millis),
        reads_(*engine_),
        writes_(*engine_, clock_) {
    EXPECT_TRUE(RunBlocking(catalog_.Load()).ok());
    catalog_.AddListener(index_backfill_);
    catalog_.AddListener(ttl_setup_);
    EXPECT_TRUE(RunBlocking(journal_.Load()).ok());
  }

  Reply Call(std::string_view operation, std::string_view json, std::string_view region = "us-east-1") {
    const front::LocalRequest request(operation, json, region);
    Arena arena;
    Reply reply;
    auto result = RunBlocking(front::CallLocally(pipeline_, request.http(), arena, reply.body));
    reply.ok = result.has_value();
    if (!reply.ok) reply.error = std::move(result).error();
    return reply;
  }

  // The body of a call that must succeed.
  std::string MustCall(std::string_view operation, std::string_view json) {
    Reply reply = Call(operation, json);
    EXPECT_TRUE(reply.ok) << operation << " " << json << "\n" << reply.ErrorText();
    return reply.body;
  }

  // "Name: message" of a call that must fail.
  std::string MustFail(std::string_view operation, std::string_view json) {
    Reply reply = Call(operation, json);
    EXPECT_FALSE(reply.ok) << operation << " " << json << "\n" << reply.body;
    return reply.ErrorText();
  }

  // A table "T" with a string partition key "pk" and, if asked, a numeric sort key "sk".
  void CreateSimpleTable(bool with_sort_key = false) {
    MustCall("CreateTable", with_sort_key ? R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"}],
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]})"
                                          : R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  }

  ManualClock clock_;
  SeededRandom random_{1};
  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_;
  table::Catalog catalog_;
  table::ReadPath reads_;
  table::WritePath writes_;
  table::Journal journal_{*engine_, clock_, catalog_, metrics_};
  table::TokenStore tokens_{*engine_, clock_};
  workers::IndexBackfill index_backfill_{*engine_, clock_, catalog_, writes_, metrics_};
  workers::TtlSetup ttl_setup_{*engine_, clock_, catalog_, writes_, metrics_};
  Services services_{*engine_, catalog_, reads_, writes_, tokens_, journal_, clock_, random_};
  const auth::AcceptAnyVerifier verifier_{"123456789012"};
  const front::Pipeline pipeline_{{.region = "us-east-1"}, services_, verifier_};
};

}  // namespace armature::api
