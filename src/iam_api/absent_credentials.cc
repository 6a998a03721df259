// What users and roles cannot have here, asked for: login profiles, MFA devices, certificates, SSH keys, credentials of
// services, instance profiles.
//
// Tools that describe or delete a user or a role ask for all of it (Terraform, clean-up scripts), and go on when there
// is none.
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"

namespace armature::iam_api {

namespace {

// Whether the caller may ask it of the user, and the user is there. The root always is.
QueryResult CheckUser(const Call& call, const wire::Opt<std::string_view>& given) {
  ARMATURE_TRY(const std::string name, call.UserOr(given));
  if (name.empty()) return call.CheckMay("*");
  ARMATURE_CHECK_OK(call.CheckMayWith<iam::User>(name));
  ARMATURE_CHECK_OK(call.Find<iam::User>(name));
  return {};
}

template <class Input, class Output>
QueryResult FinishEmpty(const Input& input, Output& output) {
  ARMATURE_TRY(const Page page, Page::Of(input));
  page.Finish(output);
  return {};
}

template <class Input, class Output>
Task<QueryResult> ListNoneOfUser(IamService& service, QueryContext& context, const Input& input, Output& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(CheckUser(call, input.UserName));
  // The model does not say that it is always there.
  if constexpr (requires { output.SSHPublicKeys; }) output.SSHPublicKeys.emplace();
  co_return FinishEmpty(input, output);
}

Task<QueryResult> ListServiceSpecificCredentials(IamService& service, QueryContext& context,
                                                 const wire::iam::ListServiceSpecificCredentialsInput& input,
                                                 wire::iam::ListServiceSpecificCredentialsOutput& output) {
  const Call call(service, context);
  const bool is_of_all = input.AllUsers.value_or(false) && !input.UserName;
  ARMATURE_CO_CHECK_OK(is_of_all ? call.CheckMay("*") : CheckUser(call, input.UserName));
  output.ServiceSpecificCredentials.emplace();
  co_return FinishEmpty(input, output);
}

Task<QueryResult> ListVirtualMFADevices(IamService& service, QueryContext& context,
                                        const wire::iam::ListVirtualMFADevicesInput& input,
                                        wire::iam::ListVirtualMFADevicesOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  co_return FinishEmpty(input, output);
}

Task<QueryResult> ListInstanceProfilesForRole(IamService& service, QueryContext& context,
                                              const wire::iam::ListInstanceProfilesForRoleInput& input,
                                              wire::iam::ListInstanceProfilesForRoleOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Role>(*input.RoleName));
  ARMATURE_CO_CHECK_OK(call.Find<iam::Role>(*input.RoleName));
  co_return FinishEmpty(input, output);
}

QueryResult NoLoginProfile(const Call& call, const wire::Opt<std::string_view>& given) {
  ARMATURE_CHECK_OK(CheckUser(call, given));
  ARMATURE_TRY(const std::string name, call.UserOr(given));
  return wire::iam::NoSuchEntity(fmt::format("Login Profile for User {} cannot be found.", name));
}

Task<QueryResult> GetLoginProfile(IamService& service, QueryContext& context,
                                  const wire::iam::GetLoginProfileInput& input, wire::iam::GetLoginProfileOutput&) {
  co_return NoLoginProfile(Call(service, context), input.UserName);
}

Task<QueryResult> DeleteLoginProfile(IamService& service, QueryContext& context,
                                     const wire::iam::DeleteLoginProfileInput& input) {
  co_return NoLoginProfile(Call(service, context), input.UserName);
}

}  // namespace

void AddAbsentCredentialOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<ListNoneOfUser<wire::iam::ListMFADevicesInput, wire::iam::ListMFADevicesOutput>>(service);
  operations.Add<ListNoneOfUser<wire::iam::ListSigningCertificatesInput, wire::iam::ListSigningCertificatesOutput>>(
      service);
  operations.Add<ListNoneOfUser<wire::iam::ListSSHPublicKeysInput, wire::iam::ListSSHPublicKeysOutput>>(service);
  operations.Add<ListServiceSpecificCredentials>(service);
  operations.Add<ListVirtualMFADevices>(service);
  operations.Add<ListInstanceProfilesForRole>(service);
  operations.Add<GetLoginProfile>(service);
  operations.Add<DeleteLoginProfile>(service);
}

}  // namespace armature::iam_api
