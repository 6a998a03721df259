#include "cli/bench/bench.h"

#include <cstdio>

#include <fmt/format.h>
#include <signal.h>

#include "cli/bench/dataset.h"
#include "cli/bench/driver.h"
#include "cli/bench/options.h"
#include "cli/bench/report.h"
#include "cli/bench/workload.h"

namespace armature::cli {
namespace {

Result<bench::LoadResult> Measure(const bench::Options& options) {
  const bench::WorkloadInfo& info = *bench::FindWorkload(options.workload);
  ARMATURE_CHECK_OK(bench::PrepareDataset(options, info.dataset));
  return bench::RunLoad(options, info);
}

}  // namespace

int RunBench(int argc, char** argv) {
  const auto options = bench::ParseOptions(argc, argv);
  if (!options.has_value()) return options.error();
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without saying otherwise
  const auto result = Measure(*options);
  if (!result.has_value()) {
    fmt::print(stderr, "armature bench: {}\n", result.error().message());
    return 1;
  }
  const std::string report =
      options->json ? bench::JsonReport(*options, *result) : bench::TextReport(*options, *result);
  std::fwrite(report.data(), 1, report.size(), stdout);
  return result->errors == 0 ? 0 : 1;
}

}  // namespace armature::cli
