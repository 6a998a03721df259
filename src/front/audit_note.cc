#include "front/audit_note.h"

#include <vector>

#include <fmt/format.h>

#include "audit/parameters.h"
#include "base/log.h"
#include "base/text/json_writer.h"
#include "base/text/visible_text.h"
#include "model/names/arn.h"
#include "wire/envelope/envelope.h"
#include "wire/fields.h"
#include "wire/print_value.h"
#include "wire/services/dax.h"

namespace armature::front {

using audit::CallKind;

namespace {

constexpr std::string_view kDynamoDbVersion = "2012-08-10";
constexpr std::string_view kPattern = "Pattern";  // of a trigger's filter: it may hold values of items

bool OnlyLooks(std::string_view name) {
  return name.starts_with("Describe") || name.starts_with("List") || name.starts_with("Get");
}

CallKind KindOf(wire::OperationKind kind) {
  switch (kind) {
    case wire::OperationKind::kRead: return CallKind::kDataRead;
    case wire::OperationKind::kWrite: return CallKind::kDataWrite;
    case wire::OperationKind::kControl: return CallKind::kManagement;
  }
  return CallKind::kManagement;
}

std::string_view ResourceType(auth::ResourceKind kind) {
  switch (kind) {
    case auth::ResourceKind::kTable: return "AWS::DynamoDB::Table";
    case auth::ResourceKind::kIndex: return "AWS::DynamoDB::Index";
    case auth::ResourceKind::kStream: return "AWS::DynamoDB::Stream";
    case auth::ResourceKind::kEventSourceMapping: return "AWS::Lambda::EventSourceMapping";
    case auth::ResourceKind::kDaxCluster: return "AWS::DAX::Cluster";
    case auth::ResourceKind::kRole: return "AWS::IAM::Role";
    case auth::ResourceKind::kKinesisStream: return "AWS::Kinesis::Stream";
    case auth::ResourceKind::kNone: break;
  }
  return {};
}

// Whose key a request says to be signed with: "…Credential=AKIDEXAMPLE/20150830/…".
std::string_view ClaimedKeyId(const net::HttpRequest& request) {
  constexpr std::string_view kCredential = "Credential=";
  std::string_view text = request.Value("Authorization");
  size_t at = text.find(kCredential);
  if (at == std::string_view::npos) {
    text = request.query;
    at = text.find(kCredential);
  }
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + kCredential.size());
  return text.substr(0, text.find_first_of("/%&, "));
}

// Hashes keys of tables as a caller names them.
class TableHasher final : public audit::Hasher {
 public:
  TableHasher(const api::Services& services, const audit::HashKey& key, const Caller& caller)
      : services_(services), key_(key), caller_(caller) {}

  std::string OfKey(std::string_view table, model::Item attributes, bool is_whole_item) const override {
    std::string_view account = caller_.principal.account;
    std::string_view region = caller_.region;
    if (const auto named = model::ParseTableArn(table)) {
      table = named->table;
      if (!services_.shares_tables) account = named->account, region = named->region;
    }
    const std::string arn = model::MakeTableArn(region, account, table);
    if (!is_whole_item) return key_.OfKey(arn, attributes);
    const auto found = services_.catalog.Find({account, region}, table);
    if (!found) return {};
    std::vector<model::MapEntry> key;
    for (const auto& attribute : attributes)
      if (found->key_schema().Find(attribute.name)) key.push_back(attribute);
    return key.empty() ? std::string() : key_.OfKey(arn, key);
  }
  std::string OfText(std::string_view text) const override { return key_.OfText(text); }

 private:
  const api::Services& services_;
  const audit::HashKey& key_;
  const Caller& caller_;
};

// How it came.
void DescribeRequest(const net::Exchange& exchange, const std::string& source_ip, audit::Event& event) {
  const net::HttpRequest& request = exchange.request();
  event.source_ip = source_ip;
  event.user_agent = request.Value("User-Agent");
  event.request_id = exchange.request_id();
  if (exchange.is_secure()) event.secure_host = request.Value("Host");
  event.claimed_key_id = ClaimedKeyId(request);
}

}  // namespace

AuditedOperation AuditedAs(const wire::OperationSchema& schema) {
  const std::string_view service = schema.iam_action.substr(0, schema.iam_action.find(':'));
  AuditedOperation operation{service, schema.name, kDynamoDbVersion};
  operation.kind = KindOf(schema.kind);
  operation.is_read_only =
      operation.kind == CallKind::kDataRead || (operation.kind == CallKind::kManagement && OnlyLooks(schema.name));
  // The operations of which only the statements tell what they do.
  operation.is_partiql = schema.name == "ExecuteStatement" || schema.name == "BatchExecuteStatement" ||
                         schema.name == "ExecuteTransaction";
  operation.tells_reply = operation.kind == CallKind::kManagement && !operation.is_read_only;
  return operation;
}

AuditedOperation AuditedAs(const wire::QueryOperationSchema& schema) {
  AuditedOperation operation{schema.service->name, schema.name, schema.service->version};
  operation.is_query = true;
  operation.is_read_only = !schema.changes_state;
  // Sessions are given out without a change.
  operation.tells_reply = schema.changes_state || schema.name.starts_with("AssumeRole") ||
                          schema.name == "GetSessionToken" || schema.name == "GetFederationToken";
  return operation;
}

AuditedOperation AuditedAsDax(const wire::OperationSchema& schema) {
  AuditedOperation operation = AuditedAs(schema);
  operation.api_version = wire::dax::kVersion;
  return operation;
}

