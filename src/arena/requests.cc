#include "arena/requests.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace armature::arena {
namespace {

Operation Of(const char* name, Access access) {
  Operation operation;
  operation.name = name;
  operation.accesses.push_back(std::move(access));
  return operation;
}

Access ReadOf(uint32_t key) {
  Access access;
  access.key = key;
  return access;
}

}  // namespace

uint32_t RequestMaker::PickKey() {
  // Half of all goes to a quarter of the window.
  const uint32_t window = board_.options().window;
  const uint64_t at = Chance(50) ? Pick(std::max(1u, window / 4)) : Pick(window);
  return board_.WindowBegin() + static_cast<uint32_t>(at);
}

std::vector<uint32_t> RequestMaker::PickKeys(size_t at_least, size_t at_most) {
  const size_t count = at_least + Pick(at_most - at_least + 1);
  std::vector<uint32_t> keys;
  while (keys.size() < count) {
    const uint32_t key = PickKey();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

Condition RequestMaker::RandomCondition(uint32_t key, bool is_needed) {
  if (!is_needed && Chance(50)) return {};
  const int64_t seen = board_.LastSeen(key);
  if (seen == 0) return {Chance(70) ? Condition::Kind::kAbsent : Condition::Kind::kPresent, 0};
  if (Chance(60)) return {Condition::Kind::kVersion, seen};
  return {Chance(30) ? Condition::Kind::kAbsent : Condition::Kind::kPresent, 0};
}

Access RequestMaker::RandomWrite(uint32_t key, bool may_have_condition) {
  Access access;
  access.key = key;
  const uint64_t kind = Pick(100);
  access.effect = kind < 30 ? Effect::kPut : kind < 82 ? Effect::kUpdate : Effect::kDelete;
  if (access.effect != Effect::kDelete) access.id = board_.NewId();
  access.sets_group = access.effect == Effect::kPut || (access.effect == Effect::kUpdate && Chance(30));
  if (access.sets_group) access.group = static_cast<int64_t>(Pick(Board::kGroups + 1));
  if (access.effect == Effect::kUpdate && access.group == 0) access.sets_group = false;
  if (may_have_condition) access.condition = RandomCondition(key, false);
  return access;
}

std::string RequestMaker::KeyJson(uint32_t key) const {
  return fmt::format(R"({{"pk":{{"S":"{}"}},"sk":{{"N":"{}"}}}})", Board::PartitionOf(key), Board::SortKeyOf(key));
}

std::string RequestMaker::ItemJson(const Access& access) const {
  return fmt::format(
      R"({{"pk":{{"S":"{}"}},"sk":{{"N":"{}"}},"v":{{"N":"{}"}},"n":{{"N":"0"}},"l":{{"L":[{{"N":"{}"}}]}}{}}})",
      Board::PartitionOf(access.key), Board::SortKeyOf(access.key), access.id, access.id,
      access.group == 0 ? "" : fmt::format(R"(,"grp":{{"N":"{}"}})", access.group));
}

std::string RequestMaker::Members(const Access& access) const {
  std::vector<std::string> members, values;
  members.push_back(fmt::format(R"("TableName":"{}")", board_.TableName(Board::TableOf(access.key))));
  if (access.effect == Effect::kPut) members.push_back(R"("Item":)" + ItemJson(access));
  else members.push_back(R"("Key":)" + KeyJson(access.key));
  if (access.effect == Effect::kUpdate) {
    members.push_back(fmt::format(
        R"json("UpdateExpression":"SET v = :v, l = list_append(if_not_exists(l, :none), :l){} ADD n :one")json",
        access.sets_group ? ", grp = :g" : ""));
    values.push_back(
        fmt::format(R"(":v":{{"N":"{}"}},":l":{{"L":[{{"N":"{}"}}]}},":none":{{"L":[]}},":one":{{"N":"1"}})", access.id,
                    access.id));
    if (access.sets_group) values.push_back(fmt::format(R"(":g":{{"N":"{}"}})", access.group));
  }
  switch (access.condition.kind) {
    case Condition::Kind::kNone: break;
    case Condition::Kind::kAbsent:
      members.emplace_back(R"json("ConditionExpression":"attribute_not_exists(pk)")json");
      break;
    case Condition::Kind::kPresent:
      members.emplace_back(R"json("ConditionExpression":"attribute_exists(pk)")json");
      break;
    case Condition::Kind::kVersion:
      members.emplace_back(R"("ConditionExpression":"v = :seen")");
      values.push_back(fmt::format(R"(":seen":{{"N":"{}"}})", access.condition.version));
      break;
  }
  if (!values.empty()) members.push_back(fmt::format(R"("ExpressionAttributeValues":{{{}}})", fmt::join(values, ",")));
  return fmt::format("{}", fmt::join(members, ","));
}

Request RequestMaker::Next() {
  const uint64_t kind = Pick(1000);
  if (kind < 190) return Get();
  if (kind < 550) return Write();
  if (kind < 600) return BatchWrite();
  if (kind < 640) return BatchGet();
  if (kind < 770) return TransactWrite();
  if (kind < 850) return TransactGet();
  if (kind < 885) return Query();
  if (kind < 930) return IndexQuery();
  if (kind < 933) return Scan();
  if (kind < 985) return Statement();
  return StatementTransaction();
}

Request RequestMaker::Get() {
  Request request;
  const uint32_t key = PickKey();
  request.target = "GetItem";
  request.shape = Shape::kItem;
  request.is_eventual = Chance(40);
  request.body = fmt::format(R"({{"TableName":"{}","Key":{},"ConsistentRead":{}}})",
                             board_.TableName(Board::TableOf(key)), KeyJson(key), !request.is_eventual);
  request.operations.push_back(Of("GetItem", ReadOf(key)));
  return request;
}

Request RequestMaker::Write() {
  Request request;
  const Access access = RandomWrite(PickKey(), true);
  request.target = access.effect == Effect::kPut      ? "PutItem"
                   : access.effect == Effect::kUpdate ? "UpdateItem"
                                                      : "DeleteItem";
  request.shape = Shape::kWrite;
  const char* returns = "NONE";
  if (access.effect == Effect::kDelete ? Chance(80) : Chance(40)) returns = "ALL_OLD", request.returns_old = true;
  else if (access.effect == Effect::kUpdate && Chance(60)) returns = "ALL_NEW", request.returns_new = true;
  request.body = fmt::format(R"({{{},"ReturnValues":"{}"{}}})", Members(access), returns,
                             access.condition.kind != Condition::Kind::kNone && Chance(60)
                                 ? R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")"
                                 : "");
  request.operations.push_back(Of(request.target, access));
  return request;
}

Request RequestMaker::BatchWrite() {
  Request request;
  request.target = "BatchWriteItem";
  request.shape = Shape::kBatchWrite;
  std::vector<std::string> by_table[Board::kTables];
  for (const uint32_t key : PickKeys(2, 4)) {
    Access access = RandomWrite(key, false);
    if (access.effect == Effect::kUpdate) access.effect = Effect::kPut, access.sets_group = true;
    by_table[Board::TableOf(key)].push_back(access.effect == Effect::kPut
                                                ? fmt::format(R"({{"PutRequest":{{"Item":{}}}}})", ItemJson(access))
                                                : fmt::format(R"({{"DeleteRequest":{{"Key":{}}}}})", KeyJson(key)));
    request.operations.push_back(Of("BatchWriteItem", access));
  }
  std::vector<std::string> tables;
  for (uint32_t table = 0; table < Board::kTables; ++table)
    if (!by_table[table].empty())
      tables.push_back(fmt::format(R"("{}":[{}])", board_.TableName(table), fmt::join(by_table[table], ",")));
  request.body = fmt::format(R"({{"RequestItems":{{{}}}}})", fmt::join(tables, ","));
  return request;
}

Request RequestMaker::BatchGet() {
  Request request;
  request.target = "BatchGetItem";
  request.shape = Shape::kBatchGet;
  request.is_eventual = Chance(30);
  std::vector<std::string> by_table[Board::kTables];
  for (const uint32_t key : PickKeys(2, 5)) {
    by_table[Board::TableOf(key)].push_back(KeyJson(key));
    request.operations.push_back(Of("BatchGetItem", ReadOf(key)));
  }
  std::vector<std::string> tables;
  for (uint32_t table = 0; table < Board::kTables; ++table)
    if (!by_table[table].empty())
      tables.push_back(fmt::format(R"("{}":{{"ConsistentRead":{},"Keys":[{}]}})", board_.TableName(table),
                                   !request.is_eventual, fmt::join(by_table[table], ",")));
  request.body = fmt::format(R"({{"RequestItems":{{{}}}}})", fmt::join(tables, ","));
  return request;
}

Request RequestMaker::TransactWrite() {
  Request request;
  request.target = "TransactWriteItems";
  request.shape = Shape::kTransactWrite;
  Operation operation;
  operation.name = request.target;
  std::vector<std::string> elements;
  const bool has_conditions = Chance(40);
  for (const uint32_t key : PickKeys(2, 4)) {
    Access access = RandomWrite(key, has_conditions);
    if (Chance(10)) {
      access = ReadOf(key);
      access.condition = RandomCondition(key, true);
    }
    static constexpr const char* kKinds[] = {"ConditionCheck", "Put", "Update", "Delete"};
    elements.push_back(fmt::format(R"({{"{}":{{{}{}}}}})", kKinds[static_cast<size_t>(access.effect)], Members(access),
                                   access.condition.kind != Condition::Kind::kNone && Chance(60)
                                       ? R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")"
                                       : ""));
    operation.accesses.push_back(std::move(access));
  }
  request.may_repeat = Chance(60);
  request.body = fmt::format(R"({{"TransactItems":[{}]{}}})", fmt::join(elements, ","),
                             request.may_repeat ? fmt::format(R"(,"ClientRequestToken":"{:x}")", random_()) : "");
  request.operations.push_back(std::move(operation));
  return request;
}

Request RequestMaker::TransactGet() {
  Request request;
  request.target = "TransactGetItems";
  request.shape = Shape::kTransactGet;
  Operation operation;
  operation.name = request.target;
  std::vector<std::string> elements;
  for (const uint32_t key : PickKeys(2, 4)) {
    elements.push_back(
        fmt::format(R"({{"Get":{{"TableName":"{}","Key":{}}}}})", board_.TableName(Board::TableOf(key)), KeyJson(key)));
    operation.accesses.push_back(ReadOf(key));
  }
  request.body = fmt::format(R"({{"TransactItems":[{}]}})", fmt::join(elements, ","));
  request.operations.push_back(std::move(operation));
  return request;
}

Request RequestMaker::Query() {
  Request request;
  const uint32_t key = PickKey();
  request.target = "Query";
  request.shape = Shape::kRows;
  request.table = Board::TableOf(key);
  request.is_eventual = Chance(30);
  for (uint32_t i = 0; i < Board::kPerPartition; ++i)
    if (const uint32_t one = key - Board::SortKeyOf(key) + i; one < board_.options().keys) request.asked.push_back(one);
  request.body =
      fmt::format(R"({{"TableName":"{}","ConsistentRead":{},"ScanIndexForward":{},"KeyConditionExpression":"pk = :p",)"
                  R"("ExpressionAttributeValues":{{":p":{{"S":"{}"}}}}}})",
                  board_.TableName(request.table), !request.is_eventual, Chance(50), Board::PartitionOf(key));
  return request;
}

Request RequestMaker::IndexQuery() {
  Request request;
  const uint32_t key = PickKey();
  request.target = "Query";
  request.shape = Shape::kRows;
  request.table = Board::TableOf(key);
  request.group = 1 + static_cast<int64_t>(Pick(Board::kGroups));
  const bool is_local = request.table == 1 && Chance(50);
  request.is_eventual = !is_local || Chance(30);
  // Nobody writes outside the window: there only what is answered is worth keeping.
  for (uint32_t i = 0; i < board_.options().window; ++i) {
    const uint32_t one = board_.WindowBegin() + i;
    if (one >= board_.options().keys || Board::TableOf(one) != request.table) continue;
    if (!is_local || one / Board::kPerPartition == key / Board::kPerPartition) request.asked.push_back(one);
  }
  request.body =
      fmt::format(R"({{"TableName":"{}","IndexName":"{}","ConsistentRead":{},"KeyConditionExpression":"{}grp = :g",)"
                  R"("ExpressionAttributeValues":{{{}":g":{{"N":"{}"}}}}}})",
                  board_.TableName(request.table), is_local ? "in-partition" : "by-group", !request.is_eventual,
                  is_local ? "pk = :p AND " : "",
                  is_local ? fmt::format(R"(":p":{{"S":"{}"}},)", Board::PartitionOf(key)) : "", request.group);
  return request;
}

Request RequestMaker::Scan() {
  Request request;
  request.target = "Scan";
  request.shape = Shape::kRows;
  request.table = static_cast<uint32_t>(Pick(Board::kTables));
  for (uint32_t key = 0; key < board_.options().keys; ++key)
    if (Board::TableOf(key) == request.table) request.asked.push_back(key);
  request.body = fmt::format(R"({{"TableName":"{}","ConsistentRead":true}})", board_.TableName(request.table));
  return request;
}

Request RequestMaker::Statement() {
  Request request;
  request.target = "ExecuteStatement";
  request.shape = Shape::kStatement;
  Access access = RandomWrite(PickKey(), false);
  const std::string table = board_.TableName(Board::TableOf(access.key));
  const std::string key =
      fmt::format(R"({{"S":"{}"}},{{"N":"{}"}})", Board::PartitionOf(access.key), Board::SortKeyOf(access.key));
  std::string statement, parameters = key;
  if (Chance(25)) {
    access = ReadOf(access.key);
    request.returns_old = true;
    statement = fmt::format(R"(SELECT * FROM \"{}\" WHERE pk = ? AND sk = ?)", table);
  } else if (access.effect == Effect::kPut) {
    access.condition = {Condition::Kind::kAbsent, 0};
    access.group = 0;
    statement = fmt::format(R"(INSERT INTO \"{}\" VALUE {{'pk': ?, 'sk': ?, 'v': ?, 'n': 0, 'l': ?}})", table);
    parameters += fmt::format(R"(,{{"N":"{}"}},{{"L":[{{"N":"{}"}}]}})", access.id, access.id);
  } else if (access.effect == Effect::kUpdate) {
    access.condition = {Condition::Kind::kPresent, 0};
    access.sets_group = false, access.group = 0;
    request.returns_new = Chance(70);
    statement = fmt::format(
        R"json(UPDATE \"{}\" SET v = ? SET l = list_append(l, ?) SET n = n + 1 WHERE pk = ? AND sk = ?{})json", table,
        request.returns_new ? " RETURNING ALL NEW *" : "");
    parameters = fmt::format(R"({{"N":"{}"}},{{"L":[{{"N":"{}"}}]}},{})", access.id, access.id, key);
  } else {
    request.returns_old = true;
    statement = fmt::format(R"(DELETE FROM \"{}\" WHERE pk = ? AND sk = ? RETURNING ALL OLD *)", table);
  }
  request.body = fmt::format(R"({{"Statement":"{}","Parameters":[{}]{}}})", statement, parameters,
                             access.is_write() ? "" : R"(,"ConsistentRead":true)");
  request.operations.push_back(Of("ExecuteStatement", access));
  return request;
}

Request RequestMaker::StatementTransaction() {
  Request request;
  request.target = "ExecuteTransaction";
  request.shape = Shape::kTransactWrite;
  Operation operation;
  operation.name = request.target;
  std::vector<std::string> elements;
  for (const uint32_t key : PickKeys(2, 3)) {
    Access access;
    access.key = key, access.effect = Effect::kUpdate, access.id = board_.NewId();
    access.condition = {Condition::Kind::kPresent, 0};
    elements.push_back(fmt::format(
        R"json({{"Statement":"UPDATE \"{}\" SET v = ? SET l = list_append(l, ?) SET n = n + 1 WHERE pk = ? AND sk = ?",)json"
        R"("Parameters":[{{"N":"{}"}},{{"L":[{{"N":"{}"}}]}},{{"S":"{}"}},{{"N":"{}"}}]}})",
        board_.TableName(Board::TableOf(key)), access.id, access.id, Board::PartitionOf(key), Board::SortKeyOf(key)));
    operation.accesses.push_back(access);
  }
  request.may_repeat = Chance(60);
  request.body = fmt::format(R"({{"TransactStatements":[{}]{}}})", fmt::join(elements, ","),
                             request.may_repeat ? fmt::format(R"(,"ClientRequestToken":"{:x}")", random_()) : "");
  request.operations.push_back(std::move(operation));
  return request;
}

}  // namespace armature::arena
