// The engine that the tests of what stands on storage run on: a memory engine, or, with ARMATURE_TEST_ENGINE=narrow,
// one that behaves and fails as a distributed store does. ARMATURE_SEED chooses its faults.
#pragma once

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "base/metrics.h"
#include "storage/engine.h"
#include "storage/memory/memory_engine.h"
#include "storage/narrow/narrow_engine.h"

namespace armature::storage {

inline bool IsTestEngineNarrow() {
  const char* kind = std::getenv("ARMATURE_TEST_ENGINE");
  return kind != nullptr && std::string_view(kind) == "narrow";
}

inline std::unique_ptr<Engine> MakeTestEngine(Metrics& metrics) {
  auto memory = OpenMemoryEngine(metrics);
  if (!IsTestEngineNarrow()) return memory;
  const char* seed = std::getenv("ARMATURE_SEED");
  return OpenNarrowEngine(std::move(memory), {.seed = seed ? std::strtoull(seed, nullptr, 10) : 13,
                                              .slowest_micros = 100,
                                              .faults = {.fence = 0.01, .unknown = 0.01, .doubt = 0.01, .busy = 0.02}});
}

}  // namespace armature::storage
