#include "dax/node/dax_session.h"

#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/parts/error_reply.h"

namespace armature::dax {

namespace {

// Memory may be what has run out; a log line is not worth the process.
void LogFailure(const char* what) noexcept {
  try {
    LogError("a DAX request failed with an exception: {}", what);
  } catch (...) {}
}

// The node's verifier, for one who comes from there.
class NodeDoor final : public Doorkeeper {
 public:
  NodeDoor(const DaxNode& node, const net::Peer& peer) : node_(node), peer_(peer) {}
  auth::AuthResult<SignedIn> SignIn(const ParsedRequest& request, Arena& arena) const override {
    return node_.SignIn(request, peer_, arena);
  }
  uint64_t generation() const override { return node_.cluster().services().verifier.generation(); }
  int64_t NowMillis() const override { return node_.cluster().services().clock.NowMillis(); }

 private:
  const DaxNode& node_;
  const net::Peer& peer_;
};

}  // namespace

DaxSession::DaxSession(DaxContext& context, net::Transport& transport) : context_(context), transport_(transport) {
  transport_.SetIdleTimeout(net::TimerWheel::kNever);
}

DaxSession::~DaxSession() { ReleaseCall(); }

net::Session::Progress DaxSession::OnInput() {
  const Frame frame = scanner_.Scan(transport_.input().view());
  if (frame.state == FrameState::kNeedMore) return Progress::kNeedMore;
  if (frame.state == FrameState::kMalformed) return Reject(frame.reason);
  if (!scanner_.is_handshake()) return TakeMessage(frame.length);
  scanner_.Next();
  transport_.input().Consume(frame.length);
  return Progress::kTook;
}

net::Session::Progress DaxSession::TakeMessage(size_t bytes) {
  scanner_.Next();
  message_bytes_ = bytes;
  call_ = context_.calls.Take();
  auto request = ReadRequest(transport_.input().view().substr(0, bytes), call_->arena);
  if (!request) {
    AppendRefusal(request.error().message(), call_->reply);
    Answer();
    return Progress::kTook;
  }
  call_->request = *request;
  call_->peer = &transport_.peer();
  if (request->method == Method::kAuthorizeConnection) {
    visitor_.Take(*request, NodeDoor(context_.node, transport_.peer()), call_->arena);
    ReleaseCall();
    transport_.input().Consume(bytes);
    return Progress::kTook;
  }
  if (!IsAdmitted() || context_.node.AnswerAtOnce(*call_)) {
    Answer();
    return Progress::kTook;
  }
  is_starting_ = true;
  is_done_ = false;
  Run();
  is_starting_ = false;
  if (!is_done_) return Progress::kBusy;
  Answer();
  return Progress::kTook;
}

bool DaxSession::IsAdmitted() {
  call_->caller = visitor_.Look(NodeDoor(context_.node, transport_.peer()), call_->arena);
  if (!call_->caller) {
    AppendSignatureFault(visitor_.fault(), visitor_.may_sign_again(), call_->reply);
    return false;
  }
  call_->scope = context_.node.ScopeOf(*call_->caller);
  if (const auth::PrincipalLimits* const limits = context_.node.cluster().services().limits) {
    auto counted = limits->CountRequest(*call_->caller->identity);
    if (!counted) {
      AppendSignatureFault(std::move(counted).error(), /*may_sign_again=*/false, call_->reply);
      return false;
    }
  }
  if (!transport_.MustShed()) return true;
  AppendOverload(call_->reply);
  return false;
}

// The root of a request's coroutines. Whatever they throw ends here.
async_detail::Detached DaxSession::Run() {
  try {
    co_await context_.node.Answer(*call_);
  } catch (const std::exception& error) {
    has_failed_ = true;  // told where there may be no memory for that, either
    LogFailure(error.what());
  } catch (...) {
    has_failed_ = true;
    LogFailure("unknown");
  }
  is_done_ = true;
  if (!is_starting_) OnDone();
}

// A suspended request is done, on our reactor's thread. Last thing in its coroutine: `this` may go.
void DaxSession::OnDone() {
  try {
    if (transport_.is_closed()) EndCall();
    else Answer();
  } catch (const std::bad_alloc&) { transport_.Close(); }
  transport_.Resume();
}

void DaxSession::EndCall() {
  if (std::exchange(has_failed_, false)) {
    call_->reply.clear();
    AppendFailure(call_->reply);
  }
  const DaxCluster& cluster = context_.node.cluster();
  if (const CallRecorder* const recorder = cluster.services().recorder)
    RecordCall(*recorder, cluster, *call_, visitor_.claimed_key_id());
}

void DaxSession::Answer() {
  EndCall();
  net::Buffer& out = transport_.output();
  transport_.input().Consume(message_bytes_);
  if (call_->reply.size() <= out.free_bytes()) {
    out.Append(call_->reply);
    ReleaseCall();
  } else {
    transport_.SendFrom(call_->reply);  // the call stays until it is written
    call_->arena.Reset();
  }
  if (transport_.is_draining()) transport_.Finish();
}

net::Session::Progress DaxSession::Reject(std::string_view why) {
  std::string told;
  AppendRefusal(why, told);
  transport_.output().Append(told);
  transport_.Reject();
  return Progress::kStopped;
}

size_t DaxSession::HeldBytes() const {
  const size_t held = visitor_.HeldBytes();
  if (!call_) return held;
  const size_t arena = call_->arena.bytes_reserved();
  return held + (arena > Arena::kFirstBlockBytes ? arena - Arena::kFirstBlockBytes : 0) + call_->reply.capacity();
}

void DaxSession::OnGivenUp(net::GiveUp why) {
  // Who does not speak TLS where it is spoken, or was slow with a message, would not understand an answer.
  if (why == net::GiveUp::kTooLong || why == net::GiveUp::kNoRoom || why == net::GiveUp::kRefused) {
    std::string told;
    AppendOverload(told);
    transport_.output().Append(told);
  }
  ReleaseCall();
}

void DaxSession::ReleaseCall() {
  if (call_) context_.calls.Give(std::move(call_));
}

std::unique_ptr<net::Session> DaxProtocol::MakeSession(net::Transport& transport) {
  return std::make_unique<DaxSession>(context_, transport);
}

}  // namespace armature::dax
