#include "policy/values/instant.h"

#include <charconv>
#include <chrono>

namespace armature::policy {

namespace {

constexpr int kNanosecondDigits = 9;

// Takes the text apart from its front.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // A number of exactly so many digits, at most `most`.
  std::optional<int> Number(size_t digits, int most) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + digits, value);
    if (error != std::errc() || end != rest_.data() + digits || rest_.front() == '-' || value > most)
      return std::nullopt;
    rest_.remove_prefix(digits);
    return value;
  }
  // The digits behind a decimal point, as nanoseconds; what is finer is dropped.
  std::optional<int32_t> Fraction() {
    int32_t value = 0;
    int digits = 0;
    for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; rest_.remove_prefix(1))
      if (digits++ < kNanosecondDigits) value = value * 10 + (rest_.front() - '0');
    if (digits == 0) return std::nullopt;
    for (; digits < kNanosecondDigits; ++digits) value *= 10;
    return value;
  }

 private:
  std::string_view rest_;
};

std::optional<int64_t> ParseSeconds(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return seconds;
}

// Days since the epoch; the day and the month may be missing.
std::optional<int64_t> ReadDate(Reader& reader) {
  const auto year = reader.Number(4, 9999);
  if (!year) return std::nullopt;
  std::optional<int> month = 1;
  std::optional<int> day = 1;
  if (reader.Take('-')) month = reader.Number(2, 12);
  if (month && reader.Take('-')) day = reader.Number(2, 31);
  if (!month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// Seconds that local time is ahead of UTC.
std::optional<int64_t> ReadZone(Reader& reader) {
  if (reader.at_end() || reader.Take('Z')) return 0;
  const int sign = reader.Take('+') ? 1 : reader.Take('-') ? -1 : 0;
  if (sign == 0) return std::nullopt;
  const auto hours = reader.Number(2, 23);
  if (!hours) return std::nullopt;
  (void)reader.Take(':');
  const auto minutes = reader.Number(2, 59);
  if (!minutes) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

bool ReadTime(Reader& reader, Instant& instant) {
  const auto hours = reader.Number(2, 23);
  if (!hours || !reader.Take(':')) return false;
  const auto minutes = reader.Number(2, 59);
  if (!minutes) return false;
  instant.seconds += *hours * 3600 + *minutes * 60;
  if (reader.Take(':')) {
    const auto seconds = reader.Number(2, 60);  // 60: a leap second
    if (!seconds) return false;
    instant.seconds += *seconds;
    if (reader.Take('.')) {
      const auto fraction = reader.Fraction();
      if (!fraction) return false;
      instant.nanoseconds = *fraction;
    }
  }
  const auto zone = ReadZone(reader);
  if (!zone) return false;
  instant.seconds -= *zone;
  return true;
}

}  // namespace

std::optional<Instant> ParseInstant(std::string_view text) {
  if (const auto seconds = ParseSeconds(text)) return Instant{*seconds, 0};
  Reader reader(text);
  const auto days = ReadDate(reader);
  if (!days) return std::nullopt;
  Instant instant{*days * 86400, 0};
  if (reader.Take('T') && !ReadTime(reader, instant)) return std::nullopt;
  if (!reader.at_end()) return std::nullopt;
  return instant;
}

}  // namespace armature::policy
