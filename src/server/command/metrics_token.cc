#include "server/command/metrics_token.h"

#include <fstream>

#include <fmt/format.h>
#include <openssl/crypto.h>

namespace armature::server {

namespace {

// What cannot be guessed in a hurry.
constexpr size_t kShortestToken = 16;

}  // namespace

Result<Secret> ReadMetricsToken(const std::string& path) {
  if (path.empty()) return Secret();
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  Secret token(line.substr(0, line.find_last_not_of(" \t\r") + 1));
  OPENSSL_cleanse(line.data(), line.size());
  if (file.bad() || token.text().size() < kShortestToken)
    return Status::InvalidArgument(fmt::format(
        "{}: there is no token of {} characters or more in its first line (--metrics-token)", path, kShortestToken));
  return token;
}

}  // namespace armature::server
