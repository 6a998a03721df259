// DescribeEvents: what happened to clusters and groups, of the last day unless told otherwise.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/operations.h"
#include "dax/control/page.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

using model::ApiResult;
using wire::dax::DescribeEventsInput;
using wire::dax::InvalidParameterCombinationException;

constexpr int64_t kMinuteMillis = 60'000;
constexpr int64_t kDayMillis = 24 * 60 * kMinuteMillis;

struct Span {
  int64_t begin_millis;
  int64_t end_millis;
};

// Times that no clock shows are as good as the ends of what is kept.
int64_t MillisOf(double seconds) {
  constexpr double kMost = 1e12;
  if (!(seconds > 0)) return 0;
  return static_cast<int64_t>(std::floor(std::min(seconds, kMost) * 1000));
}

ApiResult<Span> ReadSpan(const DescribeEventsInput& input, int64_t now_millis) {
  if (input.Duration && (input.StartTime || input.EndTime))
    return InvalidParameterCombinationException(std::string(messages::kDurationAndTimes));
  if (input.Duration) {
    if (*input.Duration < 1) return wire::dax::InvalidParameterValueException(std::string(messages::kInvalidDuration));
    const int64_t minutes = std::min(*input.Duration, kEventsKeptMillis / kMinuteMillis);
    return Span{now_millis - minutes * kMinuteMillis, now_millis};
  }
  Span span{now_millis - kDayMillis, now_millis};
  if (input.EndTime) span.end_millis = MillisOf(*input.EndTime), span.begin_millis = span.end_millis - kDayMillis;
  if (input.StartTime) span.begin_millis = MillisOf(*input.StartTime);
  if (span.begin_millis > span.end_millis)
    return InvalidParameterCombinationException(std::string(messages::kStartAfterEnd));
  return span;
}

std::string KeyOf(uint64_t number) { return fmt::format("{:016x}", number); }

}  // namespace

Task<OperationResult> DescribeEvents(const ControlContext& context, const DescribeEventsInput& input,
                                     wire::dax::DescribeEventsOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  if (input.SourceName && !input.SourceType)
    co_return InvalidParameterCombinationException(std::string(messages::kSourceWithoutType));
  ARMATURE_CO_TRY(const Span span, ReadSpan(input, context.book.clock().NowMillis()));
  const auto state = context.state();
  const std::string source = LowerCase(input.SourceName.value_or({}));
  std::vector<std::string> keys;
  std::map<std::string, const Event*> found;
  for (const auto& [number, event] : state->events) {
    if (event->at_millis < span.begin_millis || event->at_millis > span.end_millis) continue;
    if (input.SourceType && NameOf(event->source_type) != *input.SourceType) continue;
    if (input.SourceName && event->source_name != source) continue;
    keys.push_back(KeyOf(number));
    found[keys.back()] = event.get();
  }
  ARMATURE_CO_TRY(Page page, PageOf(std::move(keys), input.MaxResults, input.NextToken));
  auto& events = output.Events.emplace();
  for (const std::string& key : page.keys) events.push_back(ShownEvent(*found[key]));
  output.NextToken = std::move(page.next_token);
  co_return OperationResult();
}

}  // namespace armature::dax::control
