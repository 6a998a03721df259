// Function: where events go, whatever it is made of: a handler process or an HTTP endpoint.
//
// A FunctionSpec says what a name stands for (from the trigger file or the command line); MakeFunction makes the thing.
// Invoke blocks the calling thread until the function has answered, failed, or taken too long; as many calls run at
// once as the spec allows, the others wait their turn. Thread-safe. Used by triggers/ on threads of its own.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/http_client.h"
#include "base/result.h"

namespace armature::triggers {

struct FunctionSpec {
  std::string name;
  // Either: a program and its arguments, run as handler processes (protocol in docs/triggers.md) …
  std::vector<std::string> command;
  std::string directory;  // to run in; empty: the server's
  std::map<std::string, std::string> environment;
  // … or: an endpoint of the Lambda Invoke API.
  std::string url;

  int64_t timeout_millis = 60'000;
  int concurrency = 10;  // calls at once, and so processes
};

struct Invocation {
  bool is_ok = false;
  std::string payload;  // what the function answered: JSON, or nothing
  std::string error;    // if not ok: why, in words
};

class Function {
 public:
  virtual ~Function() = default;

  // `event` is JSON without line breaks. Once `stop` is requested a call under way has a few seconds left.
  virtual Invocation Invoke(std::string_view event, const std::stop_token& stop) = 0;

  // Ends what is idle, and everything once the last call is over. No call may follow.
  virtual void Close() {}
};

// `http` must outlive the function.
std::unique_ptr<Function> MakeFunction(FunctionSpec spec, HttpClient& http);

// Where an endpoint's Invoke API is: its URL, with the path of the API if it has none yet.
std::string InvokeUrl(std::string_view url, std::string_view function_name);

// Whether an answer's text is that of a function that failed: {"errorMessage": …} or {"errorType": …}. Then the reason.
Result<std::string> ErrorInAnswer(std::string_view payload);

// How long a call may go on once the server is to stop.
inline constexpr int64_t kStopGraceMillis = 3000;

}  // namespace armature::triggers
