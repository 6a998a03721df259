#include "cli/partition/partition.h"

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text/json_writer.h"
#include "cli/client/client.h"
#include "cli/partition/options.h"
#include "cli/partition/partition_table.h"

namespace armature::cli {
namespace {

// The prefix is ours: no other DynamoDB has these operations.
constexpr std::string_view kListPartitions = "Armature_20261116.ListPartitions";
constexpr std::string_view kSplitPartition = "Armature_20261116.SplitPartition";

Result<Reply, CallError> Ask(Client& client, const partition::Options& options) {
  std::string body;
  JsonWriter json(body);
  json.BeginObject();
  json.Member("TableName", options.table);
  if (options.action == partition::Action::kSplit) json.MemberInt("PartitionId", options.partition);
  json.EndObject();
  return client.Call(options.action == partition::Action::kSplit ? kSplitPartition : kListPartitions, body);
}

int Fail(std::string_view message) {
  fmt::print(stderr, "armature partition: {}\n", message);
  return 1;
}

}  // namespace

int RunPartition(int argc, char** argv) {
  const auto options = partition::ParseOptions(argc, argv, ProcessEnvironment());
  if (!options.has_value()) return options.error();
  Client client(options->endpoint);
  const auto reply = Ask(client, *options);
  if (!reply) {
    const bool is_unknown = reply.error().type == "UnknownOperationException";
    return Fail(is_unknown ? "the endpoint is no Armature, or an older one: it does not know this operation"
                           : reply.error().Text());
  }
  if (options->is_json) {
    fmt::print("{}\n", simdjson::minify(reply->root));
    return 0;
  }
  const auto text = partition::RenderPartitions(reply->root);
  if (!text) return Fail(text.error().message());
  fmt::print("{}", *text);
  return 0;
}

}  // namespace armature::cli
