#include "iam/access/policy_set.h"

namespace armature::iam {

void IamPolicySet::AddHolder(const Snapshot& state, const Holder& holder, std::string_view arn) {
  for (const InlinePolicy& policy : holder.inline_policies) {
    identity.push_back(policy.document->compiled);
    identity_names.push_back(std::string(arn).append("/").append(policy.name));
  }
  for (const std::string& attached : holder.attached) {
    const PolicyRef policy = state.FindPolicy(attached);
    if (!policy) {
      is_broken = true;
      continue;
    }
    identity.push_back(policy->DefaultVersion().document->compiled);
    identity_names.push_back(attached);
  }
}

void IamPolicySet::SetBoundary(const Snapshot& state, const Holder& holder) {
  if (holder.boundary.empty()) return;
  const PolicyRef policy = state.FindPolicy(holder.boundary);
  if (policy) boundary = policy->DefaultVersion().document->compiled;
  else is_broken = true;
}

void IamPolicySet::AddUser(const Snapshot& state, const User& user) {
  AddHolder(state, user, ArnOf(user));
  SetBoundary(state, user);
  const AccountState* const account = state.FindAccount(user.account);
  for (const std::string& id : user.groups) {
    const GroupRef group = account ? account->groups.FindById(id) : nullptr;
    if (group) AddHolder(state, *group, ArnOf(*group));
    else is_broken = true;
  }
}

void IamPolicySet::AddRole(const Snapshot& state, const Role& role) {
  AddHolder(state, role, ArnOf(role));
  SetBoundary(state, role);
}

void IamPolicySet::AddSession(const Snapshot& state, const Session& given) {
  for (const std::string& text : given.policies) {
    auto document = MakeDocument(text, policy::PolicyKind::kIdentity);
    if (document) session.push_back((*document)->compiled);
    else is_broken = true;
  }
  for (const std::string& arn : given.policy_arns) {
    const PolicyRef policy = state.FindPolicy(arn);
    if (policy) session.push_back(policy->DefaultVersion().document->compiled);
    else is_broken = true;
  }
}

}  // namespace armature::iam
