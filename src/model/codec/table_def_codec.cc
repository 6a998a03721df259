#include "model/codec/table_def_codec.h"

#include "base/text/json_writer.h"
#include "model/codec/json_record.h"
#include "model/names/names.h"

namespace armature::model {

namespace {

void WriteKeyAttributes(JsonWriter& json, std::string_view key, const std::vector<KeyAttribute>& attributes) {
  json.Key(key);
  json.BeginArray();
  for (const auto& attribute : attributes) {
    json.BeginObject();
    json.Key("name");
    json.String(attribute.name);
    json.Key("type");
    json.String(TypeName(attribute.type));
    json.EndObject();
  }
  json.EndArray();
}

void WriteKeySchema(JsonWriter& json, const KeySchema& schema) {
  json.Key("keySchema");
  json.BeginObject();
  WriteKeyAttributes(json, "hash", schema.hash);
  WriteKeyAttributes(json, "range", schema.range);
  json.EndObject();
}

void WriteInt(JsonWriter& json, std::string_view key, int64_t value) {
  json.Key(key);
  json.Int(value);
}

void WriteString(JsonWriter& json, std::string_view key, std::string_view value) {
  json.Key(key);
  json.String(value);
}

void WriteOptional(JsonWriter& json, std::string_view key, const std::optional<int64_t>& value) {
  if (value) WriteInt(json, key, *value);
}

// The three kinds of throughput, alike for a table and an index.
template <class Owner>
void WriteThroughput(JsonWriter& json, const Owner& owner) {
  WriteInt(json, "readUnits", owner.throughput.read_units);
  WriteInt(json, "writeUnits", owner.throughput.write_units);
  WriteInt(json, "decreasesToday", owner.throughput.decreases_today);
  WriteInt(json, "lastIncrease", owner.throughput.last_increase_millis);
  WriteInt(json, "lastDecrease", owner.throughput.last_decrease_millis);
  WriteOptional(json, "maxReadUnits", owner.on_demand.max_read_units);
  WriteOptional(json, "maxWriteUnits", owner.on_demand.max_write_units);
  WriteOptional(json, "warmReadUnits", owner.warm.read_units);
  WriteOptional(json, "warmWriteUnits", owner.warm.write_units);
}

void WriteIndex(JsonWriter& json, const IndexDef& index) {
  json.BeginObject();
  WriteString(json, "kind", index.kind == IndexKind::kLocal ? "local" : "global");
  WriteString(json, "name", index.name);
  WriteInt(json, "id", index.id);
  if (index.kind == IndexKind::kGlobal) WriteInt(json, "keyspace", static_cast<int64_t>(index.keyspace));
  WriteKeySchema(json, index.key_schema);
  WriteString(json, "projection", ProjectionTypeName(index.projection.type));
  json.Key("nonKeyAttributes");
  json.BeginArray();
  for (const auto& name : index.projection.non_key_attributes) json.String(name);
  json.EndArray();
  WriteThroughput(json, index);
  WriteString(json, "status", ResourceStatusName(index.status));
  json.Key("backfilling");
  json.Bool(index.is_backfilling);
  json.EndObject();
}

void WriteKinesis(JsonWriter& json, const std::vector<KinesisDestinationDef>& destinations) {
  json.Key("kinesis");
  json.BeginArray();
  for (const auto& destination : destinations) {
    json.BeginObject();
    WriteString(json, "streamArn", destination.stream_arn);
    WriteString(json, "status", KinesisStatusName(destination.status));
    WriteString(json, "description", destination.status_description);
    WriteString(json, "precision", destination.precision);
    WriteInt(json, "generation", static_cast<int64_t>(destination.generation));
    WriteInt(json, "since", destination.since_millis);
    json.EndObject();
  }
  json.EndArray();
}

void WriteSwitches(JsonWriter& json, const std::vector<int64_t>& switches) {
  json.Key("switchesToOnDemand");
  json.BeginArray();
  for (const int64_t at : switches) {
    json.BeginObject();
    WriteInt(json, "at", at);
    json.EndObject();
  }
  json.EndArray();
}

void WritePolicyMembers(JsonWriter& json, const ResourcePolicyDef& policy) {
  WriteString(json, "document", policy.document);
  WriteInt(json, "revision", policy.revision);
  json.Key("principals");
  json.BeginObject();
  for (const auto& [arn, id] : policy.principals) WriteString(json, arn, id);
  json.EndObject();
}

void WritePolicies(JsonWriter& json, const TableDef& table) {
  if (table.policy.revision) {
    json.Key("resourcePolicy");
    json.BeginObject();
    WritePolicyMembers(json, table.policy);
    json.EndObject();
  }
  if (table.stream_policies.empty()) return;
  json.Key("streamPolicies");
  json.BeginArray();
  for (const auto& [label, policy] : table.stream_policies) {
    json.BeginObject();
    WriteString(json, "label", label);
    WritePolicyMembers(json, policy);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string EncodeTableDef(const TableDef& table) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  WriteInt(json, "version", kTableRecordVersion);
  WriteInt(json, "id", static_cast<int64_t>(table.id));
  WriteString(json, "account", table.account);
  WriteString(json, "region", table.region);
  WriteString(json, "name", table.name);
  WriteString(json, "uuid", table.uuid);
  WriteInt(json, "created", table.created_millis);
  WriteKeyAttributes(json, "attributeDefinitions", table.attribute_definitions);
  WriteKeySchema(json, table.key_schema);
  json.Key("indexes");
  json.BeginArray();
  for (const auto& index : table.indexes) WriteIndex(json, index);
  json.EndArray();
  WriteInt(json, "nextIndexId", table.next_index_id);
  WriteString(json, "billingMode", BillingModeName(table.billing_mode));
  WriteInt(json, "payPerRequestSince", table.pay_per_request_since_millis);
  if (!table.switches_to_on_demand.empty()) WriteSwitches(json, table.switches_to_on_demand);
  WriteThroughput(json, table);
  WriteString(json, "tableClass", table.table_class);
  WriteInt(json, "tableClassChanged", table.table_class_changed_millis);
  json.Key("deletionProtection");
  json.Bool(table.deletion_protection);
  json.Key("sseKms");
  json.Bool(table.sse.is_kms);
  WriteString(json, "kmsKeyArn", table.sse.kms_key_arn);
  json.Key("streamEnabled");
  json.Bool(table.stream.enabled);
  WriteString(json, "streamViewType", table.stream.view_type);
  WriteString(json, "streamLabel", table.stream.label);
  WriteString(json, "ttlStatus", TtlStatusName(table.ttl.status));
  WriteString(json, "ttlAttribute", table.ttl.attribute);
  WriteInt(json, "ttlDue", table.ttl.due_millis);
  if (!table.kinesis.empty()) WriteKinesis(json, table.kinesis);
  json.Key("tags");
  json.BeginObject();
  for (const auto& [key, value] : table.tags) WriteString(json, key, value);
  json.EndObject();
  WritePolicies(json, table);
  WriteString(json, "status", ResourceStatusName(table.status));
  WriteInt(json, "transitionDue", table.transition_due_millis);
  json.EndObject();
  return out;
}

namespace {

KeyAttribute ReadKeyAttribute(const JsonRecord& record) {
  KeyAttribute attribute{record.Text("name"), Type::kS};
  if (!ParseTypeName(record.Text("type"), &attribute.type) || attribute.name.empty()) JsonRecord::Damaged();
  return attribute;
}

KeySchema ReadKeySchema(const JsonRecord& record) {
  const auto schema = record.Object("keySchema");
  if (!schema) return {};
  return {schema->List("hash", ReadKeyAttribute), schema->List("range", ReadKeyAttribute)};
}

template <class Owner>
void ReadThroughput(const JsonRecord& record, Owner& owner) {
  owner.throughput.read_units = record.Int("readUnits");
  owner.throughput.write_units = record.Int("writeUnits");
  owner.throughput.decreases_today = record.Int("decreasesToday");
  owner.throughput.last_increase_millis = record.Int("lastIncrease");
  owner.throughput.last_decrease_millis = record.Int("lastDecrease");
  owner.on_demand.max_read_units = record.OptionalInt("maxReadUnits");
  owner.on_demand.max_write_units = record.OptionalInt("maxWriteUnits");
  owner.warm.read_units = record.OptionalInt("warmReadUnits");
  owner.warm.write_units = record.OptionalInt("warmWriteUnits");
}

int64_t ReadSwitch(const JsonRecord& record) { return record.Int("at"); }

ResourceStatus ReadStatus(const JsonRecord& record) {
  const std::string name = record.Text("status");
  for (auto status : {ResourceStatus::kCreating, ResourceStatus::kUpdating, ResourceStatus::kDeleting})
    if (name == ResourceStatusName(status)) return status;
  return ResourceStatus::kActive;
}

TtlDef ReadTtl(const JsonRecord& record) {
  TtlDef ttl;
  const std::string name = record.Text("ttlStatus");
  for (auto status : {TtlStatus::kEnabling, TtlStatus::kEnabled, TtlStatus::kDisabling})
    if (name == TtlStatusName(status)) ttl.status = status;
  ttl.attribute = record.Text("ttlAttribute");
  ttl.due_millis = record.Int("ttlDue");
  return ttl;
}

KinesisDestinationDef ReadKinesisDestination(const JsonRecord& record) {
  KinesisDestinationDef destination;
  destination.stream_arn = record.Text("streamArn");
  const std::string name = record.Text("status");
  for (auto status : {KinesisStatus::kEnabling, KinesisStatus::kActive, KinesisStatus::kDisabling,
                      KinesisStatus::kDisabled, KinesisStatus::kEnableFailed, KinesisStatus::kUpdating})
    if (name == KinesisStatusName(status)) destination.status = status;
  destination.status_description = record.Text("description");
  destination.precision = record.Text("precision");
  destination.generation = record.Unsigned("generation");
  destination.since_millis = record.Int("since");
  return destination;
}

IndexDef ReadIndex(const JsonRecord& record) {
  IndexDef index;
  index.kind = record.Text("kind") == "local" ? IndexKind::kLocal : IndexKind::kGlobal;
  index.name = record.Text("name");
  index.id = static_cast<uint32_t>(record.Int("id"));
  index.keyspace = record.Unsigned("keyspace");
  index.key_schema = ReadKeySchema(record);
  const std::string projection = record.Text("projection");
  for (auto type : {ProjectionType::kAll, ProjectionType::kKeysOnly, ProjectionType::kInclude})
    if (projection == ProjectionTypeName(type)) index.projection.type = type;
  index.projection.non_key_attributes = record.Texts("nonKeyAttributes");
  ReadThroughput(record, index);
  index.status = ReadStatus(record);
  index.is_backfilling = record.Bool("backfilling");
  return index;
}

ResourcePolicyDef ReadPolicy(const JsonRecord& record) {
  ResourcePolicyDef policy{record.Text("document"), record.Int("revision"), {}};
  if (const auto principals = record.Object("principals"))
    principals->ForEachText(
        [&policy](std::string_view arn, std::string_view id) { policy.principals.emplace(arn, id); });
  return policy;
}

StreamPolicyDef ReadStreamPolicy(const JsonRecord& record) { return {record.Text("label"), ReadPolicy(record)}; }

Result<TableDef> ReadTable(const JsonRecord& record) {
  TableDef table;
  table.id = record.Unsigned("id");
  table.account = record.Text("account");
  table.region = record.Text("region");
  table.name = record.Text("name");
  table.uuid = record.Text("uuid");
  table.created_millis = record.Int("created");
  table.attribute_definitions = record.List("attributeDefinitions", ReadKeyAttribute);
  table.key_schema = ReadKeySchema(record);
  table.indexes = record.List("indexes", ReadIndex);
  table.next_index_id = static_cast<uint32_t>(record.Int("nextIndexId", 1));
  table.billing_mode =
      record.Text("billingMode") == "PROVISIONED" ? BillingMode::kProvisioned : BillingMode::kPayPerRequest;
  table.pay_per_request_since_millis = record.Int("payPerRequestSince");
  table.switches_to_on_demand = record.List("switchesToOnDemand", ReadSwitch);
  ReadThroughput(record, table);
  table.table_class = record.Text("tableClass");
  table.table_class_changed_millis = record.Int("tableClassChanged");
  table.deletion_protection = record.Bool("deletionProtection");
  table.sse = {record.Bool("sseKms"), record.Text("kmsKeyArn")};
  table.stream = {record.Bool("streamEnabled"), record.Text("streamViewType"), record.Text("streamLabel")};
  table.ttl = ReadTtl(record);
  table.kinesis = record.List("kinesis", ReadKinesisDestination);
  if (const auto tags = record.Object("tags"))
    tags->ForEachText([&table](std::string_view key, std::string_view value) { table.tags.emplace(key, value); });
  if (const auto policy = record.Object("resourcePolicy")) table.policy = ReadPolicy(*policy);
  table.stream_policies = record.List("streamPolicies", ReadStreamPolicy);
  table.status = ReadStatus(record);
  table.transition_due_millis = record.Int("transitionDue");
  if (table.id == 0 || table.key_schema.hash.empty()) return Status::Corruption("its record lacks its id or key");
  if (!IsStoredAccount(table.account) || !IsRegionName(table.region) || !IsTableName(table.name))
    return Status::Corruption("its record has a name that is none");
  return table;
}

}  // namespace

Result<TableDef> DecodeTableDef(std::string_view record) {
  return ReadJsonRecord(record, "its record", kTableRecordVersion, ReadTable);
}

}  // namespace armature::model
