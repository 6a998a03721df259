#include "cli/bench/dataset.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "cli/bench/control_client.h"
#include "cli/bench/driver.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"

namespace armature::cli::bench {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(20);
constexpr auto kActiveTimeout = std::chrono::seconds(60);
constexpr uint32_t kLoadConnections = 128;
constexpr uint64_t kAnnouncedItems = 200'000;

Status Unexpected(std::string_view call, const Answer& answer) {
  return Status::Unavailable(fmt::format("{} answered {}: {}", call, answer.status, answer.body.substr(0, 500)));
}

// The table's status, or an empty text if there is no such table.
Result<std::string> TableStatus(ControlClient& client, const std::string& table) {
  ARMATURE_TRY(const Answer answer, client.Call("DescribeTable", fmt::format(R"({{"TableName":"{}"}})", table)));
  ItemReader reader;
  if (answer.status == 400 && reader.ReadErrorType(answer.body) == "ResourceNotFoundException") return std::string();
  simdjson::dom::parser parser;
  std::string_view status;
  if (answer.status != 200 ||
      parser.parse(answer.body.data(), answer.body.size())["Table"]["TableStatus"].get(status) != simdjson::SUCCESS) {
    return Unexpected("DescribeTable", answer);
  }
  return std::string(status);
}

// What CreateTable says of a dataset's table, beyond the partition key pk.
struct TableForm {
  std::string name;
  std::string_view attributes;  // further definitions
  std::string_view keys;        // further members of the key
  std::string members;          // of the request
};

constexpr std::string_view kSortKey = R"(,{"AttributeName":"sk","KeyType":"RANGE"})";
constexpr std::string_view kSortKeyAttribute = R"(,{"AttributeName":"sk","AttributeType":"N"})";
constexpr std::string_view kSortKeyAndTagAttributes =
    R"(,{"AttributeName":"sk","AttributeType":"N"},{"AttributeName":"tag","AttributeType":"S"})";

TableForm OrderedForm(const Options& options) { return {OrderedTable(options), kSortKeyAttribute, kSortKey, {}}; }

TableForm StreamedForm(const Options& options) {
  return {StreamedTable(options),
          {},
          {},
          R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"})"};
}

TableForm TaggedForm(const Options& options, TagIndex index) {
  TableForm form{TaggedTable(options, index), kSortKeyAttribute, kSortKey, {}};
  if (index == TagIndex::kNone) return form;
  const bool is_global = index == TagIndex::kGlobal;
  form.attributes = kSortKeyAndTagAttributes;
  form.members =
      fmt::format(R"(,"{}":[{{"IndexName":"{}","KeySchema":[{}],"Projection":{{"ProjectionType":"ALL"}}}}])",
                  is_global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes", kTagIndexName,
                  is_global ? R"({"AttributeName":"tag","KeyType":"HASH"})"
                            : R"({"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"tag","KeyType":"RANGE"})");
  return form;
}

TableForm FormOf(const Options& options, Dataset dataset) {
  switch (dataset) {
    case Dataset::kOrderedTable:
    case Dataset::kOrdered: return OrderedForm(options);
    case Dataset::kStreamed:
    case Dataset::kStreamPages: return StreamedForm(options);
    case Dataset::kTagged: return TaggedForm(options, TagIndex::kNone);
    case Dataset::kTaggedGlobal: return TaggedForm(options, TagIndex::kGlobal);
    case Dataset::kTaggedLocal: return TaggedForm(options, TagIndex::kLocal);
    default: return {options.table, {}, {}, {}};
  }
}

