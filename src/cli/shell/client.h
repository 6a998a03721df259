// Client: DynamoDB operations of one endpoint, signed, as JSON.
//
// Owns the HTTP client and the credentials. A call blocks; Interrupt() from a signal's watcher ends it. Errors of the
// service keep their type, so that callers can show it; texts are shown, never branched on. Used by the shell from one
// thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "auth/request_signer.h"
#include "base/http_client.h"
#include "cli/shell/options.h"
#include "cli/shell/output/value.h"

namespace armature::cli::shell {

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

// One page of ExecuteStatement.
struct Page {
  std::vector<Row> rows;
  std::vector<std::string> typed_rows;  // the same as DynamoDB's JSON
  std::string next_token;
  double capacity_units = 0;
  bool has_capacity = false;
};

class Client {
 public:
  explicit Client(const Options& options);

  Result<Reply, CallError> Call(std::string_view operation, std::string_view body, const std::stop_token& stop = {});

  struct StatementRequest {
    std::string_view statement;
    std::string_view next_token;
    size_t limit = 0;  // 0: as much as the server gives in one page
    bool is_consistent = false;
  };
  Result<Page, CallError> ExecuteStatement(const StatementRequest& request, const std::stop_token& stop = {});

 private:
  HttpClient http_;
  HttpClientRequest request_;
  const auth::SigningIdentity identity_;
  const std::string region_;
};

}  // namespace armature::cli::shell