AuditedOperation AuditedAsLambdas(std::string_view name) {
  AuditedOperation operation{"lambda", name, {}};
  operation.name_suffix = "20150331";
  operation.is_read_only = OnlyLooks(name);
  operation.tells_reply = !operation.is_read_only;
  return operation;
}

void AuditNote::Record() noexcept {
  try {
    RecordAll();
  } catch (...) {  // no memory for it
    pipeline_.audit()->NoteLost();
  }
}

void AuditNote::AskedInJson(std::string_view body, std::string_view uuid) {
  json_request_ = body.empty() ? std::string() : audit::ElementsOf(body, kPattern);
  if (uuid.empty()) return;
  std::string with_uuid = R"({"uUID":)";
  AppendJsonString(with_uuid, WellFormedUtf8(uuid));
  if (json_request_.empty()) json_request_ = with_uuid + "}";
  else json_request_.replace(0, 1, with_uuid + ",");
}

void AuditNote::Failed(const model::ApiError& error) {
  has_ended_ = true;
  error_code_ = error.name;
  error_message_ = error.message;
  is_denial_ = error.name == "AccessDeniedException" || error.name == "AccessDenied";
}

void AuditNote::RecordAll() {
  const audit::Audit& audit = *pipeline_.audit();
  const std::string source_ip = exchange_.SourceIp();
  const std::string name = fmt::format("{}{}", operation_.name, operation_.name_suffix);
  audit::Event event;
  event.service = operation_.service;
  event.name = name;
  event.api_version = operation_.api_version;
  event.caller = caller_.principal;
  event.is_unproven = caller_.is_unproven;
  event.region = caller_.region.empty() ? std::string_view(audit.region()) : caller_.region;
  event.is_management = operation_.kind == CallKind::kManagement;
  event.is_read_only = operation_.is_partiql ? !witness_.writes() : operation_.is_read_only;
  DescribeRequest(exchange_, source_ip, event);

  if (!has_ended_) error_code_ = "InternalServerError";
  // A member of a batch was denied, and the reply as a whole was not.
  if (error_code_.empty() && witness_.is_denied()) error_code_ = "AccessDenied", error_message_ = witness_.denial();
  event.error_code = error_code_;
  // Texts about values quote them.
  if (event.is_management || IsDenied()) event.error_message = error_message_;
  // These quote the header, which may hold anything, a password of another scheme too.
  if (is_refused_ && error_code_.starts_with("IncompleteSignature")) event.error_message = {};

  const std::string parameters = RequestParameters();
  event.request_parameters = parameters;
  const std::string elements = ResponseElements();
  event.response_elements = elements;
  if (operation_.name == "AssumeRoleWithWebIdentity") {
    event.is_web_identity = true;
    if (elements_) event.web_provider = elements_->provider(), event.web_subject = elements_->subject();
  }
  AddResources(event);
  // Who is not even known does not get the room that is kept for those who administer.
  audit.Record(event, IsDenied() || !caller_.principal.identity);
}

std::string AuditNote::RequestParameters() const {
  if (!shape_) return json_request_;
  const TableHasher hasher(pipeline_.services(), pipeline_.audit()->hash_key(), caller_);
  const bool may_be_anything = operation_.kind != CallKind::kManagement && error_code_ == "ValidationException";
  return audit::ParametersOf(*shape_, request_, {hasher, may_be_anything});
}

std::string AuditNote::ResponseElements() {
  if (!operation_.tells_reply || !error_code_.empty()) return {};
  if (operation_.is_query) return elements_ ? elements_->Finish() : std::string();
  return audit::ElementsOf(exchange_.response().body, kPattern);
}

void AuditNote::AddResources(audit::Event& event) const {
  for (const auth::AccessWitness::Seen& seen : witness_.seen())
    event.resources.push_back({ResourceType(seen.kind), seen.arn, seen.account});
  if (!shape_ || operation_.service != "sts") return;
  for (const wire::MemberDesc& member : shape_->members) {
    const void* const field = static_cast<const char*>(request_) + member.offset;
    if (member.name != "RoleArn" || !wire::IsPresent(*member.shape, field)) continue;
    const std::string_view text = *static_cast<const std::string_view*>(field);
    const auto arn = model::ParseArn(text);
    event.resources.push_back({"AWS::IAM::Role", std::string(text), arn ? std::string(arn->account) : std::string()});
  }
}

void RecordTurnedAway(const audit::Audit& audit, const net::Exchange& exchange, const model::ApiError& error) noexcept {
  try {
    const net::HttpRequest& request = exchange.request();
    const std::string source_ip = exchange.SourceIp();
    const wire::OperationSchema* const schema = wire::RouteTarget(request);
    std::string details;
    JsonWriter json(details);
    json.BeginObject();
    json.Member("host", WellFormedUtf8(request.Value("Host").substr(0, 256)));
    if (request.Find("Origin")) json.Member("origin", WellFormedUtf8(request.Value("Origin").substr(0, 256)));
    json.EndObject();

    audit::Event event;
    event.service = "dynamodb";
    event.name = schema ? schema->name : "HttpRequest";
    event.region = audit.region();
    event.is_management = !schema || schema->kind == wire::OperationKind::kControl;
    event.is_read_only = schema && AuditedAs(*schema).is_read_only;
    event.error_code = error.name;
    event.error_message = error.message;
    event.additional_data = details;
    DescribeRequest(exchange, source_ip, event);
    audit.Record(event, /*is_denied=*/true);
  } catch (...) {  // no memory for it
    audit.NoteLost();
  }
}

}  // namespace armature::front
