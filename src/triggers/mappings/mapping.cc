#include "triggers/mappings/mapping.h"

#include <algorithm>

#include <fmt/format.h>
#include <xxhash.h>

#include "base/text/json_writer.h"
#include "model/codec/json_record.h"
#include "model/messages/triggers.h"
#include "model/names/arn.h"
#include "model/names/names.h"
#include "triggers/mappings/event_pattern.h"

namespace armature::triggers {

namespace {

namespace messages = model::messages;
constexpr int64_t kRecordVersion = 1;

struct Limit {
  std::string_view member;
  int64_t value;
  int64_t least;
  int64_t most;
};

std::string LimitBroken(const Limit& limit) {
  if (limit.value < limit.least)
    return fmt::format(messages::kTriggerBelowMinimum, limit.value, limit.member, limit.least);
  if (limit.value > limit.most)
    return fmt::format(messages::kTriggerAboveMaximum, limit.value, limit.member, limit.most);
  return {};
}

}  // namespace

std::string_view StartingPositionName(StartingPosition position) {
  return position == StartingPosition::kLatest ? "LATEST" : "TRIM_HORIZON";
}

std::string Mapping::function_arn() const {
  std::string text = model::MakeArn("lambda", region, account, "function:" + function_name);
  if (!function_qualifier.empty()) text += ":" + function_qualifier;
  return text;
}

std::string Mapping::arn() const { return model::MakeArn("lambda", region, account, "event-source-mapping:" + uuid); }

std::string WhatIsWrong(const Mapping& mapping) {
  const Limit limits[] = {
      {"batchSize", mapping.batch_size, 1, 10'000},
      {"maximumBatchingWindowInSeconds", mapping.batching_window_seconds, 0, 300},
      {"parallelizationFactor", mapping.parallelization_factor, 1, 10},
      {"maximumRecordAgeInSeconds", mapping.max_record_age_seconds, -1, 604'800},
      {"maximumRetryAttempts", mapping.max_retry_attempts, -1, 10'000},
  };
  for (const Limit& limit : limits)
    if (std::string broken = LimitBroken(limit); !broken.empty()) return broken;
  if (mapping.max_record_age_seconds != kForever && mapping.max_record_age_seconds < 60)
    return std::string(messages::kTriggerRecordAge);
  if (mapping.filters.size() > kMaxFilters) return fmt::format(messages::kTriggerTooManyFilters, kMaxFilters);
  for (const std::string& filter : mapping.filters) {
    const auto pattern = EventPattern::Parse(filter);
    if (!pattern) return fmt::format(messages::kTriggerBadPattern, pattern.error().message());
  }
  return {};
}

namespace {
// A filter that is no longer understood is the mapping's own problem, and shown as such.
Mapping WithoutFilters(Mapping mapping) {
  mapping.filters.clear();
  return mapping;
}
}  // namespace

std::string EncodeMapping(const Mapping& mapping) {
  std::string record;
  JsonWriter json(record);
  json.BeginObject();
  json.MemberInt("version", kRecordVersion);
  json.Member("uuid", mapping.uuid);
  json.Member("account", mapping.account);
  json.Member("region", mapping.region);
  json.Member("function", mapping.function_name);
  json.Member("qualifier", mapping.function_qualifier);
  json.Member("source", mapping.event_source_arn);
  json.Member("position", StartingPositionName(mapping.starting_position));
  json.MemberBool("enabled", mapping.is_enabled);
  json.MemberInt("batch_size", mapping.batch_size);
  json.MemberInt("window_seconds", mapping.batching_window_seconds);
  json.MemberInt("parallelization", mapping.parallelization_factor);
  json.MemberInt("max_age_seconds", mapping.max_record_age_seconds);
  json.MemberInt("max_retries", mapping.max_retry_attempts);
  json.MemberBool("bisect", mapping.bisects_on_error);
  json.MemberBool("item_failures", mapping.reports_item_failures);
  json.Key("filters");
  json.BeginArray();
  for (const std::string& filter : mapping.filters) json.String(filter);
  json.EndArray();
  json.Member("on_failure", mapping.on_failure);
  json.MemberInt("modified", mapping.last_modified_millis);
  json.Key("start");
  json.BeginArray();
  for (const table::LanePosition& start : mapping.start) {
    json.BeginObject();
    json.MemberInt("lane", static_cast<int64_t>(start.lane));
    json.MemberInt("position", static_cast<int64_t>(start.position));
    json.EndObject();
  }
  json.EndArray();
  json.MemberBool("deleted", mapping.is_deleted);
  json.Member("trigger", mapping.trigger_name);
  json.Member("table", mapping.table_name);
  json.EndObject();
  return record;
}

table::Position Mapping::StartIn(const table::Lane& lane) const {
  table::LaneId newest = 0;
  for (const table::LanePosition& known : start) {
    if (known.lane == lane.id) return known.position;
    newest = std::max(newest, known.lane);
  }
  // A lane that is older than one that was open was closed by then.
  return lane.id < newest && !lane.is_open() ? lane.end : lane.first;
}

namespace {

table::LanePosition ReadStart(const model::JsonRecord& record) {
  return {record.Unsigned("lane"), record.Unsigned("position")};
}

Result<Mapping> ReadMapping(const model::JsonRecord& record) {
  Mapping mapping;
  mapping.uuid = record.Text("uuid");
  mapping.account = record.Text("account");
  mapping.region = record.Text("region");
  mapping.function_name = record.Text("function");
  mapping.function_qualifier = record.Text("qualifier");
  mapping.event_source_arn = record.Text("source");
  mapping.starting_position =
      record.Text("position") == "LATEST" ? StartingPosition::kLatest : StartingPosition::kTrimHorizon;
  mapping.is_enabled = record.Bool("enabled");
  mapping.batch_size = record.Int("batch_size");
  mapping.batching_window_seconds = record.Int("window_seconds");
  mapping.parallelization_factor = record.Int("parallelization");
  mapping.max_record_age_seconds = record.Int("max_age_seconds");
  mapping.max_retry_attempts = record.Int("max_retries");
  mapping.bisects_on_error = record.Bool("bisect");
  mapping.reports_item_failures = record.Bool("item_failures");
  mapping.filters = record.Texts("filters");
  mapping.on_failure = record.Text("on_failure");
  mapping.last_modified_millis = record.Int("modified");
  mapping.start = record.List("start", ReadStart);
  mapping.is_deleted = record.Bool("deleted");
  mapping.trigger_name = record.Text("trigger");
  mapping.table_name = record.Text("table");
  if (mapping.uuid.empty() || !model::IsStoredAccount(mapping.account) || !model::IsRegionName(mapping.region))
    return Status::Corruption("its record has a name that is none");
  if (std::string wrong = WhatIsWrong(WithoutFilters(mapping)); !wrong.empty())
    return Status::Corruption("its record is damaged: " + wrong);
  return mapping;
}

}  // namespace

Result<Mapping> DecodeMapping(std::string_view record) {
  return model::ReadJsonRecord(record, "its record", kRecordVersion, ReadMapping);
}

bool ParseFunctionName(std::string_view text, std::string& name, std::string& qualifier) {
  const auto is_name = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
             c == '.' || c == '$';
    });
  };
  if (const size_t at = text.find(":function:"); at != std::string_view::npos) text.remove_prefix(at + 10);
  else if (text.starts_with("function:")) text.remove_prefix(9);
  const size_t colon = text.find(':');
  name = text.substr(0, colon);
  qualifier = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  return is_name(name) && (colon == std::string_view::npos || is_name(qualifier));
}

std::string UuidOfTrigger(std::string_view account, std::string_view region, std::string_view trigger_name) {
  const std::string identity = fmt::format("{}\n{}\n{}", account, region, trigger_name);
  const XXH128_hash_t hash = XXH3_128bits(identity.data(), identity.size());
  // Version 8 (made by a rule of one's own) and the usual variant.
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}", hash.high64 >> 32, (hash.high64 >> 16) & 0xffff,
                     hash.high64 & 0xfff, ((hash.low64 >> 48) & 0x3fff) | 0x8000, hash.low64 & 0xffff'ffff'ffff);
}

}  // namespace armature::triggers
