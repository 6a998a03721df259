#include "arena/simulation.h"

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace armature::arena {
namespace {

TEST(SimulationTest, OneSeedIsOneHistory) {
  const SimulationReport first = RunSimulation({.seed = 7});
  const SimulationReport again = RunSimulation({.seed = 7});
  EXPECT_EQ(first.ToString(), again.ToString());
  EXPECT_NE(first.fingerprint, RunSimulation({.seed = 8}).fingerprint);
}

TEST(SimulationTest, NobodyIsToldALieThroughCrashesAndFailures) {
  const char* given = std::getenv("ARMATURE_SEED");
  const uint64_t seed = given && *given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  uint64_t crashes = 0, unknown = 0;
  for (uint64_t i = 0; i < 12; ++i) {
    std::printf("seed %lu\n", seed + i);
    const SimulationReport report = RunSimulation({.seed = seed + i});
    ASSERT_EQ(report.findings.ToString(), "") << "seed " << seed + i << ": " << report.ToString();
    EXPECT_GE(report.calls, 1'200u);
    crashes += report.crashes;
    unknown += report.unknown;
  }
  EXPECT_GT(crashes, 12u);
  EXPECT_GT(unknown, 50u);
}

}  // namespace
}  // namespace armature::arena
