// Connection: the life of one client's socket, from accept to close.
//
// A state machine on its reactor's thread: receive, parse, hand one request at a time to the handler,
// write answers in order. It reads no further while a request is in flight or an answer waits for
// its reader, so a client can never make it hold more than one request and one answer (pipelined
// small answers share one buffer). What that is beyond small buffers stands in the server's memory ledger,
// which may end a connection whose client does not move (connection_memory.cc). Owns the descriptor; deletes itself
// when closed and idle. Created by the worker; talks to the handler and to nothing else above net/.
#pragma once

#include <cstdint>
#include <string_view>

#include <netinet/in.h>

#include "base/async.h"
#include "net/connection_context.h"

namespace armature::net {

class Connection final : public EventSource, private Timer, private MemoryHolder {
 public:
  // Takes the descriptor. The object is owned by itself from Open on.
  Connection(ConnectionContext& context, int fd, const sockaddr_in6& peer);
  ~Connection() override;

  // Starts watching the socket; false (and closed) if that fails.
  bool Open();
  // Tells the client 503 and closes: it came when we were full.
  void Refuse();
  // The server is stopping: closes if nothing is going on, otherwise after the current request.
  void Drain();
  // There may be memory now for what it waited for.
  void OnRoom();
  // Closes at once. Returns true if a request was in flight.
  bool Abort();

  void OnEvents(uint32_t events) override;

 private:
  friend class Worker;

  enum class Phase : uint8_t {
    kHead,     // between requests, or a head is incomplete
    kBody,     // the head is known, the body is incomplete
    kAnswer,   // a request is with the handler
    kGoodbye,  // nothing more is read; the last answer is being written
    kLinger,   // our side is shut; what still comes is thrown away so that the answer is not lost to a reset
    kClosed,
  };
  enum class Progress : uint8_t { kDispatched, kNeedMore, kStopped };

  void OnTimer(int64_t now_millis) override;
  void OnEvicted() override;

  // The engine: does all that can be done now.
  void Advance();
  void ServeBuffered();
  bool Receive();
  bool MakeRoom();
  void WaitForRoom();
  // Told by the process that memory is short, and nobody could be sent away for it.
  bool MustShed();

  Progress TakeRequest();
  Progress TakeHead();
  Progress TakeBody();
  Progress TakeChunks();
  void SendContinue();
  // Answers with an error of our own and stops reading.
  Progress Fail(int status);

  // A whole request is here: hands it up, unless too many large ones are being executed.
  Progress HandUp(size_t request_bytes);
  bool MayHandUp(size_t request_bytes);
  void Dispatch(size_t request_bytes);
  async_detail::Detached RunHandler();
  void OnHandlerDone();
  void Answer();
  void FinishRequest(bool keep_alive);

  // Writes what is pending; false if the socket is full or gone.
  bool Flush();
  void AfterGoodbye();
  void Linger();
  void Close();
  void Settle();

  bool IsIdle() const { return phase_ == Phase::kHead && in_.empty() && !HasOutput(); }
  bool HasOutput() const { return !out_.empty() || !body_pending_.empty(); }
  void ReserveOutput();
  void SetDeadline(int64_t due_millis);
  void TakeExchange();
  void ReleaseExchange();
  void ReleaseInput();
  void ReleaseOutput();
  size_t HeldBytes() const;
  void Account();

  ConnectionContext& context_;
  int fd_;
  Phase phase_ = Phase::kHead;
  bool may_read_ = true;        // the kernel may have bytes we have not taken (edge-triggered)
  bool peer_finished_ = false;  // the client has shut its side: read on until the end
  bool at_end_ = false;         // the end was read
  bool write_blocked_ = false;
  bool is_starting_handler_ = false;
  bool handler_failed_ = false;
  bool must_linger_ = false;
  bool has_partial_request_ = false;
  bool is_waiting_for_room_ = false;

  Buffer in_;
  Buffer out_;
  Exchange* exchange_ = nullptr;
  std::string_view body_pending_;  // rest of a large answer, in exchange_
  Framing framing_;
  ChunkedDecoder chunks_;
  size_t head_seen_ = 0;      // bytes of an incomplete head already looked at
  size_t body_bytes_ = 0;     // decoded so far, of a chunked body
  size_t request_bytes_ = 0;  // of the request in flight, in in_
  int64_t request_start_millis_ = 0;
  int64_t deadline_millis_ = TimerWheel::kNever;
  sockaddr_in6 peer_;

  Connection* next_ = nullptr;
  Connection* previous_ = nullptr;
};

}  // namespace armature::net
