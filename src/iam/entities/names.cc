#include "iam/entities/names.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <simdjson.h>

#include "iam/entities/messages.h"
#include "iam/entities/quotas.h"
#include "model/names/names.h"

namespace armature::iam {

namespace {

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool IsNameCharacter(char c) {
  return IsAlphanumeric(c) || std::string_view("_+=,.@-").find(c) != std::string_view::npos;
}

bool IsVisible(char c) { return c >= '!' && c <= '~'; }

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

// AWS counts characters, not bytes.
size_t CountCharacters(std::string_view utf8) {
  return static_cast<size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string FoldCase(std::string_view name) {
  std::string folded(name);
  for (char& c : folded)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return folded;
}

IamResult<void> CheckName(std::string_view member, std::string_view name, size_t most) {
  if (name.empty()) return ValidationError(fmt::format(messages::kTooShort, member, 1));
  if (!std::all_of(name.begin(), name.end(), IsNameCharacter))
    return ValidationError(fmt::format(messages::kBadName, member));
  if (name.size() > most) return ValidationError(fmt::format(messages::kTooLong, member, most));
  return {};
}

IamResult<void> CheckPath(std::string_view path) {
  if (path.empty() || path.front() != '/' || path.back() != '/' || !std::all_of(path.begin(), path.end(), IsVisible))
    return ValidationError(messages::kBadPath);
  if (path.size() > quotas::kPath) return ValidationError(fmt::format(messages::kTooLong, "path", quotas::kPath));
  return {};
}

IamResult<void> CheckDescription(std::string_view description) {
  if (!IsUtf8(description)) return ValidationError(fmt::format(messages::kNotUtf8, "description"));
  if (CountCharacters(description) > quotas::kDescription)
    return ValidationError(fmt::format(messages::kTooLong, "description", quotas::kDescription));
  return {};
}

IamResult<void> CheckTags(const Tags& tags) {
  if (tags.size() > quotas::kTags) return LimitExceeded(fmt::format(messages::kQuota, "TagsPerEntity", quotas::kTags));
  std::set<std::string> seen;
  for (const Tag& tag : tags) {
    if (!IsUtf8(tag.key) || !IsUtf8(tag.value)) return ValidationError(fmt::format(messages::kNotUtf8, "tags"));
    if (tag.key.empty()) return ValidationError(fmt::format(messages::kTooShort, "tags.1.member.key", 1));
    if (CountCharacters(tag.key) > quotas::kTagKey)
      return ValidationError(fmt::format(messages::kTooLong, "tags.1.member.key", quotas::kTagKey));
    if (CountCharacters(tag.value) > quotas::kTagValue)
      return ValidationError(fmt::format(messages::kTooLong, "tags.1.member.value", quotas::kTagValue));
    std::string folded = FoldCase(tag.key);
    if (folded.starts_with("aws:")) return InvalidInput(messages::kReservedTag);
    if (!seen.insert(std::move(folded)).second) return InvalidInput(messages::kDuplicateTags);
  }
  return {};
}

IamResult<void> CheckAccount(std::string_view account) {
  if (!model::IsAccountId(account)) return ValidationError(fmt::format(messages::kBadAccount, account));
  return {};
}

IamResult<void> CheckAccessKey(std::string_view id, std::string_view secret) {
  if (id.size() < 16 || id.size() > 128 || !std::all_of(id.begin(), id.end(), IsAlphanumeric))
    return ValidationError(messages::kBadAccessKeyId);
  if (secret.size() < 16 || secret.size() > 128 || !std::all_of(secret.begin(), secret.end(), IsVisible))
    return ValidationError(messages::kBadSecret);
  return {};
}

}  // namespace armature::iam
