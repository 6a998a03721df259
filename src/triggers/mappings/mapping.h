// Mapping: one event source mapping, that is one trigger: which table's changes go to which function, and how.
//
// Plain data, with the limits Lambda sets and the form it is stored in (versioned JSON under table::TriggerKey, see
// docs/design/formats.md). A mapping comes from the Lambda API, or from the trigger file; the latter has a name there
// and names a table, and is bound to that table's stream when there is one. Used by triggers/ and lambda/; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/lanes/journal_state.h"

namespace armature::triggers {

inline constexpr int64_t kForever = -1;
inline constexpr size_t kMaxFilters = 10;
inline constexpr size_t kMaxEventBytes = 6 * 1024 * 1024;

enum class StartingPosition { kTrimHorizon, kLatest };
std::string_view StartingPositionName(StartingPosition position);

struct Mapping {
  std::string uuid;
  std::string account;
  std::string region;
  std::string function_name;
  std::string function_qualifier;  // version or alias, as it was given; every one is the same function here
  std::string event_source_arn;    // of the stream; empty while a trigger of the file waits for its table's stream

  StartingPosition starting_position = StartingPosition::kTrimHorizon;
  bool is_enabled = true;
  int64_t batch_size = 100;
  int64_t batching_window_seconds = 0;
  int64_t parallelization_factor = 1;
  int64_t max_record_age_seconds = kForever;
  int64_t max_retry_attempts = kForever;
  bool bisects_on_error = false;
  bool reports_item_failures = false;
  std::vector<std::string> filters;
  std::string on_failure;  // a destination's ARN or name, a directory, or a URL; empty: none

  int64_t last_modified_millis = 0;
  // Of LATEST: how far the lanes that were open then had come. Lanes without a cursor start there.
  std::vector<table::LanePosition> start;
  bool is_deleted = false;  // its cursors are still to be removed

  // Of triggers from the file.
  std::string trigger_name;
  std::string table_name;

  bool is_from_file() const { return !trigger_name.empty(); }
  std::string function_arn() const;
  std::string arn() const;
  // The reader its cursors belong to.
  std::string reader() const { return "trigger/" + uuid; }
  // Where it begins in a lane that it has no cursor for.
  table::Position StartIn(const table::Lane& lane) const;
  // What metrics and the log call it.
  const std::string& label() const { return is_from_file() ? trigger_name : uuid; }
};

// The first of Lambda's rules a mapping breaks, in Lambda's words where they are known; empty if it is good.
std::string WhatIsWrong(const Mapping& mapping);

std::string EncodeMapping(const Mapping& mapping);
Result<Mapping> DecodeMapping(std::string_view record);

// "name", "name:alias", "123456789012:function:name" or a whole ARN. False: none of these.
bool ParseFunctionName(std::string_view text, std::string& name, std::string& qualifier);
// A trigger of the file keeps its progress under this identity as long as it keeps its name.
std::string UuidOfTrigger(std::string_view account, std::string_view region, std::string_view trigger_name);

}  // namespace armature::triggers
