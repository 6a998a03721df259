// DaxSession: one client's conversation with a node.
//
// A greeting, then requests one after the other, each answered before the next is looked at. Nothing frames them:
// FrameScanner finds where one ends. authorizeConnection is never answered: a signature that is not believed is the
// answer of the request behind it. Idle connections stay open for ever, since Amazon's clients never recover from one
// that is closed in their pool. Belongs to its reactor's thread. Knows what a message is, not what it does: that is the
// node's.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/async.h"
#include "dax/codec/frame.h"
#include "dax/node/dax_node.h"
#include "dax/node/parts/dax_call.h"
#include "dax/node/parts/visitor.h"
#include "net/transport/session.h"
#include "net/transport/transport.h"

namespace armature::dax {

// What the sessions of one reactor share.
struct DaxContext {
  DaxNode& node;
  DaxCallPool calls{};
};

class DaxSession final : public net::Session {
 public:
  DaxSession(DaxContext& context, net::Transport& transport);
  ~DaxSession() override;

  Progress OnInput() override;
  size_t MaxInputBytes() const override { return kMostMessageBytes; }
  size_t HeldBytes() const override;
  void OnSent() override { ReleaseCall(); }
  void OnGivenUp(net::GiveUp why) override;

 private:
  // A BatchWriteItem of 16 MB, and room for how it is written.
  static constexpr size_t kMostMessageBytes = size_t{24} << 20;

  Progress TakeMessage(size_t bytes);
  // Whether the request may be looked at; otherwise its answer is made.
  bool IsAdmitted();
  async_detail::Detached Run();
  void OnDone();
  // Its answer is made: it is told to who records calls.
  void EndCall();
  void Answer();
  // The client is told, and closed: nobody knows where its next message begins.
  Progress Reject(std::string_view why);
  void ReleaseCall();

  DaxContext& context_;
  net::Transport& transport_;
  FrameScanner scanner_{kMostMessageBytes};
  Visitor visitor_;
  std::unique_ptr<DaxCall> call_;  // being worked on, or its answer being written
  size_t message_bytes_ = 0;       // of it, in the input
  bool is_starting_ = false;
  bool is_done_ = false;
  bool has_failed_ = false;  // by an exception
};

class DaxProtocol final : public net::Protocol {
 public:
  explicit DaxProtocol(DaxNode& node) : context_{node} {}
  std::unique_ptr<net::Session> MakeSession(net::Transport& transport) override;

 private:
  DaxContext context_;
};

}  // namespace armature::dax
