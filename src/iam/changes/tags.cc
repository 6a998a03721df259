#include "iam/changes/tags.h"

#include "iam/changes/find.h"
#include "iam/changes/policies.h"
#include "iam/changes/providers.h"

namespace armature::iam {

namespace {

template <class E>
IamResult<std::shared_ptr<E>> EditTagged(const Draft& draft, std::string_view account, std::string_view name_or_arn) {
  return Edit<E>(draft, account, name_or_arn);
}
template <>
IamResult<std::shared_ptr<ManagedPolicy>> EditTagged(const Draft& draft, std::string_view account,
                                                     std::string_view arn) {
  ARMATURE_TRY(const PolicyRef policy, MustFindPolicy(draft.state(), account, arn));
  if (policy->account != account) return NoSuchEntity(fmt::format(messages::kPolicyNotFound, arn));
  return std::make_shared<ManagedPolicy>(*policy);
}
template <>
IamResult<std::shared_ptr<OidcProvider>> EditTagged(const Draft& draft, std::string_view account,
                                                    std::string_view arn) {
  ARMATURE_TRY(const ProviderRef provider, MustFindProvider(draft.state(), account, arn));
  return std::make_shared<OidcProvider>(*provider);
}

void EraseTag(Tags& tags, std::string_view key) {
  const std::string folded = FoldCase(key);
  std::erase_if(tags, [&](const Tag& tag) { return FoldCase(tag.key) == folded; });
}

}  // namespace

template <class E>
IamResult<void> TagEntity(Draft& draft, std::string_view account, std::string_view name_or_arn, const Tags& tags) {
  ARMATURE_CHECK_OK(CheckTags(tags));
  ARMATURE_TRY(auto entity, EditTagged<E>(draft, account, name_or_arn));
  for (const Tag& tag : tags) {
    EraseTag(entity->tags, tag.key);
    entity->tags.push_back(tag);
  }
  ARMATURE_CHECK_OK(CheckTags(entity->tags));
  draft.Put(std::shared_ptr<const E>(std::move(entity)));
  return {};
}

template <class E>
IamResult<void> UntagEntity(Draft& draft, std::string_view account, std::string_view name_or_arn,
                            std::span<const std::string> keys) {
  ARMATURE_TRY(auto entity, EditTagged<E>(draft, account, name_or_arn));
  if (keys.size() > quotas::kTags) return LimitExceeded(fmt::format(messages::kQuota, "TagsPerEntity", quotas::kTags));
  for (const std::string& key : keys) EraseTag(entity->tags, key);
  draft.Put(std::shared_ptr<const E>(std::move(entity)));
  return {};
}

#define ARMATURE_TAGS_OF(E)                                                                       \
  template IamResult<void> TagEntity<E>(Draft&, std::string_view, std::string_view, const Tags&); \
  template IamResult<void> UntagEntity<E>(Draft&, std::string_view, std::string_view, std::span<const std::string>)
ARMATURE_TAGS_OF(User);
ARMATURE_TAGS_OF(Role);
ARMATURE_TAGS_OF(ManagedPolicy);
ARMATURE_TAGS_OF(OidcProvider);
#undef ARMATURE_TAGS_OF

}  // namespace armature::iam
