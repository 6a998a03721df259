#include "iam/entities/entities.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "iam/entities/messages.h"
#include "model/names/arn.h"

namespace armature::iam {

namespace {

std::string EntityArnOf(std::string_view kind, const Entity& entity) {
  return model::MakeArn("iam", {}, entity.account, fmt::format("{}{}{}", kind, entity.path, entity.name));
}

bool IsWhiteSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

IamResult<DocumentRef> Finish(std::string_view text, Result<std::shared_ptr<const policy::Policy>> compiled,
                              BoundPrincipals principals) {
  if (!compiled) return MalformedPolicyDocument(compiled.error().message());
  auto document = std::make_shared<Document>();
  document->text = text;
  document->compiled = std::move(*compiled);
  document->principals = std::move(principals);
  document->counted_size =
      static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !IsWhiteSpace(c); }));
  return DocumentRef(std::move(document));
}

}  // namespace

IamResult<DocumentRef> MakeDocument(std::string_view text, policy::PolicyKind kind) {
  return Finish(text, policy::Parse(text, kind), {});
}

IamResult<DocumentRef> MakeDocument(std::string_view text, policy::PolicyKind kind,
                                    const policy::PrincipalDirectory& directory) {
  BoundPrincipals found;
  auto compiled = policy::Parse(text, kind, policy::NotingDirectory(directory, found));
  return Finish(text, std::move(compiled), std::move(found));
}

IamResult<DocumentRef> MakeDocument(std::string_view text, policy::PolicyKind kind, BoundPrincipals principals) {
  auto compiled = policy::Parse(text, kind, policy::StoredDirectory(principals));
  return Finish(text, std::move(compiled), std::move(principals));
}

const PolicyVersion* ManagedPolicy::FindVersion(int64_t number) const {
  const auto found =
      std::find_if(versions.begin(), versions.end(), [&](const auto& version) { return version.number == number; });
  return found == versions.end() ? nullptr : &*found;
}

const PolicyVersion& ManagedPolicy::DefaultVersion() const {
  const PolicyVersion* const version = FindVersion(default_version);
  assert(version);
  return *version;
}

std::string ArnOf(const User& user) { return EntityArnOf("user", user); }
std::string ArnOf(const Group& group) { return EntityArnOf("group", group); }
std::string ArnOf(const Role& role) { return EntityArnOf("role", role); }
std::string ArnOf(const ManagedPolicy& policy) { return EntityArnOf("policy", policy); }
std::string ArnOf(const OidcProvider& provider) { return EntityArnOf("oidc-provider", provider); }
std::string RootArn(std::string_view account) { return model::MakeArn("iam", {}, account, "root"); }

std::string AssumedRoleArn(const Role& role, std::string_view session_name) {
  return model::MakeArn("sts", {}, role.account, fmt::format("assumed-role/{}/{}", role.name, session_name));
}

std::string FederatedUserArn(std::string_view account, std::string_view name) {
  return model::MakeArn("sts", {}, account, fmt::format("federated-user/{}", name));
}

IamResult<EntityArn> ParseEntityArn(std::string_view text) {
  const auto arn = model::ParseArn(text);
  if (!arn) return ValidationError(messages::kArnUnparsable);
  const size_t slash = arn->resource.find('/');
  if (arn->service != "iam" || !arn->region.empty() || arn->account.empty() || slash == std::string_view::npos)
    return InvalidInput(fmt::format(messages::kArnInvalid, text));
  EntityArn entity;
  entity.account = arn->account;
  entity.kind = arn->resource.substr(0, slash);
  const size_t name = entity.kind == "oidc-provider" ? slash + 1 : arn->resource.rfind('/') + 1;
  entity.path = arn->resource.substr(slash, name - slash);
  entity.name = arn->resource.substr(name);
  if (entity.name.empty()) return InvalidInput(fmt::format(messages::kArnInvalid, text));
  return entity;
}

}  // namespace armature::iam
