// PeerAddress: the client of an exchange, for whoever counts failures by address or asks policies. Used inside front/.
#pragma once

#include <string>

#include "auth/verifier.h"
#include "net/handler.h"

namespace armature::front {

class PeerAddress final : public auth::ClientAddress {
 public:
  // The exchange must outlive it.
  explicit PeerAddress(const net::Exchange& exchange) : exchange_(exchange) {}

  std::string Text() const override { return exchange_.SourceIp(); }

 private:
  const net::Exchange& exchange_;
};

}  // namespace armature::front
