// Simulation: the same clients and the same judgement on a server's parts in this process, everything on one thread and
// from one seed: which coroutine goes on, which read or commit takes effect, when the disk is synced, when it fails,
// when the process dies and the next one starts. The same seed gives the same history, to the last answer.
//
// The store is the faulty engine, which loses at a crash what was not synced. There is no network; requests and answers
// are the JSON that would go over it.
#pragma once

#include <cstdint>
#include <string>

#include "arena/board.h"
#include "arena/history/history.h"

namespace armature::arena {

struct SimulationOptions {
  uint64_t seed = 1;
  RoundOptions round{.keys = 24, .window = 6, .calls = 1'200, .clients = 8, .prefix = "sim-"};
  bool has_faults = true;
};

struct SimulationReport {
  Findings findings;
  uint64_t calls = 0, operations = 0, unknown = 0, steps = 0, crashes = 0, faults = 0;
  uint64_t fingerprint = 0;  // of everything that was told

  std::string ToString() const;
};

SimulationReport RunSimulation(const SimulationOptions& options);

}  // namespace armature::arena
