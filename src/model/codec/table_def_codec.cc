#include "model/codec/table_def_codec.h"

#include <simdjson.h>

#include "base/text/json_writer.h"
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
  WriteString(json, "status", ResourceStatusName(table.status));
  WriteInt(json, "transitionDue", table.transition_due_millis);
  json.EndObject();
  return out;
}

namespace {

using Object = simdjson::dom::object;

int64_t ReadInt(Object object, const char* key, int64_t otherwise = 0) {
  int64_t value = otherwise;
  return object[key].get(value) == simdjson::SUCCESS ? value : otherwise;
}

std::string ReadString(Object object, const char* key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

bool ReadBool(Object object, const char* key) {
  bool value = false;
  return object[key].get(value) == simdjson::SUCCESS && value;
}

std::optional<int64_t> ReadOptional(Object object, const char* key) {
  int64_t value = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::vector<KeyAttribute> ReadKeyAttributes(Object object, const char* key) {
  std::vector<KeyAttribute> attributes;
  simdjson::dom::array array;
  if (object[key].get(array) != simdjson::SUCCESS) return attributes;
  for (Object element : array) {
    KeyAttribute attribute{ReadString(element, "name"), Type::kS};
    if (!ParseTypeName(ReadString(element, "type"), &attribute.type) || attribute.name.empty())
      throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

KeySchema ReadKeySchema(Object object) {
  Object schema;
  if (object["keySchema"].get(schema) != simdjson::SUCCESS) return {};
  return {ReadKeyAttributes(schema, "hash"), ReadKeyAttributes(schema, "range")};
}

template <class Owner>
void ReadThroughput(Object object, Owner& owner) {
  owner.throughput.read_units = ReadInt(object, "readUnits");
  owner.throughput.write_units = ReadInt(object, "writeUnits");
  owner.throughput.decreases_today = ReadInt(object, "decreasesToday");
  owner.throughput.last_increase_millis = ReadInt(object, "lastIncrease");
  owner.throughput.last_decrease_millis = ReadInt(object, "lastDecrease");
  owner.on_demand.max_read_units = ReadOptional(object, "maxReadUnits");
  owner.on_demand.max_write_units = ReadOptional(object, "maxWriteUnits");
  owner.warm.read_units = ReadOptional(object, "warmReadUnits");
  owner.warm.write_units = ReadOptional(object, "warmWriteUnits");
}

ResourceStatus ReadStatus(Object object) {
  const std::string name = ReadString(object, "status");
  for (auto status : {ResourceStatus::kCreating, ResourceStatus::kUpdating, ResourceStatus::kDeleting})
    if (name == ResourceStatusName(status)) return status;
  return ResourceStatus::kActive;
}

TtlDef ReadTtl(Object object) {
  TtlDef ttl;
  const std::string name = ReadString(object, "ttlStatus");
  for (auto status : {TtlStatus::kEnabling, TtlStatus::kEnabled, TtlStatus::kDisabling})
    if (name == TtlStatusName(status)) ttl.status = status;
  ttl.attribute = ReadString(object, "ttlAttribute");
  ttl.due_millis = ReadInt(object, "ttlDue");
  return ttl;
}

KinesisDestinationDef ReadKinesisDestination(Object object) {
  KinesisDestinationDef destination;
  destination.stream_arn = ReadString(object, "streamArn");
  const std::string name = ReadString(object, "status");
  for (auto status : {KinesisStatus::kEnabling, KinesisStatus::kActive, KinesisStatus::kDisabling,
                      KinesisStatus::kDisabled, KinesisStatus::kEnableFailed, KinesisStatus::kUpdating})
    if (name == KinesisStatusName(status)) destination.status = status;
  destination.status_description = ReadString(object, "description");
  destination.precision = ReadString(object, "precision");
  destination.generation = static_cast<uint64_t>(ReadInt(object, "generation"));
  destination.since_millis = ReadInt(object, "since");
  return destination;
}

IndexDef ReadIndex(Object object) {
  IndexDef index;
  index.kind = ReadString(object, "kind") == "local" ? IndexKind::kLocal : IndexKind::kGlobal;
  index.name = ReadString(object, "name");
  index.id = static_cast<uint32_t>(ReadInt(object, "id"));
  index.key_schema = ReadKeySchema(object);
  const std::string projection = ReadString(object, "projection");
  for (auto type : {ProjectionType::kAll, ProjectionType::kKeysOnly, ProjectionType::kInclude})
    if (projection == ProjectionTypeName(type)) index.projection.type = type;
  simdjson::dom::array names;
  if (object["nonKeyAttributes"].get(names) == simdjson::SUCCESS)
    for (std::string_view name : names) index.projection.non_key_attributes.emplace_back(name);
  ReadThroughput(object, index);
  index.status = ReadStatus(object);
  index.is_backfilling = ReadBool(object, "backfilling");
  return index;
}

TableDef ReadTable(Object object) {
  TableDef table;
  table.id = static_cast<uint64_t>(ReadInt(object, "id"));
  table.account = ReadString(object, "account");
  table.region = ReadString(object, "region");
  table.name = ReadString(object, "name");
  table.uuid = ReadString(object, "uuid");
  table.created_millis = ReadInt(object, "created");
  table.attribute_definitions = ReadKeyAttributes(object, "attributeDefinitions");
  table.key_schema = ReadKeySchema(object);
  simdjson::dom::array indexes;
  if (object["indexes"].get(indexes) == simdjson::SUCCESS)
    for (Object index : indexes) table.indexes.push_back(ReadIndex(index));
  table.next_index_id = static_cast<uint32_t>(ReadInt(object, "nextIndexId", 1));
  table.billing_mode =
      ReadString(object, "billingMode") == "PROVISIONED" ? BillingMode::kProvisioned : BillingMode::kPayPerRequest;
  table.pay_per_request_since_millis = ReadInt(object, "payPerRequestSince");
  ReadThroughput(object, table);
  table.table_class = ReadString(object, "tableClass");
  table.table_class_changed_millis = ReadInt(object, "tableClassChanged");
  table.deletion_protection = ReadBool(object, "deletionProtection");
  table.sse = {ReadBool(object, "sseKms"), ReadString(object, "kmsKeyArn")};
  table.stream = {ReadBool(object, "streamEnabled"), ReadString(object, "streamViewType"),
                  ReadString(object, "streamLabel")};
  table.ttl = ReadTtl(object);
  simdjson::dom::array destinations;
  if (object["kinesis"].get(destinations) == simdjson::SUCCESS)
    for (Object destination : destinations) table.kinesis.push_back(ReadKinesisDestination(destination));
  Object tags;
  if (object["tags"].get(tags) == simdjson::SUCCESS)
    for (auto field : tags) table.tags.emplace(std::string(field.key), std::string(std::string_view(field.value)));
  table.status = ReadStatus(object);
  table.transition_due_millis = ReadInt(object, "transitionDue");
  return table;
}

}  // namespace

Result<TableDef> DecodeTableDef(std::string_view record) {
  simdjson::dom::parser parser;
  Object object;
  if (parser.parse(record.data(), record.size()).get(object) != simdjson::SUCCESS)
    return Status::Corruption("its record is not JSON");
  const int64_t version = ReadInt(object, "version");
  if (version > kTableRecordVersion) return Status::Format("its record was written by a newer version of armature");
  // simdjson throws on a member of an unexpected kind: for a record of ours that is corruption.
  try {
    TableDef table = ReadTable(object);
    if (table.id == 0 || table.key_schema.hash.empty()) return Status::Corruption("its record lacks its id or key");
    if (!IsStoredAccount(table.account) || !IsRegionName(table.region) || !IsTableName(table.name))
      return Status::Corruption("its record has a name that is none");
    return table;
  } catch (const simdjson::simdjson_error& error) {
    return Status::Corruption(std::string("its record is damaged: ") + error.what());
  }
}

}  // namespace armature::model
