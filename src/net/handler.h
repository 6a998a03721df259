// Handler and Exchange: the place where net/ hands a request up.
//
// Handle is called on the connection's reactor once a request is complete. If it never suspends
// it runs to its end within the call and its answer leaves in the same loop turn; if it awaits
// something it is resumed on the same reactor. One exchange belongs to one coroutine at a time;
// the exchange and all it refers to hold until that coroutine has finished, even if the client has
// gone. An exception that leaves Handle is answered with 500. Implemented by api/ (and tests).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/async.h"
#include "base/memory/arena.h"
#include "net/http_message.h"

namespace armature::net {

class Reactor;
struct Peer;

// What a handler keeps with a connection from one of its requests to the next. It goes when the connection does, on its
// reactor; so it must not point to what may go before the server.
class ConnectionNote {
 public:
  virtual ~ConnectionNote() = default;
};

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const HttpRequest& request() const { return request_; }
  HttpResponse& response() { return response_; }
  // Memory that lives as long as this exchange; emptied before the next one.
  Arena& arena() { return arena_; }
  // The loop this exchange runs on: an Executor, and the owner of timers.
  Reactor& reactor() const { return *reactor_; }
  // Memory the handler holds for this exchange elsewhere. It counts with the rest until the exchange ends.
  void set_extra_bytes(size_t bytes) { extra_bytes_ = bytes; }
  // While another thread works on the exchange its memory cannot be looked at and counts as so much. REQUIRES: called
  // on the reactor, before the exchange is handed over, and with 0 when it is back.
  void set_elsewhere_bytes(size_t bytes) { elsewhere_bytes_ = bytes; }
  // What the reply and the log call this exchange. Whoever sets it keeps the text until the exchange ends.
  std::string_view request_id() const { return request_id_; }
  void set_request_id(std::string_view id) { request_id_ = id; }
  // "127.0.0.1:54321" or "[::1]:54321"; made when asked for.
  std::string PeerAddress() const;
  // Its IP address alone, as policies compare it: one of IPv4 that came over IPv6 is of IPv4.
  std::string SourceIp() const;
  // The request came through TLS.
  bool is_secure() const;
  // The client is on this machine, as far as its address tells.
  bool is_from_loopback() const;
  // The client's address as limits count it (NetworkNumber in transport/session.h).
  uint64_t client_network() const;
  // The connection's note; null until somebody has made one.
  std::unique_ptr<ConnectionNote>& note() const { return *note_; }

 private:
  friend class HttpSession;
  HttpRequest request_;
  HttpResponse response_;
  Arena arena_;
  size_t extra_bytes_ = 0;
  size_t elsewhere_bytes_ = 0;
  std::string_view request_id_;
  Reactor* reactor_ = nullptr;
  const Peer* peer_ = nullptr;
  std::unique_ptr<ConnectionNote>* note_ = nullptr;
};

class Handler {
 public:
  virtual ~Handler() = default;
  virtual Task<void> Handle(Exchange& exchange) = 0;
};

}  // namespace armature::net
