#include "model/names/arn.h"

#include <fmt/format.h>

#include "model/names/names.h"

namespace armature::model {

namespace {

// Cuts `text` behind the first `end` and gives what stood before it.
std::optional<std::string_view> Take(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return part;
}

bool IsOnePart(std::string_view text) { return !text.empty() && text.find('/') == std::string_view::npos; }

// What stands behind `prefix`; nothing if the resource is of another service or kind.
std::optional<std::string_view> ResourceOf(const Arn& arn, std::string_view service, std::string_view prefix) {
  if (arn.service != service || !arn.resource.starts_with(prefix)) return std::nullopt;
  return arn.resource.substr(prefix.size());
}

}  // namespace

std::optional<Arn> ParseArn(std::string_view text) {
  // Names of tables come here too, with every request: those have no colon.
  if (Take(text, ":") != "arn") return std::nullopt;
  Arn arn;
  for (std::string_view* part : {&arn.partition, &arn.service, &arn.region, &arn.account}) {
    const auto taken = Take(text, ":");
    if (!taken) return std::nullopt;
    *part = *taken;
  }
  arn.resource = text;
  return arn;
}

std::string MakeArn(std::string_view service, std::string_view region, std::string_view account,
                    std::string_view resource) {
  return fmt::format("arn:aws:{}:{}:{}:{}", service, region, account, resource);
}

std::optional<TableArn> ParseTableArn(std::string_view text) {
  const auto arn = ParseArn(text);
  if (!arn) return std::nullopt;
  const auto table = ResourceOf(*arn, "dynamodb", "table/");
  if (!table || !IsOnePart(*table)) return std::nullopt;
  return TableArn{arn->region, arn->account, *table};
}

std::string MakeTableArn(std::string_view region, std::string_view account, std::string_view table) {
  // Appended, not formatted: it is made for every request that policies are asked about.
  constexpr std::string_view kBegin = "arn:aws:dynamodb:", kKind = ":table/";
  std::string arn;
  arn.reserve(kBegin.size() + region.size() + 1 + account.size() + kKind.size() + table.size());
  arn.append(kBegin).append(region).append(1, ':').append(account).append(kKind).append(table);
  return arn;
}

std::string MakeIndexArn(std::string_view table_arn, std::string_view index) {
  return fmt::format("{}/index/{}", table_arn, index);
}

std::optional<StreamArn> ParseStreamArn(std::string_view text) {
  const auto arn = ParseArn(text);
  if (!arn || !arn->partition.starts_with("aws")) return std::nullopt;
  auto label = ResourceOf(*arn, "dynamodb", "table/");
  if (!label) return std::nullopt;
  const auto table = Take(*label, "/stream/");
  if (!table || !IsOnePart(*table) || !IsOnePart(*label)) return std::nullopt;
  return StreamArn{arn->region, arn->account, *table, *label};
}

std::string MakeStreamArn(std::string_view table_arn, std::string_view label) {
  return fmt::format("{}/stream/{}", table_arn, label);
}

std::optional<KinesisStreamArn> ParseKinesisStreamArn(std::string_view text) {
  const auto arn = ParseArn(text);
  if (!arn) return std::nullopt;
  const auto name = ResourceOf(*arn, "kinesis", "stream/");
  if (!name || !IsRegionName(arn->region) || !IsKinesisStreamName(*name)) return std::nullopt;
  return KinesisStreamArn{arn->region, arn->account, *name};
}

}  // namespace armature::model
