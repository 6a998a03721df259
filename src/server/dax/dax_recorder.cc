#include "server/dax/dax_recorder.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "audit/parameters.h"
#include "auth/access.h"
#include "base/memory/arena.h"
#include "base/text/json_writer.h"
#include "base/text/visible_text.h"
#include "dax/node/dax_cluster.h"
#include "dax/translate/json_request.h"
#include "model/names/arn.h"
#include "net/transport/peer_text.h"
#include "wire/decode.h"
#include "wire/json/json_document.h"
#include "wire/requests.h"
#include "wire/services/dax.h"

namespace armature::server {

namespace {

using audit::CallKind;
using dax::Method;

constexpr std::string_view kDynamoDb = "DynamoDB_20120810";
// Of more than so much nothing is shown that would have to be looked through for it.
constexpr size_t kMostRequestBytes = size_t{1} << 20;
constexpr size_t kMostTables = 100;

struct Named {
  std::string_view name;
  CallKind kind = CallKind::kDataRead;
};

Named NameOf(Method method) {
  switch (method) {
    case Method::kAuthorizeConnection: return {"AuthorizeConnection"};
    case Method::kEndpoints: return {"Endpoints"};
    case Method::kDefineKeySchema: return {"DefineKeySchema"};
    case Method::kDefineAttributeListId: return {"DefineAttributeListId"};
    case Method::kDefineAttributeList: return {"DefineAttributeList"};
    case Method::kGetItem: return {"GetItem"};
    case Method::kPutItem: return {"PutItem", CallKind::kDataWrite};
    case Method::kUpdateItem: return {"UpdateItem", CallKind::kDataWrite};
    case Method::kDeleteItem: return {"DeleteItem", CallKind::kDataWrite};
    case Method::kQuery: return {"Query"};
    case Method::kScan: return {"Scan"};
    case Method::kBatchGetItem: return {"BatchGetItem"};
    case Method::kBatchWriteItem: return {"BatchWriteItem", CallKind::kDataWrite};
    case Method::kTransactGetItems: return {"TransactGetItems"};
    case Method::kTransactWriteItems: return {"TransactWriteItems", CallKind::kDataWrite};
  }
  return {"Unknown"};
}

// A table as a client names it, in the account and Region that he means.
std::string ArnOf(std::string_view table, const dax::Scope& scope) {
  const auto named = model::ParseTableArn(table);
  return named ? model::MakeTableArn(named->region, named->account, named->table)
               : model::MakeTableArn(scope.region, scope.account, table);
}

class KeyHasher final : public audit::Hasher {
 public:
  KeyHasher(const audit::HashKey& key, const dax::TableSchemas& schemas, const dax::Scope& scope)
      : key_(key), schemas_(schemas), scope_(scope) {}

  std::string OfKey(std::string_view table, model::Item attributes, bool is_whole_item) const override {
    const std::string arn = ArnOf(table, scope_);
    if (!is_whole_item) return key_.OfKey(arn, attributes);
    const dax::TableSchemaPtr schema = schemas_.Known(scope_, table);
    if (!schema) return {};
    std::vector<model::MapEntry> key;
    for (const model::MapEntry& attribute : attributes)
      if (std::ranges::any_of(schema->parts, [&](const dax::KeyPart& part) { return part.name == attribute.name; }))
        key.push_back(attribute);
    return key.empty() ? std::string() : key_.OfKey(arn, key);
  }
  std::string OfText(std::string_view text) const override { return key_.OfText(text); }

 private:
  const audit::HashKey& key_;
  const dax::TableSchemas& schemas_;
  const dax::Scope& scope_;
};

size_t BytesOf(const dax::ParsedRequest& request) {
  size_t bytes = 0;
  for (const dax::RequestItem& item : request.items)
    bytes += item.key.size() + item.blob.value_or(std::string_view()).size();
  return bytes;
}

std::string JsonOf(std::string_view member, std::span<const std::string_view> texts) {
  size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  if (bytes > audit::kMostParameterBytes) return audit::LeftOut(bytes);
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Key(member);
  json.BeginArray();
  for (const std::string_view text : texts) json.String(WellFormedUtf8(text));
  json.EndArray();
  json.EndObject();
  return out;
}

std::string JsonOfTable(std::string_view table) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Member("tableName", WellFormedUtf8(table));
  json.EndObject();
  return out;
}

// The cluster, and the tables that the call is about.
void AddResources(const dax::CallRecord& record, audit::Event& event) {
  const dax::ClusterSettings& settings = record.cluster.settings();
  const auth::Resource cluster{.kind = auth::ResourceKind::kDaxCluster,
                               .region = settings.region,
                               .account = settings.account,
                               .name = settings.name};
  event.resources.push_back({"AWS::DAX::Cluster", cluster.Arn(), settings.account});
  if (!record.call.caller) return;  // nobody knows whose tables he means
  for (const std::string_view table : dax::TablesOf(record.call.request)) {
    if (event.resources.size() > kMostTables) return;
    std::string arn = ArnOf(table, record.call.scope);
    if (std::ranges::find(event.resources, arn, &audit::EventResource::arn) != event.resources.end()) continue;
    event.resources.push_back({"AWS::DynamoDB::Table", std::move(arn), std::string(record.call.scope.account)});
  }
}

}  // namespace

