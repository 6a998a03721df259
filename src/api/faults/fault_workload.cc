#include "api/faults/fault_workload.h"

#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

namespace armature::api {
namespace {

const std::string& Filler() {
  static const std::string text(3000, 'f');
  return text;
}

// Keys that begin with L are of the table with a local index.
bool IsLocal(const std::string& key) { return key.starts_with("L"); }
std::string_view TableOf(const std::string& key) { return IsLocal(key) ? "Loc" : "Tbl"; }

std::string Key(const std::string& key) {
  return IsLocal(key) ? fmt::format(R"({{"pk":{{"S":"same"}},"sk":{{"S":"{}"}}}})", key)
                      : fmt::format(R"({{"pk":{{"S":"{}"}}}})", key);
}

std::string Item(const std::string& key, int n) {
  const std::string id = IsLocal(key) ? fmt::format(R"("pk":{{"S":"same"}},"sk":{{"S":"{}"}})", key)
                                      : fmt::format(R"("pk":{{"S":"{}"}})", key);
  return fmt::format(R"({{{},"n":{{"N":"{}"}},"g":{{"S":"g{}"}},"f":{{"S":"{}"}}}})", id, n, n % 3, Filler());
}

World With(World world, const std::string& key, int n) {
  world[key] = n;
  return world;
}

// An item of a reply or of a stream record: its key and its n.
std::pair<std::string, int> ReadItem(simdjson::dom::element item) {
  simdjson::dom::element sk;
  std::string_view key;
  if (item["sk"].get(sk) == simdjson::SUCCESS) key = std::string_view(sk["S"]);
  else key = std::string_view(item["pk"]["S"]);
  return {std::string(key), std::stoi(std::string(std::string_view(item["n"]["N"])))};
}

}  // namespace

FaultWorkload::FaultWorkload(Caller call)
    : call_(call ? std::move(call) : [](FaultHouse& house, std::string_view operation, const std::string& json) {
        return house.Call(operation, json);
      }) {}

bool FaultWorkload::Fail(const std::string& problem) {
  if (problem_.empty()) problem_ = problem + "\nand before that:" + told_;
  return false;
}

FaultReply FaultWorkload::Call(FaultHouse& house, std::string_view operation, const std::string& json) {
  FaultReply reply = call_(house, operation, json);
  told_ += fmt::format("\n  {} {:.80}: {}", operation, json,
                       reply.kind == FaultReply::Kind::kOk ? fmt::format("ok {:.40}", reply.body) : reply.error);
  return reply;
}

bool FaultWorkload::Begin(FaultHouse& house) {
  const FaultReply global = house.Call("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
      "GlobalSecondaryIndexes":[{"IndexName":"byG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
                                 "Projection":{"ProjectionType":"ALL"}}],
      "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})");
  const FaultReply local = house.Call("CreateTable", R"({"TableName":"Loc","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},
                              {"AttributeName":"g","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
      "LocalSecondaryIndexes":[{"IndexName":"byG","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
                                {"AttributeName":"g","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]})");
  return global.error.empty() && local.error.empty() ? true : Fail(global.error + local.error);
}

// --- requests

void FaultWorkload::Do(FaultHouse& house, std::string_view operation, const std::string& json,
                       const std::string& condition_key, const Worlds::Step& step) {
  const auto is_beside = [&](const std::string& key) { return IsLocal(key) == IsLocal(condition_key); };
  const FaultReply reply = Call(house, operation, json);
  switch (reply.kind) {
    case FaultReply::Kind::kOk: worlds_.Done(step); break;
    case FaultReply::Kind::kRefused: worlds_.Refused(step, is_beside); break;
    case FaultReply::Kind::kUnknown:
      worlds_.Unknown(step);
      ++unknown_;
      break;
  }
  if (worlds_.is_broken()) Fail(fmt::format("{} {:.200}\n  told: {}{:.200}", operation, json, reply.error, reply.body));
}

void FaultWorkload::Put(FaultHouse& house, const std::string& key, int n, bool if_absent) {
  const std::string condition = if_absent ? R"json(,"ConditionExpression":"attribute_not_exists(pk)")json" : "";
  const std::string json = fmt::format(R"({{"TableName":"{}","Item":{}{}}})", TableOf(key), Item(key, n), condition);
  Do(house, "PutItem", json, key, [&](const World& world) -> std::optional<World> {
    if (if_absent && world.contains(key)) return std::nullopt;
    return With(world, key, n);
  });
}

// Tells the value that it has made: a world in which that is not the sum is not the one we are in.
void FaultWorkload::Add(FaultHouse& house, const std::string& key, int n) {
  const std::string json = fmt::format(
      R"({{"TableName":"{}","Key":{},"UpdateExpression":"ADD n :n SET f = :f",
          "ExpressionAttributeValues":{{":n":{{"N":"{}"}},":f":{{"S":"{}"}}}},"ReturnValues":"ALL_NEW"}})",
      TableOf(key), Key(key), n, Filler());
  std::optional<int> told;
  const auto step = [&](const World& world) -> std::optional<World> {
    const auto before = world.find(key);
    const int sum = (before == world.end() ? 0 : before->second) + n;
    if (told && *told != sum) return std::nullopt;
    return With(world, key, sum);
  };
  const FaultReply reply = Call(house, "UpdateItem", json);
  if (reply.kind == FaultReply::Kind::kOk) {
    simdjson::dom::parser parser;
    const simdjson::padded_string body(reply.body);
    told = ReadItem(parser.parse(body)["Attributes"]).second;
    worlds_.Done(step);
  } else {
    worlds_.Unknown(step);
    ++unknown_;
  }
  if (worlds_.is_broken()) Fail(fmt::format("UpdateItem {} + {} told {}", key, n, told.value_or(-1)));
}

void FaultWorkload::Delete(FaultHouse& house, const std::string& key) {
  const std::string json = fmt::format(
      R"json({{"TableName":"{}","Key":{},"ConditionExpression":"attribute_exists(pk)"}})json", TableOf(key), Key(key));
  Do(house, "DeleteItem", json, key, [&](const World& world) -> std::optional<World> {
    if (!world.contains(key)) return std::nullopt;
    World after = world;
    after.erase(key);
    return after;
  });
}

// Puts one item if it is absent and puts another anew: both or neither.
void FaultWorkload::Transact(FaultHouse& house, const std::string& put, const std::string& other, int n) {
  const std::string json = fmt::format(R"json({{"TransactItems":[{{"Put":{{"TableName":"{}","Item":{},
                    "ConditionExpression":"attribute_not_exists(pk)"}}}},
                    {{"Put":{{"TableName":"{}","Item":{}}}}}]}})json",
                                       TableOf(put), Item(put, n), TableOf(other), Item(other, n + 1));
  Do(house, "TransactWriteItems", json, put, [&](const World& world) -> std::optional<World> {
    if (world.contains(put)) return std::nullopt;
    return With(With(world, put, n), other, n + 1);
  });
}

