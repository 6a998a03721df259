// Transport: the life of one socket, from accept or connect to close, whatever is spoken over it.
//
// A state machine on its reactor's thread: receives, lets its Session take messages, writes what the session put to the
// output. It reads no further while the session is busy or output waits for its reader, so that a peer can never make
// it hold more than a message and an answer (small answers share one buffer). What that is beyond small buffers stands
// in the memory ledger, which may end a transport whose peer does not move (transport_memory.cc). Timeouts, draining
// and the lingering close are the same for all protocols. Bytes enter and leave the socket in ReadSome and WriteSome
// only: that is where TLS stands (transport_tls.cc), if there is any. Owns the descriptor, its TLS and the session;
// deletes itself when closed and not busy.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <sys/types.h>

#include "net/transport/session.h"
#include "net/transport/transport_context.h"

namespace armature::net {

class TlsStream;

class Transport final : public EventSource, private Timer, private MemoryHolder {
 public:
  enum class Link : uint8_t {
    kAccepted,
    kConnecting,  // connect(2) is under way; and the peer's answer is read although a request is not all written
  };

  // Takes the descriptor, which does not block. The object is owned by itself from Open on.
  Transport(TransportContext& context, int fd, const sockaddr_in6& peer);
  ~Transport() override;

  // --- For whoever made it

  // Starts watching the socket; false (and closed) if that fails.
  bool Open(std::unique_ptr<Session> session, Link link = Link::kAccepted);
  // The same for one whose bytes pass through TLS: the session hears nothing before the handshake is done.
  bool OpenTls(std::unique_ptr<Session> session, std::unique_ptr<TlsStream> tls, Link link = Link::kAccepted);
  // The peer came when there were too many: it is told so, and closed.
  void Refuse();
  // The server is stopping: closes if nothing is going on, otherwise after the current message.
  void Drain();
  // There may be memory now for what it waited for.
  void OnRoom();
  // Closes at once. Returns true if the session was busy.
  bool Abort();
  // The next in the list of open ones.
  Transport* next() const { return next_; }

  // --- For its session

  // What has come and was not taken; behind it Buffer::kPaddingBytes may be read. Empty: may hold no memory at all.
  Buffer& input() { return in_; }
  // What is to be written.
  Buffer& output() {
    if (!out_.allocated()) out_ = context_.buffers.Take();
    return out_;
  }
  // Behind the output `bytes` are written from where they lie, which must hold until Session::OnSent or OnClosed.
  // REQUIRES: not empty; nothing else is being sent this way.
  void SendFrom(std::string_view bytes);
  // The session is not busy any more; last thing it does, as it may be gone afterwards. REQUIRES: kBusy was returned.
  void Resume();
  // Writes the output from outside of the calls to the session.
  void Advance();
  // Everything has been said: behind the output the connection is closed, so that a peer that still sends can read it.
  void Finish();
  // The same, and what has come is not looked at any more.
  void Reject();
  void Close(int error = 0);
  // The session may go on when there is more memory: OnInput is called again then.
  void WaitForRoom();
  // Memory is short in the process, and nobody could be sent away for it.
  bool MustShed();
  // Instead of the limit: for how long it may be idle.
  void SetIdleTimeout(int64_t millis) { idle_timeout_millis_ = millis; }

  Reactor& reactor() const { return context_.reactor; }
  const MemoryLedger& memory() const { return context_.memory; }
  int64_t now_millis() const { return context_.reactor.now_millis(); }
  const Peer& peer() const { return peer_; }
  bool is_draining() const { return context_.is_draining; }
  bool is_closed() const { return fd_ < 0; }
  // Why TLS could not be agreed upon with whom we connected to; empty: something else has happened.
  std::string_view tls_problem() const;
  bool HasOutput() const { return !out_.empty() || !lent_.empty(); }
  // Bytes have come that were not taken, or the end of them.
  bool MayHaveMore() const { return may_read_ || at_end_ || !in_.empty(); }

  void OnEvents(uint32_t events) override;

 private:
  enum class State : uint8_t {
    kClosed,
    kConnecting,
    kHandshake,  // TLS itself has something to say or to hear; all before kOpen means: nothing for the session
    kOpen,
    kGoodbye,  // nothing more is read; the last output is being written
    kLinger,   // our side is shut; what still comes is thrown away so that the answer is not lost to a reset
  };

  void OnTimer(int64_t now_millis) override;
  void OnEvicted() override;
  void OnLinkEvents(uint32_t events);
  void OnConnectEvents(uint32_t events);
  void AnnounceConnection();

  void AdvanceUnguarded();
  void TakeInput();
  bool Receive();
  ssize_t ReadSome(char* to, size_t room);
  ssize_t WriteSome();
  bool Watch();
  // Writes what is pending; false if the socket is full or gone.
  bool Flush();
  bool OnWriteError(int error);
  void AfterGoodbye();
  void Linger();
  void Dismiss(GiveUp why);
  void Settle();
  void SetDeadline(int64_t due_millis);

  // The peer must read before anything else happens.
  bool IsHeldUp() const { return write_blocked_ && !is_full_duplex_; }
  bool IsIdle() const { return state_ == State::kOpen && in_.empty() && !HasOutput(); }

  void BeginHandshake();
  void OnHandshakeEvents(uint32_t events);
  void AdvanceHandshake();
  void OnHandshakeTimer();
  ssize_t ReadTls(char* to, size_t room);
  ssize_t WriteTls();

  bool MakeRoom();
  void ReleaseInput();
  void ReleaseOutput();
  size_t HeldBytes() const;
  void Account();

  TransportContext& context_;
  int fd_;
  State state_ = State::kOpen;
  bool may_read_ = true;        // the kernel may have bytes we have not taken (edge-triggered)
  bool peer_finished_ = false;  // the peer has shut its side: read on until the end
  bool at_end_ = false;         // the end was read
  bool write_blocked_ = false;
  bool is_busy_ = false;
  bool is_full_duplex_ = false;
  bool is_connecting_ = false;  // the session has not been told that it is connected
  bool is_lending_ = false;     // lent_ is not written yet, or OnSent not called
  bool must_linger_ = false;
  bool has_partial_message_ = false;
  bool is_waiting_for_room_ = false;
  bool is_refused_ = false;  // to be said once the handshake is done

  Buffer in_;
  Buffer out_;
  std::string_view lent_;  // rest of what is written from the session's memory
  std::unique_ptr<Session> session_;
  int64_t idle_timeout_millis_;
  int64_t message_start_millis_ = 0;
  int64_t deadline_millis_ = TimerWheel::kNever;
  Peer peer_;
  std::unique_ptr<TlsStream> tls_;  // null: what is written is what is sent

  Transport* next_ = nullptr;
  Transport* previous_ = nullptr;
};

}  // namespace armature::net
