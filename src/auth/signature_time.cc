#include "auth/signature_time.h"

#include <array>
#include <chrono>

namespace armature::auth {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads `count` digits at `at`; false if there is anything else.
bool ReadNumber(std::string_view text, size_t at, size_t count, int* out) {
  int number = 0;
  for (const char c : text.substr(at, count)) {
    if (!IsDigit(c)) return false;
    number = number * 10 + (c - '0');
  }
  *out = number;
  return true;
}

struct CivilTime {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

std::optional<int64_t> SecondsOf(const CivilTime& time) {
  const std::chrono::year_month_day date{std::chrono::year(time.year),
                                         std::chrono::month(static_cast<unsigned>(time.month)),
                                         std::chrono::day(static_cast<unsigned>(time.day))};
  if (!date.ok() || time.hour > 23 || time.minute > 59 || time.second > 59) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + time.hour) * 60 + time.minute) * 60 + time.second;
}

// 1 to 12; 0 if it is no month's name.
int MonthOf(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kNames{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<int>(i) + 1;
  return 0;
}

}  // namespace

std::optional<int64_t> ParseBasicTime(std::string_view text) {
  CivilTime time;
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z' || !ReadNumber(text, 0, 4, &time.year) ||
      !ReadNumber(text, 4, 2, &time.month) || !ReadNumber(text, 6, 2, &time.day) ||
      !ReadNumber(text, 9, 2, &time.hour) || !ReadNumber(text, 11, 2, &time.minute) ||
      !ReadNumber(text, 13, 2, &time.second)) {
    return std::nullopt;
  }
  return SecondsOf(time);
}

std::optional<int64_t> ParseHttpTime(std::string_view text) {
  if (text.size() != 29 || text.substr(3, 2) != ", " || text[7] != ' ' || text[11] != ' ' || text[16] != ' ' ||
      text[19] != ':' || text[22] != ':' || !text.ends_with(" GMT")) {
    return std::nullopt;
  }
  CivilTime time;
  time.month = MonthOf(text.substr(8, 3));
  if (!ReadNumber(text, 5, 2, &time.day) || !ReadNumber(text, 12, 4, &time.year) ||
      !ReadNumber(text, 17, 2, &time.hour) || !ReadNumber(text, 20, 2, &time.minute) ||
      !ReadNumber(text, 23, 2, &time.second)) {
    return std::nullopt;
  }
  return SecondsOf(time);
}

}  // namespace armature::auth
