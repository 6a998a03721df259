#include "dax/control/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "dax/control/messages.h"
#include "model/names/arn.h"

namespace armature::dax::control {

using model::ApiResult;
using wire::dax::InvalidParameterValueException;

namespace {

constexpr size_t kLongestGroupName = 255;
constexpr size_t kLongestTagKey = 128;
constexpr size_t kLongestTagValue = 256;
constexpr int kMinutesOfWeek = 7 * 24 * 60;
constexpr int kShortestWindowMinutes = 60;

constexpr std::string_view kNodeTypes[] = {
    "dax.r3.large",     "dax.r3.xlarge",    "dax.r3.2xlarge",   "dax.r3.4xlarge",  "dax.r3.8xlarge",  "dax.r4.large",
    "dax.r4.xlarge",    "dax.r4.2xlarge",   "dax.r4.4xlarge",   "dax.r4.8xlarge",  "dax.r4.16xlarge", "dax.r5.large",
    "dax.r5.xlarge",    "dax.r5.2xlarge",   "dax.r5.4xlarge",   "dax.r5.8xlarge",  "dax.r5.12xlarge", "dax.r5.16xlarge",
    "dax.r5.24xlarge",  "dax.r7i.large",    "dax.r7i.xlarge",   "dax.r7i.2xlarge", "dax.r7i.4xlarge", "dax.r7i.8xlarge",
    "dax.r7i.12xlarge", "dax.r7i.16xlarge", "dax.r7i.24xlarge", "dax.t2.small",    "dax.t2.medium",   "dax.t3.small",
    "dax.t3.medium",
};
constexpr std::array<std::string_view, 7> kDays = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

template <class... Args>
model::ApiError Bad(fmt::format_string<Args...> text, Args&&... args) {
  return InvalidParameterValueException(fmt::format(text, std::forward<Args>(args)...));
}

size_t CharactersOf(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

// A number of two digits that is below `bound`.
std::optional<int> ReadTwoDigits(std::string_view text, int bound) {
  if (text.size() != 2 || !IsDigit(text[0]) || !IsDigit(text[1])) return std::nullopt;
  const int number = (text[0] - '0') * 10 + (text[1] - '0');
  return number < bound ? std::optional(number) : std::nullopt;
}

// "sun:05:00" in minutes from the week's beginning.
std::optional<int> ReadMoment(std::string_view text) {
  if (text.size() != 9 || text[3] != ':' || text[6] != ':') return std::nullopt;
  const auto day = std::ranges::find(kDays, text.substr(0, 3));
  const auto hour = ReadTwoDigits(text.substr(4, 2), 24), minute = ReadTwoDigits(text.substr(7, 2), 60);
  if (day == kDays.end() || !hour || !minute) return std::nullopt;
  return (static_cast<int>(day - kDays.begin()) * 24 + *hour) * 60 + *minute;
}

}  // namespace

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

ApiResult<std::string> CheckClusterName(std::string_view given) {
  std::string name = LowerCase(given);
  const auto is_good = [](char c) { return IsLetter(c) || IsDigit(c) || c == '-'; };
  if (name.empty() || !IsLetter(name.front()) || name.back() == '-' || name.find("--") != std::string::npos ||
      !std::ranges::all_of(name, is_good))
    return Bad(messages::kInvalidClusterName);
  if (name.size() > kLongestClusterName) return Bad(messages::kLongClusterName, kLongestClusterName);
  return name;
}

ApiResult<std::string> CheckGroupName(std::string_view given) {
  std::string name = LowerCase(given);
  const auto is_good = [](char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '.'; };
  if (name.empty() || !IsLetter(name.front()) || name.size() > kLongestGroupName || !std::ranges::all_of(name, is_good))
    return Bad(messages::kInvalidGroupName, given, kLongestGroupName);
  return name;
}

ApiResult<void> CheckNodeType(std::string_view node_type) {
  if (std::ranges::find(kNodeTypes, node_type) == std::end(kNodeTypes))
    return Bad(messages::kInvalidNodeType, node_type);
  return {};
}

ApiResult<void> CheckRoleArn(std::string_view text, std::string_view account) {
  const auto arn = model::ParseArn(text);
  if (!arn || arn->service != "iam" || !arn->region.empty() || !arn->resource.starts_with("role/") ||
      arn->resource.ends_with('/'))
    return Bad(messages::kInvalidRoleArn, text);
  if (arn->account != account) return Bad(messages::kForeignRole);
  return {};
}

ApiResult<void> CheckTopicArn(std::string_view text) {
  const auto arn = model::ParseArn(text);
  if (!arn || arn->service != "sns" || arn->resource.empty()) return Bad(messages::kInvalidTopicArn, text);
  return {};
}

ApiResult<bool> ReadTopicStatus(std::string_view status) {
  if (status == "active") return true;
  if (status == "inactive") return false;
  return Bad(messages::kInvalidTopicStatus);
}

ApiResult<std::string> CheckMaintenanceWindow(std::string_view given) {
  std::string window = LowerCase(given);
  const std::string_view text = window;
  const size_t dash = text.find('-');
  const auto begin = ReadMoment(text.substr(0, dash));
  const auto end = dash == std::string_view::npos ? std::nullopt : ReadMoment(text.substr(dash + 1));
  if (!begin || !end || (*end - *begin + kMinutesOfWeek) % kMinutesOfWeek < kShortestWindowMinutes)
    return Bad(messages::kInvalidWindow, given);
  return window;
}

ApiResult<void> CheckSubnetId(std::string_view id) {
  constexpr std::string_view kPrefix = "subnet-";
  constexpr size_t kLongest = 64;
  const auto is_good = [](char c) { return IsLetter(c) || IsDigit(c) || c == '-'; };
  if (!id.starts_with(kPrefix) || id.size() == kPrefix.size() || id.size() > kLongest ||
      !std::ranges::all_of(id, is_good))
    return wire::dax::InvalidSubnet(fmt::format(messages::kInvalidSubnet, id));
  return {};
}

ApiResult<int64_t> ReadParameter(std::string_view name, std::string_view value) {
  if (name != kRecordTtl && name != kQueryTtl) return Bad(messages::kInvalidParameterName, name);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0 || !IsDigit(value.front()))
    return Bad(messages::kInvalidParameterValue, name, value);
  return number;
}

ApiResult<void> CheckTags(const wire::List<wire::dax::TagInput>& tags) {
  std::set<std::string_view> keys;
  for (const wire::dax::TagInput& tag : tags) {
    const std::string_view key = tag.Key.value_or({});
    const size_t length = CharactersOf(key);
    if (length == 0 || length > kLongestTagKey) return Bad(messages::kInvalidTagKey);
    if (CharactersOf(tag.Value.value_or({})) > kLongestTagValue) return Bad(messages::kInvalidTagValue);
    if (LowerCase(key.substr(0, 4)) == "aws:") return Bad(messages::kTagOfSystem);
    if (!keys.insert(key).second) return Bad(messages::kRepeatedTag, key);
  }
  return {};
}

}  // namespace armature::dax::control
