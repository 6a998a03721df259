// AcceptAnyVerifier: believes everyone, as developers expect of a database on their own loopback. Only fit for that.
//
// Whoever signs is the root of the server's one account; or, as DynamoDB Local has it, every access key id is the root
// of an account of its own.
#pragma once

#include <string_view>

#include "auth/verifier.h"

namespace armature::auth {

enum class KeyAccounts {
  kOneForAll,
  kOneEach,
};

class AcceptAnyVerifier final : public Verifier {
 public:
  explicit AcceptAnyVerifier(std::string_view account, KeyAccounts accounts = KeyAccounts::kOneForAll);

  AuthResult<Verified> Verify(const net::HttpRequest& request, const Expected& expected, Arena& arena) const override;

 private:
  const Identity root_;
  const KeyAccounts accounts_;
};

// The account that stands for an access key id: the id itself if it has an account's form, else twelve digits made of
// it. Tables are stored under it, so it must never change.
std::string_view AccountOfKey(std::string_view access_key_id, Arena& arena);

}  // namespace armature::auth
