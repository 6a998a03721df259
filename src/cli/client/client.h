// Client: DynamoDB operations of one endpoint, signed, as JSON.
//
// Owns the HTTP client and the credentials. A call blocks; a stop request ends it. Errors of the service keep their
// type, so that callers can show it; texts are shown, never branched on. Used by the commands, each from one thread.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "auth/request_signer.h"
#include "base/http_client.h"
#include "base/result.h"
#include "cli/client/endpoint.h"

namespace armature::cli {

// What went wrong with a call: the service said no (type is its name), or there was no answer (type is empty).
struct CallError {
  std::string type;
  std::string message;
  std::vector<std::string> details;  // one line per reason of a cancelled transaction

  std::string Text() const { return type.empty() || message.empty() ? type + message : type + ": " + message; }
};

// A reply: the document lives as long as its parser.
struct Reply {
  std::unique_ptr<simdjson::dom::parser> parser;
  simdjson::dom::element root;
};

class Client {
 public:
  explicit Client(const Endpoint& endpoint);

  // An operation of another service than DynamoDB's is named with its prefix: "DynamoDBStreams_20120810.GetRecords".
  Result<Reply, CallError> Call(std::string_view operation, std::string_view body, const std::stop_token& stop = {});

 private:
  HttpClient http_;
  HttpClientRequest request_;
  const auth::SigningIdentity identity_;
  const std::string region_;
};

}  // namespace armature::cli