// Each item by itself, so what is not known of the request is not known of each.
void FaultWorkload::PutBatch(FaultHouse& house, const std::string& prefix, int n) {
  const std::string local = "L" + prefix;
  const FaultReply reply = Call(
      house, "BatchWriteItem",
      fmt::format(
          R"({{"RequestItems":{{"Tbl":[{{"PutRequest":{{"Item":{}}}}}],"Loc":[{{"PutRequest":{{"Item":{}}}}}]}}}})",
          Item(prefix, n), Item(local, n)));
  const bool is_done = reply.kind == FaultReply::Kind::kOk && reply.body.find(R"("PutRequest")") == std::string::npos;
  for (const std::string& key : {prefix, local}) {
    const auto step = [&](const World& world) -> std::optional<World> { return With(world, key, n); };
    if (is_done) worlds_.Done(step);
    else worlds_.Unknown(step);
  }
  if (!is_done) ++unknown_;
  if (worlds_.is_broken()) Fail("BatchWriteItem " + prefix);
}

void FaultWorkload::Get(FaultHouse& house, const std::string& key) {
  const FaultReply reply = Call(
      house, "GetItem", fmt::format(R"({{"TableName":"{}","Key":{},"ConsistentRead":true}})", TableOf(key), Key(key)));
  if (reply.kind != FaultReply::Kind::kOk) return;
  simdjson::dom::parser parser;
  const simdjson::padded_string body(reply.body);
  simdjson::dom::element item;
  const bool found = parser.parse(body)["Item"].get(item) == simdjson::SUCCESS;
  const int n = found ? ReadItem(item).second : 0;
  worlds_.Seen([&](const World& world) {
    const auto it = world.find(key);
    return found ? it != world.end() && it->second == n : it == world.end();
  });
  if (worlds_.is_broken()) Fail(fmt::format("GetItem {} told {}", key, found ? std::to_string(n) : "nothing"));
}

void FaultWorkload::RunStep(FaultHouse& house, size_t step) {
  const int round = static_cast<int>(step / kStepsPerRound);
  const std::string fresh = fmt::format("t{}", round / 2);
  switch (step % kStepsPerRound) {
    case 0: return Put(house, "a", 10 * round, false);
    case 1: return Add(house, "a", 1);
    case 2: return Put(house, "La", round, round % 2 == 0);
    case 3: return Get(house, "a");
    case 4: return Put(house, "b", round, true);
    case 5: return Transact(house, fresh, "La", 100 + round);
    case 6: return Get(house, fresh);
    case 7: return PutBatch(house, "p", round);
    case 8: return Add(house, "b", 1);
    case 9: return Delete(house, round % 2 ? "b" : "La");
    case 10: return Get(house, "La");
  }
}

bool FaultWorkload::Run(FaultHouse& house, size_t most_unknown) {
  for (size_t step = 0; step < step_count() && unknown_ < most_unknown; ++step) {
    RunStep(house, step);
    if (!problem_.empty()) return false;
  }
  return true;
}

