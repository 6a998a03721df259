#include "base/log.h"

#include <atomic>
#include <ctime>
#include <string>

#include <unistd.h>

#include "base/text/visible_text.h"

namespace armature {

namespace {
std::atomic<LogLevel> threshold{LogLevel::kInfo};
constexpr std::string_view kNames[] = {"debug", "info", "warn", "error", "off"};
}  // namespace

void SetLogLevel(LogLevel level) { threshold.store(level, std::memory_order_relaxed); }

bool ParseLogLevel(std::string_view name, LogLevel* level) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) {
      *level = static_cast<LogLevel>(i);
      return true;
    }
  }
  return false;
}

bool LogEnabled(LogLevel level) { return level >= threshold.load(std::memory_order_relaxed); }

void LogLine(LogLevel level, std::string_view line) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm utc{};
  gmtime_r(&now.tv_sec, &utc);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z {} {}\n", utc.tm_year + 1900,
                                 utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                                 now.tv_nsec / 1'000'000, kNames[static_cast<size_t>(level)], VisibleText(line));
  // One write, so that lines of several threads never mix. A failing stderr has nobody to tell.
  [[maybe_unused]] auto written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace armature
