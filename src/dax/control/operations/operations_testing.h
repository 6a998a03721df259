// Operations called by their names with JSON, as a client would, without a network: for their tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dax/control/cluster_keeper.h"
#include "dax/control/control_testing.h"
#include "dax/control/operations/control_operations.h"
#include "wire/decode.h"
#include "wire/json/json_document.h"

namespace armature::dax::control {

inline constexpr std::string_view kRole = "arn:aws:iam::111122223333:role/dax";

class OperationsTest : public testing::Test {
 protected:
  OperationsTest() { EXPECT_TRUE(RunBlocking(book_.Load()).ok()); }

  // The reply's JSON, or the error as "Name: message".
  std::string Call(std::string_view name, const std::string& body) {
    const wire::OperationSchema* const schema = wire::dax::FindOperation(name);
    if (!schema) return "no such operation";
    Arena arena;
    wire::DecodeErrors errors;
    auto document = wire::JsonDocument::Parse(body);
    if (!document) return "no JSON: " + body;
    void* const input = arena.Allocate(schema->input->size);
    auto done = wire::DecodeRequest(*schema, document->root(), arena, errors, input);
    if (done) done = wire::ValidateRequest(*schema, *schema->wording, input);
    const auth::Circumstances circumstances;
    const ControlContext context{.book = book_,
                                 .caller = caller_,
                                 .authorizer = authorizer_,
                                 .witness = witness_,
                                 .circumstances = circumstances,
                                 .place = place_,
                                 .iam_action = schema->iam_action};
    std::string reply;
    if (done) done = RunBlocking(RunControlOperation(*schema, context, input, reply));
    return done ? reply : fmt::format("{}: {}", done.error().name, done.error().message);
  }
  // "ok", or the error's name.
  std::string Outcome(std::string_view name, const std::string& body) {
    const std::string answer = Call(name, body);
    return answer.starts_with('{') ? "ok" : answer.substr(0, answer.find(':'));
  }
  // A cluster that runs.
  void Make(std::string_view name, int nodes = 1, std::string_view more = "") {
    ASSERT_EQ(Outcome("CreateCluster", Creation(name, nodes, more)), "ok");
    keeper_.Step();
  }
  static std::string Creation(std::string_view name, int nodes = 1, std::string_view more = "") {
    return fmt::format(R"({{"ClusterName":"{}","NodeType":"dax.r5.large","ReplicationFactor":{},"IamRoleArn":"{}"{}}})",
                       name, nodes, kRole, more);
  }
  std::shared_ptr<const Cluster> ClusterNamed(std::string_view name) {
    return Find(book_.Current(place_)->clusters, name);
  }

  Place place_ = kPlace;
  auth::Principal caller_{.account = "111122223333", .arn = "arn:aws:iam::111122223333:root", .access_key_id = "AKIA"};
  const auth::Authorizer* authorizer_ = nullptr;
  auth::AccessWitness* witness_ = nullptr;
  ManualClock clock_;
  MemoryClusterStore store_;
  FakeNodeHost host_;
  ClusterBook book_{store_, clock_};
  ClusterKeeper keeper_{book_, host_};
};

}  // namespace armature::dax::control
