// Identity: who somebody is, with all that policies may ask of him.
//
// What a key of the KeyRing stands for: the root of an account, an IAM user, a session of a role or of a federated
// user. Immutable once published and shared by all requests that come on its behalf, so that a Principal is made of
// views into it. Filled in by whoever keeps principals (iam/, and AcceptAnyVerifier for its roots); read by policies,
// STS and the audit. Knows nothing of keys or secrets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::auth {

enum class PrincipalKind : uint8_t {
  kRoot,
  kUser,  // an IAM user, and his GetSessionToken sessions
  kAssumedRole,
  kFederatedUser,
};

// As aws:PrincipalType has it.
constexpr std::string_view PrincipalTypeName(PrincipalKind kind) {
  switch (kind) {
    case PrincipalKind::kRoot: return "Account";
    case PrincipalKind::kUser: return "User";
    case PrincipalKind::kAssumedRole: return "AssumedRole";
    case PrincipalKind::kFederatedUser: return "FederatedUser";
  }
  return "";
}

struct IdentityTag {
  std::string key;
  std::string value;
};

// One key that an identity provider vouches for: "accounts.google.com:sub" and its value, or values.
struct FederationKey {
  std::string name;
  std::vector<std::string> values;
};

// What temporary credentials were made with.
struct SessionFacts {
  std::string name;                      // RoleSessionName, or the federated user's name; empty: GetSessionToken
  int64_t issued_at_millis = 0;          // aws:TokenIssueTime
  std::optional<int64_t> mfa_at_millis;  // aws:MultiFactorAuthPresent and …Age; none: not present
  std::string source_identity;           // aws:SourceIdentity; empty: none
  std::string federated_provider;        // aws:FederatedProvider; empty: none
  std::vector<FederationKey> federation_keys;
  std::vector<std::string> transitive_tag_keys;  // which of the tags pass down a chain of roles
};

// What the keeper of principals has compiled for an identity (its policies, boundary, session policies). Only the
// Authorizer that belongs to that keeper looks inside.
class PolicySet {
 public:
  virtual ~PolicySet() = default;
};

struct Identity {
  PrincipalKind kind = PrincipalKind::kRoot;
  std::string account;  // twelve digits
  // Who calls, as denials and GetCallerIdentity tell it: of a session the session's ARN, without the role's path.
  std::string arn;
  // aws:PrincipalArn: of a role's session the role's ARN with its path, else `arn`.
  std::string principal_arn;
  // The IAM entity that a session stands for, and its unique id (AIDA…, AROA…): the role, the user who called
  // GetSessionToken or GetFederationToken; of a user himself, his own. Empty id: the root.
  std::string entity_arn;
  std::string entity_id;
  std::string user_id;                  // aws:userid: "AIDA…", "AROA…:session", "123456789012:name", "123456789012"
  std::string user_name;                // aws:username: users and their GetSessionToken sessions; else empty
  std::vector<IdentityTag> tags;        // aws:PrincipalTag: the entity's, overlaid by the session's; each key once
  std::optional<SessionFacts> session;  // of temporary credentials only
  std::shared_ptr<const PolicySet> policies;
};

// The root of an account.
inline Identity RootIdentity(std::string_view account) {
  Identity root;
  root.account = account;
  root.arn.append("arn:aws:iam::").append(account).append(":root");
  root.principal_arn = root.entity_arn = root.arn;
  root.user_id = account;
  return root;
}

}  // namespace armature::auth
