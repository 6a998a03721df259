// HttpWire: requests as SDKs send them, signed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/bench/http/response_parser.h"
#include "cli/bench/http/sigv4_signer.h"
#include "cli/bench/wire/wire.h"

namespace armature::cli::bench {

class HttpWire final : public Wire {
 public:
  HttpWire(const Credentials& credentials, const std::string& host_header) : signer_(credentials, host_header) {}

  std::unique_ptr<AnswerParser> MakeParser() override { return std::make_unique<ResponseParser>(); }
  void AppendRequest(std::string_view target, std::string_view body, int64_t unix_seconds, AnswerParser&,
                     std::string& out) override {
    signer_.AppendRequest(target, body, unix_seconds, out);
  }

 private:
  SigV4Signer signer_;
};

}  // namespace armature::cli::bench
