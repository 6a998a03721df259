// DaxCall: one request of a client on its way through a node, and what it is answered.
//
// Lives from the message's last byte until its answer is written; what was parsed points into the transport's input and
// the arena. Pooled by the protocol, one at a time for each connection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/memory/arena.h"
#include "dax/backend/backend.h"
#include "dax/node/parts/sign_in.h"
#include "dax/translate/parsed_request.h"
#include "net/transport/session.h"

namespace armature::dax {

struct DaxCall {
  Arena arena;
  ParsedRequest request;
  std::shared_ptr<const SignedIn> caller;  // null: nobody has signed in, or not rightly
  const net::Peer* peer = nullptr;
  Scope scope;                // whose tables are meant
  std::string reply;          // bytes for the client, errors included
  bool is_looked_up = false;  // the cache has been asked, and the miss counted

  void Clear() {
    arena.Reset();
    request = {};
    caller.reset();
    scope = {};
    is_looked_up = false;
    reply.clear();
    if (reply.capacity() > kKeptReplyBytes) reply.shrink_to_fit();
  }

 private:
  static constexpr size_t kKeptReplyBytes = 16 * 1024;
};

class DaxCallPool {
 public:
  DaxCallPool() { spare_.reserve(kKept); }  // so that giving one back never fails

  std::unique_ptr<DaxCall> Take() {
    if (spare_.empty()) return std::make_unique<DaxCall>();
    std::unique_ptr<DaxCall> call = std::move(spare_.back());
    spare_.pop_back();
    return call;
  }
  void Give(std::unique_ptr<DaxCall> call) {
    call->Clear();
    if (spare_.size() < kKept) spare_.push_back(std::move(call));
  }

 private:
  static constexpr size_t kKept = 64;
  std::vector<std::unique_ptr<DaxCall>> spare_;
};

}  // namespace armature::dax
