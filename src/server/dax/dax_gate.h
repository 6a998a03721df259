// DaxGate: whom nodes in front of an endpoint let in, and what they may do there.
//
// As Gate for a server, but with no store behind it: IAM's directory lives in memory and has what --iam-file names.
// Without a principal everybody who signs at all is believed. Open is called once, on the main thread.
#pragma once

#include <memory>

#include "auth/accept_any.h"
#include "auth/authorizer.h"
#include "auth/verifier.h"
#include "auth/verify/failure_backoff.h"
#include "auth/verify/posture.h"
#include "auth/verify/signature_verifier.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "iam/access/iam_key_ring.h"
#include "iam/access/policy_authorizer.h"
#include "iam/store/directory.h"
#include "iam/store/usage.h"
#include "server/dax/dax_options.h"
#include "storage/engine.h"

namespace armature::server {

class DaxGate {
 public:
  // The error is one line fit for a user. The clock and the metrics must outlive it.
  static Result<std::unique_ptr<DaxGate>> Open(const DaxOptions& options, const Clock& clock, Metrics& metrics);
  ~DaxGate();

  const auth::Verifier& verifier() const { return posture_; }
  // Asked only on behalf of those whose signature was verified.
  const auth::Authorizer& authorizer() const { return authorizer_; }
  bool is_shut() const { return posture_.is_verifying(); }

 private:
  DaxGate(const DaxOptions& options, const Clock& clock, Metrics& metrics);
  Status Load(const DaxOptions& options);

  SecretRandom secrets_;
  const std::unique_ptr<storage::Engine> engine_;
  iam::Directory directory_;
  iam::UsageTable usage_;
  const iam::IamKeyRing keys_;
  auth::FailureBackoff backoff_;
  const auth::AcceptAnyVerifier believing_;
  const auth::SignatureVerifier verifying_;
  const auth::PostureVerifier posture_;
  const iam::PolicyAuthorizer authorizer_{nullptr};
};

}  // namespace armature::server
