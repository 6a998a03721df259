// HttpWire: requests as SDKs send them, signed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/bench/http/response_parser.h"
#include "cli/bench/http/sigv4_signer.h"
#include "cli/bench/options.h"
#include "cli/bench/wire.h"

namespace armature::cli::bench {

class HttpWire final : public Wire {
 public:
  explicit HttpWire(const Options& options) : signer_(options.credentials, options.endpoint.HostHeader()) {}

  std::unique_ptr<AnswerParser> MakeParser() override { return std::make_unique<ResponseParser>(); }
  void AppendRequest(std::string_view target, std::string_view body, int64_t unix_seconds, AnswerParser&,
                     std::string& out) override {
    signer_.AppendRequest(target, body, unix_seconds, out);
  }

 private:
  SigV4Signer signer_;
};

}  // namespace armature::cli::bench
