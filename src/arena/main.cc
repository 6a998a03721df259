// The program `arena`: histories of many clients on few items, against a server it torments or in a simulation.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <stdlib.h>
#include <unistd.h>

#include "arena/siege.h"
#include "arena/simulation.h"

namespace {

uint64_t DefaultSeed() {
  if (const char* seed = std::getenv("ARMATURE_SEED"); seed && *seed) return std::strtoull(seed, nullptr, 10);
  return std::random_device()();
}

double DefaultMinutes() {
  const char* minutes = std::getenv("ARMATURE_ARENA_MINUTES");
  return minutes ? std::strtod(minutes, nullptr) : 0;
}

int Conclude(uint64_t seed, const armature::arena::Findings& findings, uint64_t keys) {
  if (findings.undecided > 0) std::printf("%zu of %lu items could not be decided\n", findings.undecided, keys);
  if (findings.IsPass(keys)) return 0;
  std::printf("%s\n%s, seed %lu\n", findings.ToString().c_str(),
              findings.violations.empty() ? "TOO MUCH IS UNDECIDED" : "VIOLATED", seed);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  armature::arena::SiegeOptions options;
  options.seed = DefaultSeed();
  options.minutes = DefaultMinutes();
  uint64_t simulations = 0;
  bool has_no_clock = false;
  CLI::App app(
      "Histories of many clients on few items, judged: single items linearizable, all of it serializable, streams "
      "and indexes in agreement.");
  app.add_option("--binary", options.binary, "The server's program");
  app.add_option("--simulations", simulations, "Simulated runs from consecutive seeds, instead of a server");
  app.add_option("--seed", options.seed, "What the plan is made from; else ARMATURE_SEED, else a new one");
  app.add_option("--operations", options.operations, "Calls in all")->capture_default_str();
  app.add_option("--minutes", options.minutes, "As long as this instead; else ARMATURE_ARENA_MINUTES");
  app.add_option("--calls", options.round.calls, "Calls of a round")->capture_default_str();
  app.add_option("--clients", options.round.clients, "Clients at a time")->capture_default_str();
  app.add_option("--keys", options.round.keys, "Items of a round")->capture_default_str();
  app.add_option("--window", options.round.window, "Items in use at a time")->capture_default_str();
  app.add_option("--calls-per-fault", options.calls_per_fault, "How often something breaks")->capture_default_str();
  app.add_option("--eventual-lag-ms", options.eventual_lag_millis,
                 "How stale reads of every second round may be; 0: never")
      ->capture_default_str();
  app.add_flag("--no-clock", has_no_clock, "Leave the server's clock alone (a sanitizer's server cannot be preloaded)");
  CLI11_PARSE(app, argc, argv);
  std::printf("seed %lu\n", options.seed);
  std::fflush(stdout);

  if (simulations > 0) {
    size_t undecided = 0;
    uint64_t keys = 0;
    for (uint64_t i = 0; i < simulations; ++i) {
      const armature::arena::SimulationOptions simulation{.seed = options.seed + i};
      auto report = armature::arena::RunSimulation(simulation);
      std::printf("simulation %lu: %s\n", options.seed + i, report.ToString().c_str());
      undecided += std::exchange(report.findings.undecided, 0);
      keys += simulation.round.keys;
      if (Conclude(options.seed + i, report.findings, keys) != 0) return 1;
    }
    return Conclude(options.seed, {{}, undecided}, keys);
  }

  std::string directory = (std::filesystem::temp_directory_path() / "armature-arena-XXXXXX").string();
  if (!mkdtemp(directory.data())) {
    std::perror("mkdtemp");
    return 1;
  }
  options.directory = directory;
  const auto library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libclock_shift.so";
  if (!has_no_clock) options.clock_library = library.string();
  const auto report = armature::arena::RunSiege(options);
  std::printf("%s\n", report.ToJson().c_str());
  const int code = Conclude(options.seed, report.findings, report.keys);
  if (code == 0) std::filesystem::remove_all(directory);
  else std::printf("the server's data stays in %s\n", directory.c_str());
  return code;
}
