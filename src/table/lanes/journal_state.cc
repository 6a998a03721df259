#include "table/lanes/journal_state.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text/json_writer.h"
#include "model/codec/json_record.h"

namespace armature::table {

namespace {

// As it is stored; the other is not.
constexpr std::string_view kUntilPassedName = "untilPassed";

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
  return Select(lanes, [&](const Lane& lane) { return follower.Follows(lane); });
}

std::vector<const Lane*> JournalState::ChildrenOf(LaneId id) const {
  return Select(lanes, [&](const Lane& lane) { return lane.parent == id; });
}

Position JournalMark::PositionIn(LaneId lane) const {
  const LanePosition* const found = FindIn(positions, [&](const LanePosition& known) { return known.lane == lane; });
  return found ? found->position : 0;
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
  WriteNumber(json, "partition", lane.partition);
  json.Member("hashFirst", Hex(lane.hashes.first));
  json.Member("hashLast", Hex(lane.hashes.last));
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
  WriteNumber(json, "firstLane", stream.first_lane);
  WriteNumber(json, "endLane", stream.end_lane);
  json.MemberInt("disabled", stream.disabled_millis);
  json.EndObject();
}

void WriteFollower(JsonWriter& json, const Follower& follower) {
  json.BeginObject();
  json.Member("name", follower.name);
  json.Member("viewType", model::ViewTypeName(follower.images));
  WriteNumber(json, "firstLane", follower.first_lane);
  if (follower.retention == Retention::kUntilPassed) json.Member("retention", kUntilPassedName);
  json.EndObject();
}

template <class T>
void WriteAll(JsonWriter& json, std::string_view key, const std::vector<T>& all, void (*write)(JsonWriter&, const T&)) {
  json.Key(key);
  json.BeginArray();
  for (const T& one : all) write(json, one);
  json.EndArray();
}

void WritePosition(JsonWriter& json, const LanePosition& position) {
  json.BeginObject();
  WriteNumber(json, "lane", position.lane);
  WriteNumber(json, "position", position.position);
  json.EndObject();
}

void WriteMark(JsonWriter& json, const JournalMark& mark) {
  json.BeginObject();
  json.MemberInt("at", mark.millis);
  WriteNumber(json, "records", mark.records);
  WriteNumber(json, "bytes", mark.bytes);
  WriteAll(json, "positions", mark.positions, WritePosition);
  json.EndObject();
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
  lane.partition = record.Unsigned("partition");
  lane.hashes = {ReadHex(record, "hashFirst"), ReadHex(record, "hashLast")};
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
  stream.first_lane = record.Unsigned("firstLane");
  stream.end_lane = record.Unsigned("endLane");
  stream.disabled_millis = record.Int("disabled");
  return stream;
}

Follower ReadFollower(const JsonRecord& record) {
  const bool is_until_passed = record.Text("retention") == kUntilPassedName;
  return {record.Text("name"), model::ImagesOfViewType(record.Text("viewType")), record.Unsigned("firstLane"),
          is_until_passed ? Retention::kUntilPassed : Retention::kAtMostADay};
}

LanePosition ReadPosition(const JsonRecord& record) { return {record.Unsigned("lane"), record.Unsigned("position")}; }

JournalMark ReadMark(const JsonRecord& record) {
  return {record.Int("at"), record.Unsigned("records"), record.Unsigned("bytes"),
          record.List("positions", ReadPosition)};
}

Result<JournalState> ReadState(const JsonRecord& record) {
  JournalState state;
  state.next_lane = record.Unsigned("nextLane");
  state.trimmed_records = record.Unsigned("trimmedRecords");
  state.trimmed_bytes = record.Unsigned("trimmedBytes");
  state.lanes = record.List("lanes", ReadLane);
  state.streams = record.List("streams", ReadStream);
  state.followers = record.List("followers", ReadFollower);
  state.marks = record.List("marks", ReadMark);
  if (state.next_lane == 0) return Status::Corruption("the state of its journal lacks its counter");
  return state;
}

}  // namespace

std::string EncodeJournalState(const JournalState& state) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.MemberInt("version", kJournalStateVersion);
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
