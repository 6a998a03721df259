// One blocking connection for everything outside the measured window: making the table, probing, reading back.
//
// Owns its socket and reconnects once if the server closed it. Not thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/bench/http/response_parser.h"
#include "cli/bench/http/sigv4_signer.h"
#include "cli/bench/socket.h"
#include "cli/bench/workload.h"

namespace armature::cli::bench {

class ControlClient {
 public:
  explicit ControlClient(const Options& options);

  // The answer, whatever its status; its body stays valid until the next call.
  Result<Answer> Call(std::string_view target, std::string_view body);

 private:
  Result<Answer> TryCall();
  Result<void> Send();

  Endpoint endpoint_;
  SigV4Signer signer_;
  Socket socket_;
  ResponseParser parser_;
  std::string request_;
};

}  // namespace armature::cli::bench
