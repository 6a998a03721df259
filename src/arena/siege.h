// Siege: rounds of clients against a server process that is killed, paused and has its clock set while they work.
//
// One seed makes the plan: every client's choices, and after how many calls which fault comes. What two threads and a
// kernel make of it differs from run to run, and so do the answers; the plan, and what was told to whom, are what a
// failing run leaves to go by.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "arena/board.h"
#include "arena/history/history.h"

namespace armature::arena {

struct SiegeOptions {
  std::string binary;
  std::string clock_library;  // empty: no clock jumps
  std::string directory;      // for the server's data; must exist
  uint64_t seed = 1;
  uint64_t operations = 20'000;  // calls in all, at least
  double minutes = 0;            // if set, as long as this instead
  RoundOptions round;
  uint64_t calls_per_fault = 2'500;
  int64_t eventual_lag_millis = 120;  // of every second round's server; the others' reads are never stale
  bool is_quiet = false;
};

struct SiegeReport {
  Findings findings;
  uint64_t rounds = 0, calls = 0, operations = 0, unknown = 0, keys = 0;
  uint64_t kills = 0, stops = 0, pauses = 0, jumps = 0;
  double seconds = 0, checking_seconds = 0;
  std::map<std::string, uint64_t> calls_by_name;

  std::string ToJson() const;
};

SiegeReport RunSiege(const SiegeOptions& options);

}  // namespace armature::arena
