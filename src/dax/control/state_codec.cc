#include "dax/control/state_codec.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "base/text/json_writer.h"
#include "model/codec/json_record.h"

namespace armature::dax::control {

namespace {

using model::JsonRecord;

constexpr int64_t kRecordVersion = 1;
constexpr char kSeparator = '\0';  // in no account, Region or name

// What a record is of: the first character of what its key has behind the place.
constexpr char kCluster = 'c';
constexpr char kParameterGroup = 'p';
constexpr char kSubnetGroup = 's';
constexpr char kEvent = 'e';

std::string KeyOf(const Place& place, char kind, std::string_view name) {
  std::string key;
  key.append(place.account).push_back(kSeparator);
  key.append(place.region).push_back(kSeparator);
  key.push_back(kind);
  key.append(name);
  return key;
}
// In the order of their numbers.
std::string KeyOf(const Place& place, char kind, uint64_t number) {
  return KeyOf(place, kind, fmt::format("{:016x}", number));
}

struct ParsedKey {
  Place place;
  char kind;
  std::string_view name;
};
std::optional<ParsedKey> ParseKey(std::string_view key) {
  const size_t first = key.find(kSeparator);
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = key.find(kSeparator, first + 1);
  if (second == std::string_view::npos || second + 2 >= key.size()) return std::nullopt;
  return ParsedKey{{std::string(key.substr(0, first)), std::string(key.substr(first + 1, second - first - 1))},
                   key[second + 1],
                   key.substr(second + 2)};
}

// --- writing

void WriteTexts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.Key(name);
  json.BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void WriteNode(JsonWriter& json, const Node& node) {
  json.BeginObject();
  json.Member("id", node.id);
  json.Member("zone", node.zone);
  json.MemberInt("created", node.created_millis);
  json.MemberInt("status", static_cast<int64_t>(node.status));
  json.Member("host", node.address.host);
  json.MemberInt("port", node.address.port);
  json.EndObject();
}

void Write(JsonWriter& json, const Cluster& cluster) {
  json.Member("description", cluster.description);
  json.Member("node_type", cluster.node_type);
  json.Member("role", cluster.role_arn);
  json.Member("window", cluster.maintenance_window);
  json.Member("subnet_group", cluster.subnet_group);
  json.Member("parameter_group", cluster.parameter_group);
  json.Member("network_type", cluster.network_type);
  json.Member("topic", cluster.topic_arn);
  json.MemberBool("topic_active", cluster.is_topic_active);
  json.MemberBool("encrypted", cluster.is_encrypted);
  json.MemberBool("sse", cluster.has_sse);
  json.MemberBool("applies_parameters", cluster.applies_parameters);
  json.MemberInt("status", static_cast<int64_t>(cluster.status));
  json.MemberInt("due", cluster.due_millis);
  WriteTexts(json, "security_groups", cluster.security_groups);
  json.Key("tags");
  json.BeginObject();
  for (const auto& [key, value] : cluster.tags) json.Member(key, value);
  json.EndObject();
  json.Key("nodes");
  json.BeginArray();
  for (const Node& node : cluster.nodes) WriteNode(json, node);
  json.EndArray();
}

void Write(JsonWriter& json, const ParameterGroup& group) {
  json.Member("description", group.description);
  json.MemberInt("record_ttl", group.values.record_ttl_millis);
  json.MemberInt("query_ttl", group.values.query_ttl_millis);
}

void Write(JsonWriter& json, const SubnetGroup& group) {
  json.Member("description", group.description);
  json.Key("subnets");
  json.BeginArray();
  for (const Subnet& subnet : group.subnets) {
    json.BeginObject();
    json.Member("id", subnet.id);
    json.Member("zone", subnet.zone);
    json.EndObject();
  }
  json.EndArray();
}

void Write(JsonWriter& json, const Event& event) {
  json.MemberInt("at", event.at_millis);
  json.MemberInt("type", static_cast<int64_t>(event.source_type));
  json.Member("name", event.source_name);
  json.Member("message", event.message);
}

template <class T>
std::string Encode(const T& part) {
  std::string record;
  JsonWriter json(record);
  json.BeginObject();
  json.MemberInt("version", kRecordVersion);
  Write(json, part);
  json.EndObject();
  return record;
}

template <class All>
void AddChanges(const Place& place, char kind, const All& before, const All& after, ClusterStore::Changes& changes) {
  for (const auto& [name, part] : before)
    if (!after.contains(name)) changes[KeyOf(place, kind, name)] = std::nullopt;
  for (const auto& [name, part] : after) {
    const auto old = before.find(name);
    if (old == before.end() || old->second != part) changes[KeyOf(place, kind, name)] = Encode(*part);
  }
}

// --- reading

// A number that stands for one of `Enum`'s values, the last of which is given.
template <class Enum>
Enum EnumIn(const JsonRecord& record, std::string_view name, Enum last) {
  const int64_t value = record.Int(name);
  if (value < 0 || value > static_cast<int64_t>(last)) JsonRecord::Damaged();
  return static_cast<Enum>(value);
}

Node ReadNode(const JsonRecord& record) {
  const int64_t port = record.Int("port");
  if (port < 0 || port > UINT16_MAX) JsonRecord::Damaged();
  return {record.Text("id"),
          record.Text("zone"),
          record.Int("created"),
          EnumIn(record, "status", NodeStatus::kIncompatibleNetwork),
          {record.Text("host"), static_cast<uint16_t>(port)}};
}

Cluster ReadCluster(const JsonRecord& record) {
  Cluster cluster;
  cluster.description = record.Text("description");
  cluster.node_type = record.Text("node_type");
  cluster.role_arn = record.Text("role");
  cluster.maintenance_window = record.Text("window");
  cluster.subnet_group = record.Text("subnet_group");
  cluster.parameter_group = record.Text("parameter_group");
  cluster.network_type = record.Text("network_type");
  cluster.topic_arn = record.Text("topic");
  cluster.is_topic_active = record.Bool("topic_active");
  cluster.is_encrypted = record.Bool("encrypted");
  cluster.has_sse = record.Bool("sse");
  cluster.applies_parameters = record.Bool("applies_parameters");
  cluster.status = EnumIn(record, "status", ClusterStatus::kIncompatibleNetwork);
  cluster.due_millis = record.Int("due");
  cluster.security_groups = record.Texts("security_groups");
  if (const auto tags = record.Object("tags"))
    tags->ForEachText([&](std::string_view key, std::string_view value) { cluster.tags.emplace(key, value); });
  cluster.nodes = record.List("nodes", ReadNode);
  return cluster;
}

ParameterGroup ReadParameterGroup(const JsonRecord& record) {
  const ParameterValues defaults;
  return {{},
          record.Text("description"),
          {record.Int("record_ttl", defaults.record_ttl_millis), record.Int("query_ttl", defaults.query_ttl_millis)}};
}

Subnet ReadSubnet(const JsonRecord& record) { return {record.Text("id"), record.Text("zone")}; }

SubnetGroup ReadSubnetGroup(const JsonRecord& record) {
  return {{}, record.Text("description"), record.List("subnets", ReadSubnet)};
}

Event ReadEvent(const JsonRecord& record) {
  return {record.Int("at"), EnumIn(record, "type", SourceType::kSubnetGroup), record.Text("name"),
          record.Text("message")};
}

template <class T>
Status ReadNamed(std::string_view name, std::string_view record, T (*read)(const JsonRecord&), ByName<T>& all) {
  auto part = model::ReadJsonRecord(record, "its record", kRecordVersion,
                                    [&](const JsonRecord& members) { return Result<T>(read(members)); });
  if (!part) return part.error();
  part->name = name;
  all[std::string(name)] = std::make_shared<const T>(std::move(*part));
  return Status::Ok();
}

Status ReadEventRecord(std::string_view name, std::string_view record, PlaceState& state) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number, 16);
  if (error != std::errc() || end != name.data() + name.size()) return Status::Corruption("its key is damaged");
  auto event = model::ReadJsonRecord(record, "its record", kRecordVersion,
                                     [](const JsonRecord& members) { return Result<Event>(ReadEvent(members)); });
  if (!event) return event.error();
  state.events[number] = std::make_shared<const Event>(std::move(*event));
  return Status::Ok();
}

}  // namespace

