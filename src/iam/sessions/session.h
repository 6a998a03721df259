// Session: temporary credentials, all of which are in the token that their holder has.
//
// There is no table of sessions: a token is a sealed text (AES-256-GCM, under a key derived from IAM's master key) with
// the secret, who stands behind it, until when, and what was asked for. So sessions cost no storage and survive
// restarts, and nobody can make one or change one without the key. That their holder is still somebody (his role, his
// user, his key) is looked up at each use, not here. Values; the codec is immutable and thread-safe. Used by iam/access
// and by STS.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/keys/master_keys.h"
#include "base/random.h"
#include "base/result.h"
#include "iam/entities/entities.h"
#include "iam/entities/iam_error.h"

namespace armature::iam {

enum class SessionKind : uint8_t {
  kRole = 1,       // AssumeRole and its kin
  kUser = 2,       // GetSessionToken
  kFederated = 3,  // GetFederationToken
};

struct SessionTag {
  std::string key;
  std::string value;
  bool is_transitive = false;  // passes down a chain of roles
};

struct SessionClaim {
  std::string name;  // "accounts.google.com:sub"
  std::vector<std::string> values;
};

struct Session {
  SessionKind kind = SessionKind::kRole;
  std::string account;
  // Of the role, or of the user who called; empty: the account's root. The role or user made anew has another.
  std::string entity_id;
  // Of GetSessionToken and GetFederationToken: the long-term key that asked; the session ends with it.
  std::string parent_key_id{};
  std::string name{};  // RoleSessionName, the federated user's name
  int64_t issued_millis = 0;
  int64_t expires_millis = 0;
  std::optional<int64_t> mfa_millis{};
  std::vector<std::string> policies{};     // session policies, their texts
  std::vector<std::string> policy_arns{};  // managed policies that are session policies
  std::vector<SessionTag> tags{};
  std::string source_identity{};
  std::string federated_provider{};
  std::vector<SessionClaim> claims{};
  // Made with the session.
  std::string access_key_id{};
  std::string secret{};

  // Whether anything bounds what it may do.
  bool has_policies() const { return !policies.empty() || !policy_arns.empty(); }
};

// Longer tokens are never made, and never looked at.
inline constexpr size_t kMostTokenBytes = 8192;
// What policies and tags may take of a token; PackedPolicySize counts in percent of it.
inline constexpr size_t kPackedBudget = 4096;

class SessionTokens {
 public:
  explicit SessionTokens(std::shared_ptr<const MasterKeys> keys) : keys_(std::move(keys)) {}

  // Gives the session a key and a secret, and its token. PackedPolicyTooLarge.
  IamResult<std::string> Issue(Session& session, RandomSource& random) const;
  // Nothing, if it is none of ours or was tampered with. Whether it has expired is the caller's to see.
  std::optional<Session> Open(std::string_view token) const;

  // In percent, rounded up; 0 of a session without policies and tags.
  static size_t PackedPolicyPercent(const Session& session);

 private:
  const std::shared_ptr<const MasterKeys> keys_;
};

}  // namespace armature::iam
