// Log: one line per event on standard error, with a level and key=value fields made by the caller.
//
// What a line quotes cannot break it: control characters and bytes that are not UTF-8 are shown as \xNN.
// Thread-safe (a line is one write). Any layer may log; nothing on a request's fast path does.
#pragma once

#include <string_view>

#include <fmt/core.h>

namespace armature {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

void SetLogLevel(LogLevel level);
bool ParseLogLevel(std::string_view name, LogLevel* level);
[[gnu::cold]] bool LogEnabled(LogLevel level);
[[gnu::cold]] void LogLine(LogLevel level, std::string_view line);

template <class... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (LogEnabled(level)) LogLine(level, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kInfo, format, std::forward<Args>(args)...);
}
template <class... Args>
void LogWarn(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kWarn, format, std::forward<Args>(args)...);
}
template <class... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kError, format, std::forward<Args>(args)...);
}

}  // namespace armature