bool DaxRecorder::Wants(Method method) const { return audit_.Wants(NameOf(method).kind); }

void DaxRecorder::Record(const dax::CallRecord& record) const noexcept {
  try {
    RecordAll(record);
  } catch (...) {  // no memory for it
    audit_.NoteLost();
  }
}

void DaxRecorder::RecordAll(const dax::CallRecord& record) const {
  const dax::DaxCall& call = record.call;
  const Named named = NameOf(call.request.method);
  const std::string address = net::AddressText(*call.peer);
  audit::Event event;
  event.service = "dax";
  event.name = named.name;
  event.api_version = wire::dax::kVersion;
  event.region = record.cluster.settings().region;
  event.source_ip = address;
  if (call.caller) {
    event.caller = call.caller->principal();
    event.is_unproven = call.caller->is_unproven;
    event.region = call.scope.region;
    event.user_agent = call.caller->user_agent;
  } else {
    event.claimed_key_id = record.claimed_key_id;
  }
  if (record.error) {
    event.request_id = record.error->request_id;
    event.error_code = record.error->name;
    // Texts about values quote them.
    if (record.is_denied) event.error_message = record.error->message;
  }
  const std::string parameters = ParametersOf(record);
  event.request_parameters = parameters;
  AddResources(record, event);
  event.is_read_only = named.kind == CallKind::kDataRead;
  event.is_management = false;
  audit_.Record(event, record.is_denied);
}

std::string DaxRecorder::ParametersOf(const dax::CallRecord& record) const {
  const dax::ParsedRequest& request = record.call.request;
  switch (request.method) {
    case Method::kAuthorizeConnection:
    case Method::kEndpoints: return {};
    case Method::kDefineKeySchema: return JsonOfTable(request.table);
    case Method::kDefineAttributeListId: return JsonOf("attributeNames", request.names);
    case Method::kDefineAttributeList: return fmt::format(R"({{"attributeListId":{}}})", request.list_id);
    default: break;
  }
  // Keys and names are an account's, which nobody knows of whom nobody believes.
  std::string parameters = record.call.caller ? DataParametersOf(record) : std::string();
  if (parameters.empty() && !request.table.empty()) return JsonOfTable(request.table);
  return parameters;
}

// As the SDK's request that it stands for.
std::string DaxRecorder::DataParametersOf(const dax::CallRecord& record) const {
  const dax::ParsedRequest& request = record.call.request;
  const dax::Scope& scope = record.call.scope;
  const dax::ClusterServices& services = record.cluster.services();
  if (const size_t bytes = BytesOf(request); bytes > kMostRequestBytes) return audit::LeftOut(bytes);
  std::vector<dax::TableSchemaPtr> schemas;
  for (const std::string_view table : dax::TablesOf(request)) {
    schemas.push_back(services.schemas.Known(scope, table));
    if (!schemas.back()) return {};
  }
  Arena arena;
  const auto json = dax::WriteJsonRequest(request, schemas, dax::AccountLists(services.lists, scope.account), arena);
  if (!json) return {};
  const auto document = wire::JsonDocument::Parse(json->body);
  const wire::OperationSchema* const schema = wire::FindOperation(kDynamoDb, json->operation);
  if (!document || !schema) return {};
  wire::DecodeErrors errors;
  void* const input = arena.Allocate(schema->input->size);
  if (!wire::DecodeRequest(*schema, document->root(), arena, errors, input)) return {};
  const KeyHasher hasher(audit_.hash_key(), services.schemas, scope);
  return audit::ParametersOf(*schema->input, input, {.hasher = hasher});
}

}  // namespace armature::server
