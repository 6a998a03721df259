#include "iam_api/simulation/principal_policies.h"

#include "iam/entities/messages.h"

namespace armature::iam_api {

namespace {

template <class E>
void AddHolder(const Call& call, const E& holder, PrincipalPolicies& all) {
  const std::string kind(iam::KindFacts<E>::kWord);
  for (const iam::InlinePolicy& policy : holder.inline_policies)
    all.policies.push_back({policy.document, policy.name, {}, holder.name, kind});
  for (const std::string& arn : holder.attached)
    if (const iam::PolicyRef policy = call.state().FindPolicy(arn))
      all.policies.push_back({policy->DefaultVersion().document, policy->name, arn, holder.name, kind});
  all.id = holder.id;
  if (const iam::PolicyRef boundary = call.state().FindPolicy(holder.boundary))
    all.boundary = boundary->DefaultVersion().document;
}

template <class E>
model::ApiResult<std::shared_ptr<const E>> MustFindByArn(const Call& call, const iam::EntityArn& arn,
                                                         std::string_view text) {
  ARMATURE_TRY(auto entity, call.Find<E>(arn.name));
  if (iam::ArnOf(*entity) != text)
    return wire::iam::NoSuchEntity(fmt::format(iam::messages::kNotFound, iam::KindFacts<E>::kWord, arn.name));
  return entity;
}

}  // namespace

model::ApiResult<PrincipalPolicies> PoliciesOf(const Call& call, std::string_view text) {
  ARMATURE_TRY(const iam::EntityArn arn, iam::Told(iam::ParseEntityArn(text)));
  PrincipalPolicies all;
  if (arn.kind == "user") {
    ARMATURE_TRY(const iam::UserRef user, MustFindByArn<iam::User>(call, arn, text));
    for (const std::string& id : user->groups)
      if (const iam::GroupRef group = call.account_state().groups.FindById(id)) AddHolder(call, *group, all);
    AddHolder(call, *user, all);
    all.user_arn = text;
    all.user_name = user->name;
  } else if (arn.kind == "group") {
    ARMATURE_TRY(const iam::GroupRef group, MustFindByArn<iam::Group>(call, arn, text));
    AddHolder(call, *group, all);
  } else if (arn.kind == "role") {
    ARMATURE_TRY(const iam::RoleRef role, MustFindByArn<iam::Role>(call, arn, text));
    AddHolder(call, *role, all);
  } else {
    return wire::iam::InvalidInput(fmt::format(iam::messages::kArnInvalid, text));
  }
  return all;
}

}  // namespace armature::iam_api