bool FaultWorkload::WriteOnce(FaultHouse& house) {
  const size_t before = unknown_;
  // Always of one key, so that trying long does not make worlds without end.
  Put(house, "extra", 1000, false);
  return unknown_ == before && problem_.empty();
}

// --- what is there at the end

bool FaultWorkload::ReadAll(FaultHouse& house, std::string_view table, std::string_view index, World& found) {
  std::string start;
  do {
    const FaultReply reply =
        house.Call("Scan", fmt::format(R"({{"TableName":"{}"{}{}{}}})", table,
                                       index.empty() ? "" : fmt::format(R"(,"IndexName":"{}")", index),
                                       index.empty() ? R"(,"ConsistentRead":true)" : "", start));
    if (reply.kind != FaultReply::Kind::kOk) return Fail("Scan: " + reply.error);
    simdjson::dom::parser parser;
    const simdjson::padded_string body(reply.body);
    const simdjson::dom::element page = parser.parse(body);
    for (simdjson::dom::element item : page["Items"]) found.insert(ReadItem(item));
    simdjson::dom::element last;
    start = page["LastEvaluatedKey"].get(last) == simdjson::SUCCESS
                ? fmt::format(R"(,"ExclusiveStartKey":{})", simdjson::minify(last))
                : "";
  } while (!start.empty());
  return true;
}

// A replica made of the records must be the table, each record fitting on the one before.
bool FaultWorkload::CheckStream(FaultHouse& house, const World& items) {
  simdjson::dom::parser parser;
  const auto parsed = [&](std::string_view operation, const std::string& json) -> simdjson::dom::element {
    const FaultReply reply = house.Call(operation, json);
    if (reply.kind != FaultReply::Kind::kOk) Fail(fmt::format("{}: {}", operation, reply.error));
    const simdjson::padded_string body(reply.body);
    return parser.parse(body);
  };
  const std::string_view first = parsed("ListStreams", R"({"TableName":"Tbl"})")["Streams"].at(0)["StreamArn"];
  const std::string arn(first);
  std::vector<std::string> shards;
  for (simdjson::dom::element shard :
       parsed("DescribeStream", fmt::format(R"({{"StreamArn":"{}"}})", arn))["StreamDescription"]["Shards"])
    shards.emplace_back(std::string_view(shard["ShardId"]));
  World replica;
  for (const std::string& shard : shards) {
    std::string iterator(std::string_view(parsed(
        "GetShardIterator", fmt::format(R"({{"StreamArn":"{}","ShardId":"{}","ShardIteratorType":"TRIM_HORIZON"}})",
                                        arn, shard))["ShardIterator"]));
    for (bool has_more = true; has_more;) {
      const simdjson::dom::element page =
          parsed("GetRecords", fmt::format(R"({{"ShardIterator":"{}","Limit":1000}})", iterator));
      has_more = false;
      for (simdjson::dom::element record : page["Records"]) {
        has_more = true;
        simdjson::dom::element image;
        std::optional<std::pair<std::string, int>> before, after;
        if (record["dynamodb"]["OldImage"].get(image) == simdjson::SUCCESS) before = ReadItem(image);
        if (record["dynamodb"]["NewImage"].get(image) == simdjson::SUCCESS) after = ReadItem(image);
        const std::string& key = after ? after->first : before->first;
        const auto known = replica.find(key);
        if (before ? known == replica.end() || known->second != before->second : known != replica.end())
          return Fail(fmt::format("a stream record of {} does not fit on the one before", key));
        if (after) replica[key] = after->second;
        else replica.erase(key);
      }
      simdjson::dom::element next;
      if (page["NextShardIterator"].get(next) != simdjson::SUCCESS) break;
      iterator = std::string(std::string_view(next));
    }
  }
  World expected;
  for (const auto& [key, n] : items)
    if (!IsLocal(key)) expected[key] = n;
  return replica == expected ? true : Fail("the replica made of the stream is not the table");
}

bool FaultWorkload::Check(FaultHouse& house) {
  World items, global, local;
  if (!ReadAll(house, "Tbl", "", items) || !ReadAll(house, "Tbl", "byG", global)) return false;
  // Every item has the attribute g but those that only updates have made.
  for (const auto& [key, n] : global)
    if (!items.contains(key) || items[key] != n)
      return Fail("the global index has a row that the table has not: " + key);
  World locals;
  if (!ReadAll(house, "Loc", "", locals) || !ReadAll(house, "Loc", "byG", local)) return false;
  if (locals != local) return Fail("the local index is not the table");
  for (const auto& [key, n] : items)
    if (key != "b" && !global.contains(key)) return Fail("the global index lacks " + key);
  items.insert(locals.begin(), locals.end());
  worlds_.Seen([&](const World& world) { return world == items; });
  if (worlds_.is_broken()) {
    std::string text;
    for (const auto& [key, n] : items) text += fmt::format(" {}={}", key, n);
    return Fail("what is stored is not what clients were told:" + text);
  }
  return CheckStream(house, items);
}

}  // namespace armature::api
