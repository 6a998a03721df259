#include "table/lanes/journal_state.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text/json_writer.h"
#include "model/codec/json_record.h"

namespace armature::table {

namespace {

template <class T, class Predicate>
const T* FindIn(const std::vector<T>& all, Predicate matches) {
  const auto it = std::find_if(all.begin(), all.end(), matches);
  return it == all.end() ? nullptr : &*it;
}

template <class Predicate>
std::vector<const Lane*> Select(const std::vector<Lane>& lanes, Predicate matches) {
  std::vector<const Lane*> selected;
  for (const Lane& lane : lanes)
    if (matches(lane)) selected.push_back(&lane);
  return selected;
}

}  // namespace

std::string ShardId(LaneId lane, int64_t created_millis) {
  return fmt::format("shardId-{:020}-{:08x}", created_millis, static_cast<uint32_t>(lane));
}

const Lane* JournalState::FindLane(LaneId id) const {
  return FindIn(lanes, [&](const Lane& lane) { return lane.id == id; });
}

const Lane* JournalState::FindShard(std::string_view shard_id) const {
  return FindIn(lanes, [&](const Lane& lane) { return lane.shard_id() == shard_id; });
}

const StreamWindow* JournalState::FindStream(std::string_view label) const {
  return FindIn(streams, [&](const StreamWindow& stream) { return stream.label == label; });
}

const Follower* JournalState::FindFollower(std::string_view name) const {
  return FindIn(followers, [&](const Follower& follower) { return follower.name == name; });
}

// Children are made after their parents, so the order of making will do.
std::vector<const Lane*> JournalState::LanesOf(const StreamWindow& stream) const {
  return Select(lanes, [&](const Lane& lane) { return stream.Shows(lane); });
}

std::vector<const Lane*> JournalState::LanesOf(const Follower& follower) const {
  return Select(lanes, [&](const Lane& lane) { return lane.is_open() || lane.end > follower.first; });
}

std::vector<const Lane*> JournalState::ChildrenOf(LaneId id) const {
  return Select(lanes, [&](const Lane& lane) { return lane.parent == id; });
}

bool JournalState::is_followed() const {
  return !followers.empty() ||
         std::any_of(streams.begin(), streams.end(), [](const StreamWindow& stream) { return stream.is_enabled(); });
}

model::Images JournalState::images() const {
  model::Images images = model::kNoImages;
  for (const Follower& follower : followers) images |= follower.images;
  for (const StreamWindow& stream : streams)
    if (stream.is_enabled()) images |= stream.images;
  return images;
}

// --- the stored form

namespace {

using model::JsonRecord;

// Hashes use all 64 bits, which JSON numbers do not everywhere.
std::string Hex(uint64_t value) { return fmt::format("{:016x}", value); }

void WriteNumber(JsonWriter& json, std::string_view key, uint64_t value) {
  json.MemberInt(key, static_cast<int64_t>(value));
}

void WriteLane(JsonWriter& json, const Lane& lane) {
  json.BeginObject();
  WriteNumber(json, "id", lane.id);
  WriteNumber(json, "parent", lane.parent);
  json.Member("hashFirst", Hex(lane.hash_first));
  json.Member("hashLast", Hex(lane.hash_last));
  WriteNumber(json, "first", lane.first);
  WriteNumber(json, "end", lane.end);
  WriteNumber(json, "trimmed", lane.trimmed);
  json.MemberInt("created", lane.created_millis);
  json.MemberInt("closed", lane.closed_millis);
  json.EndObject();
}

void WriteStream(JsonWriter& json, const StreamWindow& stream) {
  json.BeginObject();
  json.Member("label", stream.label);
  json.Member("viewType", model::ViewTypeName(stream.images));
  json.MemberInt("created", stream.created_millis);
  WriteNumber(json, "first", stream.first);
  WriteNumber(json, "end", stream.end);
  json.MemberInt("disabled", stream.disabled_millis);
  json.EndObject();
}

void WriteFollower(JsonWriter& json, const Follower& follower) {
  json.BeginObject();
  json.Member("name", follower.name);
  json.Member("viewType", model::ViewTypeName(follower.images));
  WriteNumber(json, "first", follower.first);
  json.EndObject();
}

void WriteMark(JsonWriter& json, const JournalMark& mark) {
  json.BeginObject();
  json.MemberInt("at", mark.millis);
  WriteNumber(json, "position", mark.position);
  WriteNumber(json, "records", mark.records);
  WriteNumber(json, "bytes", mark.bytes);
  json.EndObject();
}

template <class T>
void WriteAll(JsonWriter& json, std::string_view key, const std::vector<T>& all, void (*write)(JsonWriter&, const T&)) {
  json.Key(key);
  json.BeginArray();
  for (const T& one : all) write(json, one);
  json.EndArray();
}

uint64_t ReadHex(const JsonRecord& record, std::string_view key) {
  const std::string text = record.Text(key);
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

Lane ReadLane(const JsonRecord& record) {
  Lane lane;
  lane.id = record.Unsigned("id");
  lane.parent = record.Unsigned("parent");
  lane.hash_first = ReadHex(record, "hashFirst");
  lane.hash_last = ReadHex(record, "hashLast");
  lane.first = record.Unsigned("first");
  lane.end = record.Unsigned("end");
  lane.trimmed = record.Unsigned("trimmed");
  lane.created_millis = record.Int("created");
  lane.closed_millis = record.Int("closed");
  return lane;
}

StreamWindow ReadStream(const JsonRecord& record) {
  StreamWindow stream;
  stream.label = record.Text("label");
  stream.images = model::ImagesOfViewType(record.Text("viewType"));
  stream.created_millis = record.Int("created");
  stream.first = record.Unsigned("first");
  stream.end = record.Unsigned("end");
  stream.disabled_millis = record.Int("disabled");
  return stream;
}

Follower ReadFollower(const JsonRecord& record) {
  return {record.Text("name"), model::ImagesOfViewType(record.Text("viewType")), record.Unsigned("first")};
}

JournalMark ReadMark(const JsonRecord& record) {
  return {record.Int("at"), record.Unsigned("position"), record.Unsigned("records"), record.Unsigned("bytes")};
}

Result<JournalState> ReadState(const JsonRecord& record) {
  JournalState state;
  state.next_position = record.Unsigned("nextPosition");
  state.next_lane = record.Unsigned("nextLane");
  state.trimmed_records = record.Unsigned("trimmedRecords");
  state.trimmed_bytes = record.Unsigned("trimmedBytes");
  state.lanes = record.List("lanes", ReadLane);
  state.streams = record.List("streams", ReadStream);
  state.followers = record.List("followers", ReadFollower);
  state.marks = record.List("marks", ReadMark);
  if (state.next_position == 0 || state.next_lane == 0)
    return Status::Corruption("the state of its journal lacks its counters");
  return state;
}

}  // namespace

std::string EncodeJournalState(const JournalState& state) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.MemberInt("version", kJournalStateVersion);
  WriteNumber(json, "nextPosition", state.next_position);
  WriteNumber(json, "nextLane", state.next_lane);
  WriteNumber(json, "trimmedRecords", state.trimmed_records);
  WriteNumber(json, "trimmedBytes", state.trimmed_bytes);
  WriteAll(json, "lanes", state.lanes, WriteLane);
  WriteAll(json, "streams", state.streams, WriteStream);
  WriteAll(json, "followers", state.followers, WriteFollower);
  WriteAll(json, "marks", state.marks, WriteMark);
  json.EndObject();
  return out;
}

Result<JournalState> DecodeJournalState(std::string_view record) {
  return model::ReadJsonRecord(record, "the state of its journal", kJournalStateVersion, ReadState);
}

}  // namespace armature::table
