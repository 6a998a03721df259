// GetAccountAuthorizationDetails: everything of an account that decides who may do what, in one list of pages.
#include <algorithm>

#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

using Output = wire::iam::GetAccountAuthorizationDetailsOutput;

std::vector<wire::iam::PolicyDetail> InlineOf(const iam::Holder& holder) {
  std::vector<wire::iam::PolicyDetail> details;
  for (const iam::InlinePolicy& policy : holder.inline_policies) {
    auto& detail = details.emplace_back();
    detail.PolicyName = policy.name;
    detail.PolicyDocument = policy.document->text;
  }
  return details;
}

// The lists, one behind the other: keys ascend over all of them.
class Details {
 public:
  Details(const Call& call, const IamService& service, const wire::List<std::string_view>& filter, Page& page,
          Output& output)
      : call_(call), service_(service), filter_(filter), page_(page), output_(output) {}

  void AddUsers() {
    auto& list = output_.UserDetailList.emplace();
    if (!Shows("User")) return;
    call_.account_state().users.by_name().ForEach([&](std::string_view key, const iam::UserRef& user) {
      if (!page_.Takes(std::string("1").append(key))) return;
      auto& detail = list.emplace_back();
      FillHolder(*user, detail);
      detail.UserId = user->id;
      detail.UserName = user->name;
      detail.UserPolicyList = InlineOf(*user);
      detail.PermissionsBoundary = BoundaryOf(*user);
      detail.Tags = ReplyOf(user->tags);
      detail.GroupList.emplace();
      for (const std::string& id : user->groups)
        if (const iam::GroupRef group = call_.account_state().groups.FindById(id))
          detail.GroupList->push_back(group->name);
    });
  }

  void AddGroups() {
    auto& list = output_.GroupDetailList.emplace();
    if (!Shows("Group")) return;
    call_.account_state().groups.by_name().ForEach([&](std::string_view key, const iam::GroupRef& group) {
      if (!page_.Takes(std::string("2").append(key))) return;
      auto& detail = list.emplace_back();
      FillHolder(*group, detail);
      detail.GroupId = group->id;
      detail.GroupName = group->name;
      detail.GroupPolicyList = InlineOf(*group);
    });
  }

  void AddRoles() {
    auto& list = output_.RoleDetailList.emplace();
    if (!Shows("Role")) return;
    call_.account_state().roles.by_name().ForEach([&](std::string_view key, const iam::RoleRef& role) {
      if (!page_.Takes(std::string("3").append(key))) return;
      auto& detail = list.emplace_back();
      FillHolder(*role, detail);
      detail.RoleId = role->id;
      detail.RoleName = role->name;
      detail.RolePolicyList = InlineOf(*role);
      detail.AssumeRolePolicyDocument = role->trust->text;
      detail.InstanceProfileList.emplace();
      detail.PermissionsBoundary = BoundaryOf(*role);
      detail.RoleLastUsed = LastUseOf(*role, service_.usage);
      detail.Tags = ReplyOf(role->tags);
    });
  }

  void AddPolicies() {
    output_.Policies.emplace();
    uses_ = iam::CountPolicyUse(call_.account_state());
    if (Shows("LocalManagedPolicy"))
      call_.account_state().policies.by_name().ForEach(
          [&](std::string_view key, const iam::PolicyRef& policy) { AddPolicy("4", key, *policy); });
    // AWS's own as far as somebody has them, and all of them only if they are asked for.
    const bool has_all = std::find(filter_.begin(), filter_.end(), "AWSManagedPolicy") != filter_.end();
    if (filter_.size() == 0 || has_all)
      iam::AwsPolicies().ForEach([&](std::string_view key, const iam::PolicyRef& policy) {
        if (has_all || uses_.Find(iam::ArnOf(*policy))) AddPolicy("5", key, *policy);
      });
  }

 private:
  bool Shows(std::string_view kind) const {
    return filter_.size() == 0 || std::find(filter_.begin(), filter_.end(), kind) != filter_.end();
  }

  template <class Detail, class E>
  void FillHolder(const E& holder, Detail& detail) {
    detail.Arn = iam::ArnOf(holder);
    detail.Path = holder.path;
    detail.CreateDate = TimeOf(holder.created_millis);
    detail.AttachedManagedPolicies = AttachedTo(call_.state(), holder, "/");
  }

  void AddPolicy(std::string_view section, std::string_view key, const iam::ManagedPolicy& policy) {
    if (!page_.Takes(std::string(section).append(key))) return;
    const std::string arn = iam::ArnOf(policy);
    const iam::PolicyUse* const use = uses_.Find(arn);
    auto& detail = output_.Policies->emplace_back();
    detail.Arn = arn;
    detail.AttachmentCount = use ? static_cast<int64_t>(use->attachments) : 0;
    detail.PermissionsBoundaryUsageCount = use ? static_cast<int64_t>(use->boundaries) : 0;
    detail.CreateDate = TimeOf(policy.created_millis);
    detail.UpdateDate = TimeOf(policy.updated_millis);
    detail.DefaultVersionId = policy.DefaultVersion().id();
    if (!policy.description.empty()) detail.Description = policy.description;
    detail.IsAttachable = true;
    detail.Path = policy.path;
    detail.PolicyId = policy.id;
    detail.PolicyName = policy.name;
    detail.PolicyVersionList.emplace();
    for (size_t i = policy.versions.size(); i-- > 0;) {
      detail.PolicyVersionList->push_back(ReplyOf(policy, policy.versions[i]));
      detail.PolicyVersionList->back().Document = policy.versions[i].document->text;
    }
  }

  const Call& call_;
  const IamService& service_;
  const wire::List<std::string_view>& filter_;
  Page& page_;
  Output& output_;
  iam::CowMap<iam::PolicyUse> uses_;
};

Task<QueryResult> GetAccountAuthorizationDetails(IamService& service, QueryContext& context,
                                                 const wire::iam::GetAccountAuthorizationDetailsInput& input,
                                                 Output& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  Details details(call, service, input.Filter, page, output);
  details.AddUsers();
  details.AddGroups();
  details.AddRoles();
  details.AddPolicies();
  page.Finish(output);
  co_return QueryResult();
}

}  // namespace

void AddAuthorizationDetailOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<GetAccountAuthorizationDetails>(service);
}

}  // namespace armature::iam_api
