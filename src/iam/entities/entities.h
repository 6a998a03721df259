// What IAM knows of: accounts, users, groups, roles, managed policies, providers of identities.
//
// Values without behaviour: once one is part of the state (iam/state) it is never changed, a change makes another. An
// entity holds what is its own to hold: a user its keys, groups and policies, not a group its members, so that a
// relation stands in one record. Others are named by what never changes: groups by their id, policies by their ARN.
// Names are unique without regard to case, per account and kind. Times are milliseconds since the epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "iam/entities/iam_error.h"
#include "policy/bound_principals.h"
#include "policy/policy.h"

namespace armature::iam {

struct Tag {
  std::string key;
  std::string value;
  bool operator==(const Tag&) const = default;
};
using Tags = std::vector<Tag>;

using policy::BoundPrincipals;

// A policy's text as it was given, and what it means.
struct Document {
  std::string text;
  std::shared_ptr<const policy::Policy> compiled;
  // Whom its Principals mean, for good: somebody who is given the same name later is not meant.
  BoundPrincipals principals{};
  size_t counted_size = 0;  // characters without white space
};
using DocumentRef = std::shared_ptr<const Document>;
// MalformedPolicyDocument, in AWS's words. A policy that names principals has them looked up in the directory.
IamResult<DocumentRef> MakeDocument(std::string_view text, policy::PolicyKind kind);
IamResult<DocumentRef> MakeDocument(std::string_view text, policy::PolicyKind kind,
                                    const policy::PrincipalDirectory& directory);
// The same again from a stored record: they mean whom they meant.
IamResult<DocumentRef> MakeDocument(std::string_view text, policy::PolicyKind kind, BoundPrincipals principals);

struct InlinePolicy {
  std::string name;
  DocumentRef document;
};

struct AccessKey {
  std::string id;
  std::string secret;  // in the clear: never printed, and stored sealed (iam/store)
  bool is_active = true;
  int64_t created_millis = 0;
};

struct Entity {
  std::string account;
  std::string id;
  std::string name;
  std::string path = "/";
  int64_t created_millis = 0;
  Tags tags{};  // groups have none
};

// Who holds policies of its own.
struct Holder : Entity {
  std::vector<InlinePolicy> inline_policies{};  // by name
  std::vector<std::string> attached{};          // ARNs, in the order in which they were attached
  std::string boundary{};                       // the ARN of a managed policy; empty: none. Groups have none
};

struct User : Holder {
  std::vector<std::string> groups{};  // ids
  std::vector<AccessKey> access_keys{};
};

struct Group : Holder {};

struct Role : Holder {
  DocumentRef trust{};
  std::string description{};
  int64_t max_session_seconds = 3600;
  bool is_service_linked() const { return path.starts_with("/aws-service-role/"); }
};

struct PolicyVersion {
  int64_t number = 1;  // "v1"
  DocumentRef document;
  int64_t created_millis = 0;
  std::string id() const { return "v" + std::to_string(number); }
};

struct ManagedPolicy : Entity {
  std::string description{};
  std::vector<PolicyVersion> versions{};  // ascending; never empty
  int64_t default_version = 1;            // one of them
  int64_t next_version = 2;               // numbers are not used again
  int64_t updated_millis = 0;

  const PolicyVersion* FindVersion(int64_t number) const;
  const PolicyVersion& DefaultVersion() const;
};

// An OpenID Connect issuer whose tokens an account believes. Its id and name are its URL without the scheme.
struct OidcProvider : Entity {
  std::vector<std::string> client_ids{};
  std::vector<std::string> thumbprints{};
};

struct Account {
  std::string id;
  std::string alias{};
  int64_t created_millis = 0;
  std::vector<AccessKey> root_keys{};
};

using UserRef = std::shared_ptr<const User>;
using GroupRef = std::shared_ptr<const Group>;
using RoleRef = std::shared_ptr<const Role>;
using PolicyRef = std::shared_ptr<const ManagedPolicy>;
using ProviderRef = std::shared_ptr<const OidcProvider>;

std::string ArnOf(const User& user);
std::string ArnOf(const Group& group);
std::string ArnOf(const Role& role);
std::string ArnOf(const ManagedPolicy& policy);
std::string ArnOf(const OidcProvider& provider);
std::string RootArn(std::string_view account);
// Without the role's path: so AWS has it.
std::string AssumedRoleArn(const Role& role, std::string_view session_name);
std::string FederatedUserArn(std::string_view account, std::string_view name);

// "arn:aws:iam::<account>:<kind>/<path>name", taken apart. `path` has both its slashes; views into the text.
struct EntityArn {
  std::string_view account;  // "aws" of AWS's own policies
  std::string_view kind;     // "user", "group", "role", "policy", "oidc-provider"
  std::string_view path;
  std::string_view name;
};
// ValidationError: no ARN at all; InvalidInput: one of something else.
IamResult<EntityArn> ParseEntityArn(std::string_view arn);

}  // namespace armature::iam
