// Gate: whom a server lets in, and what they may do: IAM's directory, and the verifier and authorizer that ask it.
//
// Stands on the Store, and asks the Tables for their policies. While there has never been a principal (a user, a role,
// an access key) everybody who signs at all is believed to be the root of the server's account; the first one shuts the
// gate for good, on every connection and without a restart (auth/verify/posture.h). Until then nothing of it costs
// anything: no key file is read or made. With believes_everybody (`armature local`) it never shuts. Load is called
// once, before anybody else is; KeepHouse by one thread at a time.
#pragma once

#include <optional>

#include "auth/accept_any.h"
#include "auth/authorizer.h"
#include "auth/limits/principal_limits.h"
#include "auth/verifier.h"
#include "auth/verify/failure_backoff.h"
#include "auth/verify/posture.h"
#include "auth/verify/signature_verifier.h"
#include "base/random.h"
#include "base/result.h"
#include "iam/access/iam_key_ring.h"
#include "iam/access/policy_authorizer.h"
#include "iam/access/table_policies.h"
#include "iam/store/directory.h"
#include "iam/store/usage.h"
#include "server/parts/options.h"
#include "server/parts/store.h"
#include "server/parts/tables.h"

namespace armature::server {

class Gate {
 public:
  Gate(const ServeOptions& options, Store& store, Tables& tables);

  // Reads what the store has and makes what --iam-file asks for. The error is one line fit for a user.
  Status Load();
  // Stores when keys were last used, about once a minute, and forgets it of those that are gone.
  void KeepHouse();
  // The same at once: nobody comes in any more.
  void Stop();

  // Whether signatures are verified at this moment.
  bool is_shut() const { return !options_.believes_everybody && posture_.is_verifying(); }
  const auth::Verifier& verifier() const;
  // For those who have many requests behind one signature: they count each by the limits, if there are any.
  const auth::Verifier& uncounted_verifier() const;
  const auth::PrincipalLimits* limits() const { return limits_ ? &*limits_ : nullptr; }
  // Null: it is never asked. Asked only on behalf of those whose signature was verified.
  const auth::Authorizer* authorizer() const { return options_.believes_everybody ? nullptr : &authorizer_; }

  // The users and roles there are, as policies name them.
  const policy::PrincipalDirectory& principals() const { return directory_; }
  iam::Directory& directory() { return directory_; }
  const iam::Directory& directory() const { return directory_; }
  iam::UsageTable& usage() { return usage_; }

 private:
  Status Seed();
  Status LoadUsage();
  void WriteUsage();

  const ServeOptions& options_;
  SecretRandom secrets_;
  iam::Directory directory_;
  iam::UsageTable usage_;
  const iam::IamKeyRing keys_;
  auth::FailureBackoff backoff_;
  const auth::AcceptAnyVerifier believing_;
  const auth::SignatureVerifier verifying_;
  const auth::PostureVerifier posture_;
  std::optional<auth::PrincipalLimits> limits_;  // before the verifier, if there are any
  const iam::TablePolicies table_policies_;
  const iam::PolicyAuthorizer authorizer_;
  int ticks_ = 0;               // of KeepHouse
  uint64_t usage_version_ = 0;  // of the directory, when what is gone from it was forgotten
};

}  // namespace armature::server
