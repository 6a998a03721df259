#include "cli/bench/measure/process_usage.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace armature::cli::bench {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<int> ChildrenOf(int pid) {
  std::vector<int> children;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    std::istringstream list(ReadFile(task.path() / "children"));
    for (int child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

// Fields of /proc/PID/stat, counted from the state behind the command's closing parenthesis (proc(5) calls it field 3).
void AddStat(const std::string& stat, ProcessUsage& usage) {
  const size_t end_of_name = stat.rfind(')');
  if (end_of_name == std::string::npos) return;
  std::istringstream fields(stat.substr(end_of_name + 1));
  const std::vector<std::string> values{std::istream_iterator<std::string>(fields), {}};
  constexpr size_t kUserTime = 14 - 3;
  constexpr size_t kSystemTime = 15 - 3;
  constexpr size_t kResidentPages = 24 - 3;
  if (values.size() <= kResidentPages) return;
  const double us_per_tick = 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
  usage.cpu_us += (std::stod(values[kUserTime]) + std::stod(values[kSystemTime])) * us_per_tick;
  usage.rss_bytes += std::stoull(values[kResidentPages]) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  ++usage.processes;
}

}  // namespace

ProcessUsage ReadProcessUsage(const std::vector<int>& pids) {
  ProcessUsage usage;
  std::set<int> seen;
  std::vector<int> waiting = pids;
  while (!waiting.empty()) {
    const int pid = waiting.back();
    waiting.pop_back();
    if (!seen.insert(pid).second) continue;
    AddStat(ReadFile(fmt::format("/proc/{}/stat", pid)), usage);
    for (const int child : ChildrenOf(pid)) waiting.push_back(child);
  }
  return usage;
}

}  // namespace armature::cli::bench
