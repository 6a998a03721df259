#include "iam_api/replies.h"

#include <algorithm>

namespace armature::iam_api {

std::vector<wire::iam::Tag> ReplyOf(const iam::Tags& tags) {
  std::vector<wire::iam::Tag> reply;
  for (const iam::Tag& tag : tags) reply.push_back({tag.key, tag.value});
  return reply;
}

std::optional<wire::iam::AttachedPermissionsBoundary> BoundaryOf(const iam::Holder& holder) {
  if (holder.boundary.empty()) return std::nullopt;
  wire::iam::AttachedPermissionsBoundary reply;
  reply.PermissionsBoundaryArn = holder.boundary;
  reply.PermissionsBoundaryType = "Policy";
  return reply;
}

wire::iam::User ReplyOf(const iam::User& user) {
  wire::iam::User reply;
  reply.Arn = iam::ArnOf(user);
  reply.CreateDate = TimeOf(user.created_millis);
  reply.Path = user.path;
  reply.UserId = user.id;
  reply.UserName = user.name;
  return reply;
}

wire::iam::User DetailedReplyOf(const iam::User& user) {
  wire::iam::User reply = ReplyOf(user);
  if (!user.tags.empty()) reply.Tags = ReplyOf(user.tags);
  reply.PermissionsBoundary = BoundaryOf(user);
  return reply;
}

wire::iam::User RootReplyOf(const iam::AccountState& account, std::string_view id) {
  wire::iam::User reply;
  reply.Arn = iam::RootArn(id);
  reply.CreateDate = TimeOf(account.info.created_millis);
  reply.Path = "/";
  reply.UserId = id;
  reply.UserName = account.info.alias;
  return reply;
}

wire::iam::Group ReplyOf(const iam::Group& group) {
  wire::iam::Group reply;
  reply.Arn = iam::ArnOf(group);
  reply.CreateDate = TimeOf(group.created_millis);
  reply.GroupId = group.id;
  reply.GroupName = group.name;
  reply.Path = group.path;
  return reply;
}

namespace {

wire::iam::Role BareReplyOf(const iam::Role& role) {
  wire::iam::Role reply;
  reply.Arn = iam::ArnOf(role);
  reply.AssumeRolePolicyDocument = role.trust->text;
  reply.CreateDate = TimeOf(role.created_millis);
  reply.Path = role.path;
  reply.RoleId = role.id;
  reply.RoleName = role.name;
  return reply;
}

}  // namespace

wire::iam::Role NewReplyOf(const iam::Role& role) {
  wire::iam::Role reply = BareReplyOf(role);
  if (!role.tags.empty()) reply.Tags = ReplyOf(role.tags);
  reply.PermissionsBoundary = BoundaryOf(role);
  return reply;
}

wire::iam::Role ReplyOf(const iam::Role& role) {
  wire::iam::Role reply = BareReplyOf(role);
  if (!role.description.empty()) reply.Description = role.description;
  reply.MaxSessionDuration = role.max_session_seconds;
  return reply;
}

wire::iam::RoleLastUsed LastUseOf(const iam::Role& role, const iam::UsageTable& usage) {
  wire::iam::RoleLastUsed reply;
  if (const auto last = usage.Find(role.id)) {
    reply.LastUsedDate = TimeOf(last->at_millis);
    reply.Region = last->region;
  }
  return reply;
}

wire::iam::Role DetailedReplyOf(const iam::Role& role, const iam::UsageTable& usage) {
  wire::iam::Role reply = ReplyOf(role);
  if (!role.tags.empty()) reply.Tags = ReplyOf(role.tags);
  reply.PermissionsBoundary = BoundaryOf(role);
  reply.RoleLastUsed = LastUseOf(role, usage);
  return reply;
}

wire::iam::Policy ReplyOf(const iam::ManagedPolicy& policy, const iam::PolicyUse& use) {
  wire::iam::Policy reply;
  reply.Arn = iam::ArnOf(policy);
  reply.AttachmentCount = static_cast<int64_t>(use.attachments);
  reply.CreateDate = TimeOf(policy.created_millis);
  reply.DefaultVersionId = policy.DefaultVersion().id();
  reply.IsAttachable = true;
  reply.Path = policy.path;
  reply.PermissionsBoundaryUsageCount = static_cast<int64_t>(use.boundaries);
  reply.PolicyId = policy.id;
  reply.PolicyName = policy.name;
  reply.UpdateDate = TimeOf(policy.updated_millis);
  return reply;
}

wire::iam::PolicyVersion ReplyOf(const iam::ManagedPolicy& policy, const iam::PolicyVersion& version) {
  wire::iam::PolicyVersion reply;
  reply.CreateDate = TimeOf(version.created_millis);
  reply.IsDefaultVersion = version.number == policy.default_version;
  reply.VersionId = version.id();
  return reply;
}

std::vector<wire::iam::AttachedPolicy> AttachedTo(const iam::Snapshot& state, const iam::Holder& holder,
                                                  std::string_view path_prefix) {
  std::vector<wire::iam::AttachedPolicy> reply;
  for (const std::string& arn : holder.attached) {
    const iam::PolicyRef policy = state.FindPolicy(arn);
    if (!policy || !policy->path.starts_with(path_prefix)) continue;
    wire::iam::AttachedPolicy& attached = reply.emplace_back();
    attached.PolicyArn = arn;
    attached.PolicyName = policy->name;
  }
  std::ranges::sort(reply, {}, [](const auto& attached) { return *attached.PolicyArn; });
  return reply;
}

}  // namespace armature::iam_api
