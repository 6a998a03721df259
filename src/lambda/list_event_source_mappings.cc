// ListEventSourceMappings: the triggers of a stream, of a function, or all; a page at a time.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "api/access.h"
#include "lambda/lambda_api.h"
#include "lambda/mapping_reply.h"
#include "model/messages/triggers.h"

namespace armature::lambda {

namespace {

namespace messages = model::messages;
using model::ApiResult;
using triggers::InvalidParameterValue;

// A page never holds more, whatever was asked for.
constexpr size_t kMostOnAPage = 100;

ApiResult<size_t> PageSize(const RestRequest& request) {
  const std::string_view text = request.QueryValue("MaxItems");
  if (text.empty()) return kMostOnAPage;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return model::SerializationException("STRING_VALUE cannot be converted to Integer");
  if (number < 1) return InvalidParameterValue(fmt::format(messages::kTriggerBelowMinimum, number, "maxItems", 1));
  if (number > 10'000)
    return InvalidParameterValue(fmt::format(messages::kTriggerAboveMaximum, number, "maxItems", 10'000));
  return std::min(static_cast<size_t>(number), kMostOnAPage);
}

}  // namespace

Task<ApiResult<void>> ListEventSourceMappings(api::RequestContext& context, triggers::Triggers& triggers,
                                              RestRequest& request) {
  ARMATURE_CO_TRY(const size_t page_size, PageSize(request));
  const std::string_view source = request.QueryValue("EventSourceArn");
  const std::string_view function = request.QueryValue("FunctionName");
  const std::string_view marker = request.QueryValue("Marker");
  std::string name, qualifier;
  if (!function.empty() && !triggers::ParseFunctionName(function, name, qualifier))
    co_return InvalidParameterValue(fmt::format(messages::kTriggerBadFunctionName, function));

  ARMATURE_CO_CHECK_OK(api::Authorize(context, auth::Resource{}));
  std::string next_marker;
  size_t count = 0;
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("EventSourceMappings");
  json.BeginArray();
  std::string_view last;
  const auto mappings = triggers.List(context.scope());
  for (const auto& mapping : mappings) {
    if (mapping->uuid <= marker || (!source.empty() && mapping->event_source_arn != source)) continue;
    if (!function.empty() && (mapping->function_name != name || mapping->function_qualifier != qualifier)) continue;
    if (count == page_size) {
      next_marker = last;
      break;
    }
    ++count;
    last = mapping->uuid;
    WriteMapping(triggers, *mapping, {}, json);
  }
  json.EndArray();
  if (!next_marker.empty()) json.Member("NextMarker", next_marker);
  json.EndObject();
  co_return ApiResult<void>();
}

}  // namespace armature::lambda
