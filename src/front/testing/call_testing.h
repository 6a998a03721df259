// Requests without a network, for tests: made as a client would send them, taken through the Pipeline.
//
// Test support only; not linked into the server.
#pragma once

#include <string>
#include <string_view>

#include "base/async.h"
#include "base/memory/arena.h"
#include "front/pipeline.h"
#include "model/api_error.h"
#include "net/http_message.h"

namespace armature::front {

// POST / of an operation, with a well-formed signature. Stays where it is: the request points into it.
class LocalRequest {
 public:
  // `target` is an operation's name, or "Service.Operation" as X-Amz-Target has it.
  LocalRequest(std::string_view target, std::string_view json, std::string_view region = "us-east-1");
  LocalRequest(const LocalRequest&) = delete;
  LocalRequest& operator=(const LocalRequest&) = delete;

  const net::HttpRequest& http() const { return request_; }

 private:
  std::string target_;
  std::string authorization_;
  std::string body_;
  net::HttpRequest request_;
};

// The reply is appended to `body`.
Task<model::ApiResult<void>> CallLocally(const Pipeline& pipeline, const net::HttpRequest& request, Arena& arena,
                                         std::string& body);

}  // namespace armature::front
