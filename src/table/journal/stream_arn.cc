#include "table/journal/stream_arn.h"

#include <fmt/format.h>

namespace armature::table {

std::optional<StreamArnParts> ParseStreamArn(std::string_view arn) {
  const auto take = [&arn](std::string_view until) -> std::optional<std::string_view> {
    const size_t at = arn.find(until);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view part = arn.substr(0, at);
    arn.remove_prefix(at + until.size());
    return part;
  };
  const auto scheme = take(":");
  const auto partition = take(":");
  const auto service = take(":");
  const auto region = take(":");
  const auto account = take(":");
  const auto kind = take("/");
  const auto table = take("/stream/");
  // A part that is missing leaves what is behind it for the next one: each is looked at.
  if (!partition || !region || !account || !table || scheme != "arn" || !partition->starts_with("aws") ||
      service != "dynamodb" || kind != "table" || table->empty() || arn.empty() ||
      arn.find('/') != std::string_view::npos)
    return std::nullopt;
  return StreamArnParts{*region, *account, *table, arn};
}

std::string MakeStreamArn(std::string_view table_arn, std::string_view label) {
  return fmt::format("{}/stream/{}", table_arn, label);
}

}  // namespace armature::table
