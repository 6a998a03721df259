// Backend: the DynamoDB behind a DAX node.
//
// Takes requests of DynamoDB's public API as their JSON and gives the JSON of the reply, or the error as DynamoDB told
// it. In the server it is the pipeline, in `armature dax` an endpoint reached over HTTP. Called on reactors; an
// implementation is thread-safe and answers upon the executor it was called on.
#pragma once

#include <string>
#include <string_view>

#include "base/async.h"
#include "base/result.h"

namespace armature::dax {

// Whose tables are meant: the Region of the client's signature, and the account of its key.
struct Scope {
  std::string_view account;
  std::string_view region;
};

struct BackendError {
  std::string name{};  // "ConditionalCheckFailedException"
  std::string message{};
  int http_status = 400;
  std::string request_id{};
  std::string json{};  // the whole body: it may have CancellationReasons or an Item
  // Whether the request may have been carried out all the same: the connection broke, or nobody answered in time.
  bool is_outcome_unknown = false;
};

using BackendReply = Result<std::string, BackendError>;

class Backend {
 public:
  virtual ~Backend() = default;
  // `operation`: "GetItem". Scope and texts hold until the task is done.
  virtual Task<BackendReply> Call(std::string_view operation, std::string_view json, const Scope& scope) = 0;
};

}  // namespace armature::dax
