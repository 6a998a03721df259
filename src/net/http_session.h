// HttpSession: one client's HTTP/1.1 conversation over a transport, on the server's side.
//
// Parses, hands one request at a time to the handler, renders answers in order. Requests are views of the transport's
// input and stay there until they are answered. Framing, 100-continue, pipelining, keep-alive and the answers that net/
// gives by itself are here; sockets, time and memory accounts are the transport's. Belongs to its reactor's thread;
// talks to the handler and to nothing else above net/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/async.h"
#include "net/http_protocol.h"
#include "net/transport/session.h"
#include "net/transport/transport.h"

namespace armature::net {

class HttpSession final : public Session {
 public:
  HttpSession(HttpContext& context, Transport& transport) : context_(context), transport_(transport) {}
  ~HttpSession() override { ReleaseExchange(); }

  Progress OnInput() override;
  size_t MaxInputBytes() const override;
  size_t HeldBytes() const override;
  void OnSent() override { ReleaseExchange(); }
  void OnGivenUp(GiveUp why) override;

 private:
  enum class Phase : uint8_t {
    kHead,    // between requests, or a head is incomplete
    kBody,    // the head is known, the body is incomplete
    kAnswer,  // a request is with the handler
  };

  Progress TakeHead();
  Progress TakeBody();
  Progress TakeChunks();
  // Answers with an error of our own and stops reading.
  Progress Fail(int status);

  // A whole request is here: hands it up, unless too many large ones are being executed.
  Progress HandUp(size_t request_bytes);
  bool MayHandUp(size_t request_bytes) const;
  Progress Dispatch(size_t request_bytes);
  async_detail::Detached RunHandler();
  void OnHandlerDone();
  void Answer();
  void AnswerShed();
  void FinishRequest(bool keep_alive);
  void RenderOwn(int status, bool keep_alive, bool is_head);

  void TakeExchange();
  void ReleaseExchange();

  HttpContext& context_;
  Transport& transport_;
  Phase phase_ = Phase::kHead;
  bool is_starting_handler_ = false;
  bool handler_failed_ = false;
  Exchange* exchange_ = nullptr;
  std::unique_ptr<ConnectionNote> note_;
  Framing framing_;
  ChunkedDecoder chunks_;
  size_t head_seen_ = 0;      // bytes of an incomplete head already looked at
  size_t body_bytes_ = 0;     // decoded so far, of a chunked body
  size_t request_bytes_ = 0;  // of the request in flight, in the input
};

}  // namespace armature::net
