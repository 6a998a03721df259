#include "arena/client.h"

#include <utility>

namespace armature::arena {

namespace {
constexpr int kRepetitions = 3;

bool IsLost(const Reply& reply) { return reply.status == 0 || reply.status >= 500; }
}  // namespace

Task<void> Client::Run() {
  bool goes_on = true;
  while (goes_on && board_.TakeTurn()) goes_on = co_await Step();
}

Task<bool> Client::Step() {
  Request request = maker_.Next();
  ++calls_[request.target];
  const Time invoked = transport_.Now();
  Reply reply = co_await transport_.Call(request.target, request.body);
  bool is_connected = true;
  if (reply.status == 0) is_connected = co_await transport_.Reconnect();
  for (int i = 0; i < kRepetitions && request.may_repeat && IsLost(reply) && is_connected; ++i) {
    reply = co_await transport_.Call(request.target, request.body);
    if (reply.status == 0) is_connected = co_await transport_.Reconnect();
  }
  if (reply.status == 500 && internal_error_.empty()) internal_error_ = request.body + " answered " + reply.body;
  if (!answers_.Read(request, reply)) {
    problem_ = answers_.problem();
    board_.Stop();
    co_return false;
  }
  TakeDown(request, invoked, transport_.Now());
  co_return is_connected;
}

void Client::TakeDown(Request& request, Time invoked, Time returned) {
  for (Operation& operation : request.operations) {
    operation.process = process_;
    operation.is_stale_read = request.is_eventual && staleness_ > 0;
    operation.invoked = operation.is_stale_read ? invoked - staleness_ : invoked;
    operation.returned = returned;
    for (const Access& access : operation.accesses) {
      if (access.after.kind == Sighting::Kind::kWhole) board_.Saw(access.key, access.after.state.version);
      else if (operation.outcome == Outcome::kOk && access.id != 0) board_.Saw(access.key, access.id);
      else if (access.before.kind == Sighting::Kind::kWhole) board_.Saw(access.key, access.before.state.version);
    }
    told_.push_back({std::move(operation), transport_.life()});
  }
}

}  // namespace armature::arena
