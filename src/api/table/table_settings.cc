#include "api/table/table_settings.h"

#include <algorithm>
#include <ctime>
#include <set>

#include <fmt/format.h>

#include "api/table/key_schema_checks.h"
#include "base/random.h"
#include "model/messages/tables.h"
#include "model/names/arn.h"

namespace armature::api {

using model::ApiResult;
namespace messages = model::messages;

namespace {

constexpr size_t kMaxTags = 50;

// Letters (of any script: every byte of a multi-byte character passes), digits, blanks and + - = . _ : / @.
bool IsTagText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) || std::string_view(" +-=._:/@").find(c) != std::string_view::npos;
  });
}

// The key a request names by id, alias or ARN; it is described, and no more: what is stored here is encrypted under the
// server's own master key, or not at all.
std::string KmsKeyArn(const model::TableDef& table, const wire::SSESpecification& requested) {
  if (!requested.KMSMasterKeyId) return model::MakeArn("kms", table.region, table.account, "alias/aws/dynamodb");
  const std::string_view id = *requested.KMSMasterKeyId;
  if (id.starts_with("arn:")) return std::string(id);
  const std::string_view kind = id.starts_with("alias/") ? "" : "key/";
  return model::MakeArn("kms", table.region, table.account, fmt::format("{}{}", kind, id));
}

}  // namespace

std::string StreamLabel(int64_t now_millis) {
  const std::time_t seconds = now_millis / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, now_millis % 1000);
}

ApiResult<void> ApplySse(const wire::SSESpecification& requested, model::TableDef& table) {
  const bool enabled = requested.Enabled.value_or(false);
  if (requested.SSEType && *requested.SSEType != "KMS") return InvalidParameter(messages::kSseTypeNotSupported);
  if (requested.KMSMasterKeyId && !enabled) return InvalidParameter(messages::kKmsKeyWithoutSse);
  table.sse = enabled ? model::SseDef{true, KmsKeyArn(table, requested)} : model::SseDef{};
  return {};
}

void AddRequestTags(const wire::List<wire::Tag>& requested, AccessDetails& details) {
  for (const auto& tag : requested) details.out.request_tags.push_back({*tag.Key, tag.Value.value_or({})});
}

ApiResult<void> ApplyTags(const wire::List<wire::Tag>& requested, std::map<std::string, std::string>& tags) {
  std::set<std::string_view> seen;
  std::map<std::string, std::string> merged = tags;
  for (const auto& tag : requested) {
    if (!tag.Value) return InvalidParameter(fmt::format(messages::kTagValueMissing, *tag.Key));
    if (tag.Key->starts_with("aws:")) return InvalidParameter(fmt::format(messages::kReservedTagKey, *tag.Key));
    if (!IsTagText(*tag.Key) || !IsTagText(*tag.Value))
      return InvalidParameter(fmt::format(messages::kInvalidTagCharacter, *tag.Key));
    if (!seen.insert(*tag.Key).second) return InvalidParameter(fmt::format(messages::kDuplicateTagKey, *tag.Key));
    merged[std::string(*tag.Key)] = *tag.Value;
  }
  if (merged.size() > kMaxTags) return InvalidParameter(messages::kTooManyTags);
  tags = std::move(merged);
  return {};
}

}  // namespace armature::api
