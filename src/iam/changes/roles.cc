#include "iam/changes/roles.h"

#include <array>

#include "iam/changes/find.h"
#include "iam/entities/ids.h"

namespace armature::iam {

namespace {

struct LinkedService {
  std::string_view service;
  std::string_view role;
  std::string_view policy;  // of AWS, below /aws-service-role/
};
constexpr std::array<LinkedService, 5> kLinkedServices{{
    {"replication.dynamodb.amazonaws.com", "AWSServiceRoleForDynamoDBReplication",
     "DynamoDBReplicationServiceRolePolicy"},
    {"dynamodb.application-autoscaling.amazonaws.com", "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable",
     "AWSApplicationAutoscalingDynamoDBTablePolicy"},
    {"contributorinsights.dynamodb.amazonaws.com", "AWSServiceRoleForDynamoDBCloudWatchContributorInsights",
     "DynamoDBCloudWatchContributorInsightsServiceRolePolicy"},
    {"kinesisreplication.dynamodb.amazonaws.com", "AWSServiceRoleForDynamoDBKinesisDataStreamsReplication",
     "DynamoDBKinesisReplicationServiceRolePolicy"},
    {"dax.amazonaws.com", "AWSServiceRoleForDAX", "DAXServiceRolePolicy"},
}};

IamResult<DocumentRef> MakeTrust(const Snapshot& state, std::string_view text) {
  ARMATURE_TRY(auto document, MakeDocument(text, policy::PolicyKind::kTrust, state));
  if (document->counted_size > quotas::kTrustPolicySize)
    return LimitExceeded(fmt::format(messages::kQuota, "ACLSizePerRole", quotas::kTrustPolicySize));
  return document;
}

IamResult<void> CheckDuration(int64_t seconds) {
  if (seconds < quotas::kLeastSessionSeconds || seconds > quotas::kMostSessionSeconds)
    return ValidationError(messages::kBadDuration);
  return {};
}

IamResult<void> CheckWithoutPolicies(const Role& role) {
  if (!role.inline_policies.empty()) return DeleteConflict(messages::kDeletePoliciesFirst);
  if (!role.attached.empty()) return DeleteConflict(messages::kDetachPoliciesFirst);
  return {};
}

RoleRef PutNew(Draft& draft, std::string_view account, const NewRole& given, DocumentRef trust,
               std::vector<std::string> attached) {
  auto role = std::make_shared<Role>();
  role->account = account;
  role->id = MakeUniqueId(kRolePrefix, account, draft.random());
  role->name = given.name;
  role->path = given.path;
  role->created_millis = draft.now_millis();
  role->tags = given.tags;
  role->boundary = given.boundary;
  role->trust = std::move(trust);
  role->description = given.description;
  role->max_session_seconds = given.max_session_seconds;
  role->attached = std::move(attached);
  RoleRef made = std::move(role);
  draft.Put(made);
  return made;
}

}  // namespace

IamResult<RoleRef> CreateRole(Draft& draft, std::string_view account, const NewRole& given) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  ARMATURE_CHECK_OK(CheckTags(given.tags));
  ARMATURE_CHECK_OK(CheckDescription(given.description));
  ARMATURE_CHECK_OK(CheckDuration(given.max_session_seconds));
  ARMATURE_CHECK_OK(CheckNew<Role>(draft.AccountOf(account), given.name, given.path));
  ARMATURE_TRY(auto trust, MakeTrust(draft.state(), given.trust));
  if (!given.boundary.empty()) ARMATURE_CHECK_OK(MustFindAttachable(draft.state(), account, given.boundary));
  return PutNew(draft, account, given, std::move(trust), {});
}

IamResult<RoleRef> UpdateRole(Draft& draft, std::string_view account, std::string_view name,
                              std::optional<std::string_view> description, std::optional<int64_t> max_session_seconds) {
  ARMATURE_TRY(auto role, Edit<Role>(draft, account, name));
  if (description) {
    ARMATURE_CHECK_OK(CheckDescription(*description));
    role->description = *description;
  }
  if (max_session_seconds) {
    ARMATURE_CHECK_OK(CheckModifiable(*role));  // of a service's role the description may be changed
    ARMATURE_CHECK_OK(CheckDuration(*max_session_seconds));
    role->max_session_seconds = *max_session_seconds;
  }
  RoleRef done = std::move(role);
  draft.Put(done);
  return done;
}

IamResult<void> UpdateAssumeRolePolicy(Draft& draft, std::string_view account, std::string_view name,
                                       std::string_view trust) {
  ARMATURE_TRY(auto role, Edit<Role>(draft, account, name));
  ARMATURE_CHECK_OK(CheckModifiable(*role));
  ARMATURE_TRY(role->trust, MakeTrust(draft.state(), trust));
  draft.Put(RoleRef(std::move(role)));
  return {};
}

IamResult<void> DeleteRole(Draft& draft, std::string_view account, std::string_view name) {
  ARMATURE_TRY(const RoleRef role, MustFind<Role>(draft.state(), account, name));
  ARMATURE_CHECK_OK(CheckModifiable(*role));
  ARMATURE_CHECK_OK(CheckWithoutPolicies(*role));
  draft.Remove(*role);
  return {};
}

IamResult<RoleRef> CreateServiceLinkedRole(Draft& draft, std::string_view account, std::string_view service,
                                           std::string_view description, std::string_view suffix) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  ARMATURE_CHECK_OK(CheckDescription(description));
  const LinkedService* linked = nullptr;
  for (const LinkedService& known : kLinkedServices)
    if (known.service == service) linked = &known;
  if (!linked) return InvalidInput(fmt::format(messages::kNoSuchService, service));
  if (!suffix.empty()) return InvalidInput(fmt::format(messages::kSuffixNotAllowed, service));
  NewRole role;
  role.name = linked->role;
  role.path = fmt::format("/aws-service-role/{}/", service);
  role.description = description;
  if (draft.AccountOf(account).roles.Find(role.name))
    return InvalidInput(fmt::format(messages::kRoleNameTaken, role.name));
  ARMATURE_CHECK_OK(CheckNew<Role>(draft.AccountOf(account), role.name, role.path));
  const std::string trust_text = fmt::format(
      R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":{{"Service":"{}"}},"Action":"sts:AssumeRole"}}]}})",
      service);
  ARMATURE_TRY(auto trust, MakeTrust(draft.state(), trust_text));
  return PutNew(draft, account, role, std::move(trust),
                {fmt::format("arn:aws:iam::aws:policy/aws-service-role/{}", linked->policy)});
}

IamResult<void> DeleteServiceLinkedRole(Draft& draft, std::string_view account, std::string_view name) {
  ARMATURE_TRY(const RoleRef role, MustFind<Role>(draft.state(), account, name));
  if (!role->is_service_linked()) return NoSuchEntity(fmt::format(messages::kNotFound, "role", name));
  draft.Remove(*role);
  return {};
}

}  // namespace armature::iam
