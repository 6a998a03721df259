#include "arena/answers.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace armature::arena {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

bool ReadNumber(const object& attribute, int64_t& number) {
  std::string_view text;
  if (attribute["N"].get(text) != simdjson::SUCCESS) return false;
  return std::from_chars(text.data(), text.data() + text.size(), number).ptr == text.data() + text.size();
}

bool ReadNumber(const object& item, const char* name, int64_t& number) {
  object attribute;
  return item[name].get(attribute) == simdjson::SUCCESS && ReadNumber(attribute, number);
}

std::string_view ErrorName(const object& root) {
  std::string_view type;
  if (root["__type"].get(type) != simdjson::SUCCESS) return {};
  return type.substr(type.find('#') + 1);
}

void SetOutcome(Request& request, Outcome outcome) {
  for (Operation& operation : request.operations) operation.outcome = outcome;
}

// "p12" as 12.
std::optional<uint32_t> PartitionNumber(std::string_view text) {
  uint32_t number = 0;
  if (text.empty() || text[0] != 'p') return std::nullopt;
  const auto end = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  return end.ptr == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<uint32_t> AnswerReader::ReadKey(uint32_t table, const Object& item) {
  std::string_view partition;
  int64_t sort_key = 0;
  if (item["pk"]["S"].get(partition) != simdjson::SUCCESS || !ReadNumber(item, "sk", sort_key)) return std::nullopt;
  const auto number = PartitionNumber(partition);
  if (!number || sort_key < 0 || sort_key >= Board::kPerPartition) return std::nullopt;
  const uint32_t key = *number * Board::kPerPartition + static_cast<uint32_t>(sort_key);
  if (key >= board_.options().keys || Board::TableOf(key) != table) return std::nullopt;
  return key;
}

bool AnswerReader::ReadState(const Object& item, ItemState& state) {
  state = {};
  state.exists = true;
  array trail;
  if (!ReadNumber(item, "v", state.version) || !ReadNumber(item, "n", state.count) ||
      item["l"]["L"].get(trail) != simdjson::SUCCESS)
    return Wrong("an item lacks an attribute");
  if (object group; item["grp"].get(group) == simdjson::SUCCESS) ReadNumber(group, state.group);
  for (const element id : trail) {
    object number;
    if (id.get(number) != simdjson::SUCCESS || !ReadNumber(number, state.trail.emplace_back()))
      return Wrong("a trail has something else than numbers");
  }
  return true;
}

bool AnswerReader::SetSighting(const Object& holder, const char* member, Sighting& sighting) {
  sighting = Sighting::Whole({});
  object item;
  return holder[member].get(item) != simdjson::SUCCESS || ReadState(item, sighting.state);
}

bool AnswerReader::Read(Request& request, const Reply& reply) {
  if (reply.status == 0 || reply.status >= 500) {
    SetOutcome(request, Outcome::kUnknown);
    return true;
  }
  element document;
  object root;
  if (parser_.parse(reply.body).get(document) != simdjson::SUCCESS || document.get(root) != simdjson::SUCCESS)
    return Wrong(fmt::format("{} {} answered {} {}", request.target, request.body, reply.status, reply.body));
  if (reply.status == 200 ? ReadOk(request, root) : ReadError(request, reply, root)) return true;
  return Wrong(
      fmt::format("{}: {} {} answered {} {}", problem_, request.target, request.body, reply.status, reply.body));
}

bool AnswerReader::ReadOk(Request& request, const Object& root) {
  SetOutcome(request, Outcome::kOk);
  switch (request.shape) {
    case Shape::kItem: return SetSighting(root, "Item", request.operations[0].accesses[0].before);
    case Shape::kWrite: {
      Access& access = request.operations[0].accesses[0];
      if (request.returns_old) return SetSighting(root, "Attributes", access.before);
      if (request.returns_new) return SetSighting(root, "Attributes", access.after);
      return true;
    }
    case Shape::kBatchWrite: {
      object left;
      if (root["UnprocessedItems"].get(left) == simdjson::SUCCESS && left.size() > 0)
        SetOutcome(request, Outcome::kUnknown);
      return true;
    }
    case Shape::kTransactWrite: return true;
    case Shape::kTransactGet: {
      array responses;
      auto& accesses = request.operations[0].accesses;
      if (root["Responses"].get(responses) != simdjson::SUCCESS || responses.size() != accesses.size())
        return Wrong("not as many responses as were asked for");
      size_t i = 0;
      for (const element response : responses) {
        object holder;
        if (response.get(holder) != simdjson::SUCCESS) return Wrong("a response is no object");
        if (!SetSighting(holder, "Item", accesses[i++].before)) return false;
      }
      return true;
    }
    case Shape::kBatchGet: {
      object tables;
      if (root["Responses"].get(tables) != simdjson::SUCCESS) return Wrong("no Responses");
      if (object left; root["UnprocessedKeys"].get(left) == simdjson::SUCCESS && left.size() > 0) {
        SetOutcome(request, Outcome::kUnknown);
        return true;
      }
      for (Operation& operation : request.operations) operation.accesses[0].before = Sighting::Whole({});
      for (uint32_t table = 0; table < Board::kTables; ++table) {
        array items;
        if (tables[board_.TableName(table)].get(items) != simdjson::SUCCESS) continue;
        for (const element one : items) {
          object item;
          if (one.get(item) != simdjson::SUCCESS) return Wrong("an item is no object");
          const auto key = ReadKey(table, item);
          const auto operation = std::find_if(request.operations.begin(), request.operations.end(),
                                              [&](const Operation& o) { return key && o.accesses[0].key == *key; });
          if (operation == request.operations.end()) return Wrong("an item that was not asked for");
          if (!ReadState(item, operation->accesses[0].before.state)) return false;
        }
      }
      return true;
    }
    case Shape::kRows: return ReadRowsInto(request, root);
    case Shape::kStatement: {
      array items;
      Access& access = request.operations[0].accesses[0];
      if (!request.returns_old && !request.returns_new) return true;
      Sighting& sighting = request.returns_old ? access.before : access.after;
      sighting = Sighting::Whole({});
      if (root["Items"].get(items) != simdjson::SUCCESS || items.size() == 0) return true;
      object item;
      return items.at(0).get(item) == simdjson::SUCCESS && ReadState(item, sighting.state);
    }
  }
  return false;
}

bool AnswerReader::ReadRowsInto(Request& request, const Object& root) {
  array items;
  if (root["Items"].get(items) != simdjson::SUCCESS) return Wrong("no Items");
  if (root["LastEvaluatedKey"].error() == simdjson::SUCCESS) return Wrong("a page that is not the last");
  const auto add = [&](uint32_t key, Sighting sighting) {
    Operation operation;
    operation.name = request.target;
    operation.accesses.emplace_back().key = key;
    operation.accesses.back().before = std::move(sighting);
    request.operations.push_back(std::move(operation));
  };
  std::vector<uint32_t> found;
  for (const element one : items) {
    object item;
    Sighting sighting = Sighting::Whole({});
    if (one.get(item) != simdjson::SUCCESS || !ReadState(item, sighting.state)) return false;
    const auto key = ReadKey(request.table, item);
    if (!key) return Wrong("a row of an item that nobody wrote");
    if (std::find(found.begin(), found.end(), *key) != found.end()) return Wrong("an item twice");
    if (request.group != 0 && sighting.state.group != request.group) return Wrong("a row of another group");
    found.push_back(*key);
    add(*key, std::move(sighting));
  }
  for (const uint32_t key : request.asked)
    if (std::find(found.begin(), found.end(), key) == found.end())
      add(key, request.group == 0 ? Sighting::Whole({}) : Sighting::NotInGroup(request.group));
  return true;
}

bool AnswerReader::ReadError(Request& request, const Reply& reply, const Object& root) {
  const std::string_view name = ErrorName(root);
  if (name == "TransactionCanceledException") return ReadReasons(request.operations[0], root);
  if (name == "ConditionalCheckFailedException" || name == "DuplicateItemException") {
    SetOutcome(request, Outcome::kRefused);
    Access& access = request.operations[0].accesses[0];
    access.verdict = Access::Verdict::kFailed;
    if (object item; root["Item"].get(item) == simdjson::SUCCESS) return SetSighting(root, "Item", access.before);
    return true;
  }
  if (name == "TransactionInProgressException") {  // what was sent before is still at work
    SetOutcome(request, Outcome::kUnknown);
    return true;
  }
  return Wrong(fmt::format("an unexpected error ({})", reply.status));
}

bool AnswerReader::ReadReasons(Operation& operation, const Object& root) {
  operation.outcome = Outcome::kRefused;
  array reasons;
  if (root["CancellationReasons"].get(reasons) != simdjson::SUCCESS || reasons.size() != operation.accesses.size())
    return Wrong("not as many reasons as there are elements");
  size_t i = 0;
  bool has_failed = false;
  for (const element one : reasons) {
    object reason;
    std::string_view code;
    if (one.get(reason) != simdjson::SUCCESS || reason["Code"].get(code) != simdjson::SUCCESS)
      return Wrong("a reason without a code");
    Access& access = operation.accesses[i++];
    if (code == "None") access.verdict = Access::Verdict::kHeld;
    else if (code == "ConditionalCheckFailed" || code == "DuplicateItem") access.verdict = Access::Verdict::kFailed;
    else return Wrong(fmt::format("an unexpected reason {}", code));
    has_failed |= access.verdict == Access::Verdict::kFailed;
    if (object item; reason["Item"].get(item) == simdjson::SUCCESS && !SetSighting(reason, "Item", access.before))
      return false;
  }
  return has_failed || Wrong("cancelled without a reason");
}

std::optional<std::vector<std::pair<uint32_t, ItemState>>> AnswerReader::ReadRows(uint32_t table, const Reply& reply) {
  Request request;
  request.shape = Shape::kRows;
  request.table = table;
  if (reply.status != 200) problem_ = fmt::format("{} {}", reply.status, reply.body);
  if (reply.status != 200 || !Read(request, reply)) return std::nullopt;
  std::vector<std::pair<uint32_t, ItemState>> rows;
  for (Operation& operation : request.operations)
    rows.emplace_back(operation.accesses[0].key, std::move(operation.accesses[0].before.state));
  return rows;
}

std::optional<std::vector<StreamRecord>> AnswerReader::ReadRecords(uint32_t table, const Reply& reply,
                                                                   std::string& next) {
  element document;
  array records;
  if (reply.status != 200 || parser_.parse(reply.body).get(document) != simdjson::SUCCESS ||
      document["Records"].get(records) != simdjson::SUCCESS)
    return std::nullopt;
  std::string_view text;
  next = document["NextShardIterator"].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
  std::vector<StreamRecord> found;
  for (const element one : records) {
    object change, keys, image;
    std::string_view number, event;
    if (one["dynamodb"].get(change) != simdjson::SUCCESS || change["Keys"].get(keys) != simdjson::SUCCESS ||
        change["SequenceNumber"].get(number) != simdjson::SUCCESS || one["eventName"].get(event) != simdjson::SUCCESS)
      return std::nullopt;
    const auto key = ReadKey(table, keys);
    if (!key) return std::nullopt;
    StreamRecord& record = found.emplace_back();
    record = {*key, std::string(number), std::string(event), {}, {}, table};
    if (change["OldImage"].get(image) == simdjson::SUCCESS && !ReadState(image, record.before)) return std::nullopt;
    if (change["NewImage"].get(image) == simdjson::SUCCESS && !ReadState(image, record.after)) return std::nullopt;
  }
  return found;
}

}  // namespace armature::arena
