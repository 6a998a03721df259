// HttpClient: one HTTP or HTTPS request at a time per calling thread, blocking, on libcurl.
//
// For background threads and command-line tools; never on a reactor. Thread-safe: each call takes a session of its own
// from a pool, so connections are kept and reused, and as many requests run at once as threads call. libcurl and the
// twenty libraries behind it are loaded at the first request, not at program start: linked, they cost every start 3 ms
// and 4 MiB. Knows nothing of AWS; a reply with an error status is a reply, not a failure.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace armature {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpClientRequest {
  std::string method = "POST";
  std::string url;
  std::vector<HttpHeader> headers;  // without Content-Length; Host is the URL's if there is none
  std::string_view body;            // must live until Send returns
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds timeout{30000};      // of the whole exchange
  size_t max_response_bytes = size_t{64} << 20;  // a longer body fails the request
  std::string ca_file;                           // certificates to trust, PEM; empty: the system's
};

struct HttpClientResponse {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;

  // The first header of that name, whatever its case; empty when there is none.
  std::string_view Header(std::string_view name) const;
};

class HttpClient {
 public:
  HttpClient();
  ~HttpClient();  // REQUIRES: no call is under way
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // kInvalidArgument: the URL or a header is malformed. kUnavailable: no answer (refused, timed out, stopped, name not
  // known, libcurl absent). kIoError: an answer that is not HTTP, is too long, or ends early. A request that failed
  // after it was sent may have been carried out. A stop request ends the call at once.
  Result<HttpClientResponse> Send(const HttpClientRequest& request, const std::stop_token& stop = {});

 private:
  class Session;
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace armature