ClusterStore::Changes ChangesBetween(const Place& place, const PlaceState& before, const PlaceState& after) {
  ClusterStore::Changes changes;
  AddChanges(place, kCluster, before.clusters, after.clusters, changes);
  AddChanges(place, kParameterGroup, before.parameter_groups, after.parameter_groups, changes);
  AddChanges(place, kSubnetGroup, before.subnet_groups, after.subnet_groups, changes);
  AddChanges(place, kEvent, before.events, after.events, changes);
  return changes;
}

std::optional<Place> PlaceOfKey(std::string_view key) {
  auto parsed = ParseKey(key);
  return parsed ? std::optional(std::move(parsed->place)) : std::nullopt;
}

Status DecodeRecord(std::string_view key, std::string_view record, PlaceState& state) {
  const auto parsed = ParseKey(key);
  if (!parsed) return Status::Corruption("its key is damaged");
  switch (parsed->kind) {
    case kCluster: return ReadNamed(parsed->name, record, ReadCluster, state.clusters);
    case kParameterGroup: return ReadNamed(parsed->name, record, ReadParameterGroup, state.parameter_groups);
    case kSubnetGroup: return ReadNamed(parsed->name, record, ReadSubnetGroup, state.subnet_groups);
    case kEvent: return ReadEventRecord(parsed->name, record, state);
    default: return Status::Corruption("its key is of no kind that is known");
  }
}

}  // namespace armature::dax::control