Result<void> EnsureTable(ControlClient& client, const TableForm& form) {
  const std::string& table = form.name;
  ARMATURE_TRY(std::string status, TableStatus(client, table));
  if (status.empty()) {
    const std::string body = fmt::format(
        R"({{"TableName":"{}","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}{}],)"
        R"("KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}{}]{}}})",
        table, form.attributes, form.keys, form.members);
    ARMATURE_TRY(const Answer answer, client.Call("CreateTable", body));
    if (answer.status != 200) return Unexpected("CreateTable", answer);
  }
  const auto deadline = std::chrono::steady_clock::now() + kActiveTimeout;
  for (;;) {
    ARMATURE_TRY(status, TableStatus(client, table));
    if (status == "ACTIVE") return {};
    if (std::chrono::steady_clock::now() > deadline) {
      return Status::Unavailable(fmt::format("table {} is still {} after {} s", table, status, kActiveTimeout.count()));
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

Result<void> EnsureTimeToLive(ControlClient& client, const std::string& table) {
  const std::string body =
      fmt::format(R"({{"TableName":"{}","TimeToLiveSpecification":{{"Enabled":true,"AttributeName":"{}"}}}})", table,
                  kExpiryAttribute);
  ARMATURE_TRY(const Answer answer, client.Call("UpdateTimeToLive", body));
  const bool is_on = answer.status == 200 || answer.body.find("already enabled") != std::string_view::npos;
  return is_on ? Result<void>{} : Unexpected("UpdateTimeToLive", answer);
}

// Looks at the first, the last and some other items: if they are there, a previous run has loaded them all
// (loading goes from the first to the last).
Result<bool> HasItems(ControlClient& client, const Options& options, bool is_ordered) {
  const ItemShape shape(options.item_size, options.partition_items);
  ItemReader reader;
  Random random(options.seed);
  for (int probe = 0; probe < 18; ++probe) {
    const uint64_t index = probe == 0 ? options.items - 1 : probe == 1 ? 0 : random.Below(options.items);
    std::string body = fmt::format(R"({{"TableName":"{}","ConsistentRead":true,"Key":)",
                                   is_ordered ? OrderedTable(options) : options.table);
    is_ordered ? shape.AppendOrderedKey(index, body) : shape.AppendKey(index, body);
    body += '}';
    ARMATURE_TRY(const Answer answer, client.Call("GetItem", body));
    if (answer.status != 200) return Unexpected("GetItem", answer);
    uint64_t version = 0;
    std::string why;
    if (!reader.ReadItem(answer.body, "Item", shape, index, version, why)) return false;
  }
  return true;
}

// Loading is itself a workload: every item once, over many connections.
Result<void> Load(const Options& options, std::string_view workload) {
  Options load = options;
  load.connections = std::max(options.connections, kLoadConnections);
  load.requests = 0;
  load.rate = 0;
  load.pids.clear();
  if (options.items >= kAnnouncedItems) fmt::print(stderr, "loading {} items ...\n", options.items);
  ARMATURE_TRY(const LoadResult result, RunLoad(load, *FindWorkload(workload)));
  if (result.errors != 0) {
    return Status::Unavailable(
        fmt::format("loading had {} errors, such as {}", result.errors, result.error_examples.front()));
  }
  return {};
}

}  // namespace

Result<void> PrepareDataset(const Options& options, Dataset dataset) {
  if (dataset == Dataset::kNothing) return {};
  ControlClient client(options);
  ARMATURE_CHECK_OK(EnsureTable(client, FormOf(options, dataset)));
  const bool is_ordered = dataset == Dataset::kOrdered;
  // Items that are there already bring no records, but then their records are there too.
  if (dataset == Dataset::kStreamPages) return Load(options, "stream-load");
  if (dataset == Dataset::kItems || dataset == Dataset::kExpiring || is_ordered) {
    ARMATURE_TRY(const bool has_items, HasItems(client, options, is_ordered));
    if (!has_items) ARMATURE_CHECK_OK(Load(options, is_ordered ? "load-ordered" : "load"));
    return dataset == Dataset::kExpiring ? EnsureTimeToLive(client, options.table) : Result<void>{};
  }
  if (dataset == Dataset::kFreshItems) return Load(options, "load");
  if (dataset == Dataset::kCounters) return Load(options, "load-counters");
  return {};
}

}  // namespace armature::cli::bench
