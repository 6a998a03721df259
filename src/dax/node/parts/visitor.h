// Visitor: whom a connection belongs to, for as long as his signature is believed.
//
// A client signs once and then asks for minutes. What he sent is kept and shown to the verifier again when something
// has changed in keys or policies, and now and then because sessions and signatures end: so a key that is taken away, a
// policy, or the first principal of a server that believed everybody, counts with the next request of every connection,
// as it does by HTTP. Of who is not believed nothing is kept but the name of his key. Belongs to a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "auth/auth_fault.h"
#include "base/memory/arena.h"
#include "dax/node/parts/sign_in.h"
#include "dax/translate/parsed_request.h"

namespace armature::dax {

// Who looks at signatures, and when.
class Doorkeeper {
 public:
  virtual ~Doorkeeper() = default;
  virtual auth::AuthResult<SignedIn> SignIn(const ParsedRequest& request, Arena& arena) const = 0;
  virtual uint64_t generation() const = 0;  // auth::Verifier's
  virtual int64_t NowMillis() const = 0;
};

class Visitor {
 public:
  // After so long a signature is looked at again although nothing has changed.
  static constexpr int64_t kLookAgainMillis = 10'000;
  // What is longer than any signature and token of ours is not kept, and so not believed.
  static constexpr size_t kMostBytes = 32 * 1024;

  // An authorizeConnection has come.
  void Take(const ParsedRequest& request, const Doorkeeper& door, Arena& arena);
  // Whose the next request is; null: nobody's.
  std::shared_ptr<const SignedIn> Look(const Doorkeeper& door, Arena& arena);
  // Why it is nobody's; none: nobody has signed.
  const std::optional<auth::AuthFault>& fault() const { return fault_; }
  // With which key the last signature came, or a part of what is too long for one.
  std::string_view claimed_key_id() const { return claimed_key_id_; }
  // He was believed once, or not refused for good: another signature of his may be.
  bool may_sign_again() const { return may_sign_again_; }

  size_t HeldBytes() const;

 private:
  // What authorizeConnection had in it.
  struct Signature {
    std::string access_key_id, signature, string_to_sign, session_token, user_agent;
    ParsedRequest AsRequest() const;
    size_t bytes() const;
  };

  void Judge(const ParsedRequest& request, const Doorkeeper& door, Arena& arena);

  static constexpr size_t kMostKeyIdBytes = 128;

  std::optional<Signature> shown_;
  std::string claimed_key_id_;
  std::shared_ptr<const SignedIn> caller_;
  std::optional<auth::AuthFault> fault_;
  bool may_sign_again_ = true;
  uint64_t generation_ = 0;  // of the verifier, when it looked last
  int64_t looked_at_millis_ = 0;
};

}  // namespace armature::dax
