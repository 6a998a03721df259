// The versions of managed policies: CreatePolicyVersion, GetPolicyVersion, ListPolicyVersions, DeletePolicyVersion,
// SetDefaultPolicyVersion.
#include "iam/changes/policies.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

Task<QueryResult> CreatePolicyVersion(IamService& service, QueryContext& context,
                                      const wire::iam::CreatePolicyVersionInput& input,
                                      wire::iam::CreatePolicyVersionOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithPolicy(*input.PolicyArn));
  const bool is_default = input.SetAsDefault.value_or(false);
  ARMATURE_CO_TRY(const iam::PolicyVersion version, co_await Make<iam::PolicyVersion>(service, [&](iam::Draft& draft) {
                    return iam::CreatePolicyVersion(draft, call.account(), *input.PolicyArn, *input.PolicyDocument,
                                                    is_default);
                  }));
  wire::iam::PolicyVersion& shown = output.PolicyVersion.emplace();
  shown.CreateDate = TimeOf(version.created_millis);
  shown.IsDefaultVersion = is_default;
  shown.VersionId = version.id();
  co_return QueryResult();
}

Task<QueryResult> GetPolicyVersion(IamService& service, QueryContext& context,
                                   const wire::iam::GetPolicyVersionInput& input,
                                   wire::iam::GetPolicyVersionOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithPolicy(*input.PolicyArn));
  ARMATURE_CO_TRY(const iam::PolicyRef policy,
                  iam::Told(iam::MustFindPolicy(call.state(), call.account(), *input.PolicyArn)));
  ARMATURE_CO_TRY(const iam::PolicyVersion version, iam::Told(iam::MustFindVersion(*policy, *input.VersionId)));
  output.PolicyVersion = ReplyOf(*policy, version);
  output.PolicyVersion->Document = version.document->text;
  co_return QueryResult();
}

Task<QueryResult> ListPolicyVersions(IamService& service, QueryContext& context,
                                     const wire::iam::ListPolicyVersionsInput& input,
                                     wire::iam::ListPolicyVersionsOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithPolicy(*input.PolicyArn));
  ARMATURE_CO_TRY(const iam::PolicyRef policy,
                  iam::Told(iam::MustFindPolicy(call.state(), call.account(), *input.PolicyArn)));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  output.Versions.emplace();
  // The newest first; a key that ascends meanwhile.
  for (size_t i = policy->versions.size(); i-- > 0;) {
    const iam::PolicyVersion& version = policy->versions[i];
    if (page.Takes(fmt::format("{:020}", INT64_MAX - version.number)))
      output.Versions->push_back(ReplyOf(*policy, version));
  }
  page.Finish(output);
  co_return QueryResult();
}

Task<QueryResult> DeletePolicyVersion(IamService& service, QueryContext& context,
                                      const wire::iam::DeletePolicyVersionInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithPolicy(*input.PolicyArn));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::DeletePolicyVersion(draft, call.account(), *input.PolicyArn, *input.VersionId);
  });
}

Task<QueryResult> SetDefaultPolicyVersion(IamService& service, QueryContext& context,
                                          const wire::iam::SetDefaultPolicyVersionInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithPolicy(*input.PolicyArn));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::SetDefaultPolicyVersion(draft, call.account(), *input.PolicyArn, *input.VersionId);
  });
}

}  // namespace

void AddPolicyVersionOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreatePolicyVersion>(service);
  operations.Add<GetPolicyVersion>(service);
  operations.Add<ListPolicyVersions>(service);
  operations.Add<DeletePolicyVersion>(service);
  operations.Add<SetDefaultPolicyVersion>(service);
}

}  // namespace armature::iam_api
