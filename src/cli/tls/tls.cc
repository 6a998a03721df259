#include "cli/tls/tls.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tls/self_signed.h"
#include "cli/tls/options.h"

namespace armature::cli {
namespace {

constexpr int64_t kDaySeconds = 86'400;
// Clocks of other machines may be behind.
constexpr int64_t kLeadSeconds = 3'600;
constexpr mode_t kForOwner = 0600;
constexpr mode_t kForAll = 0644;

Status Failure(std::string_view what, const std::string& path) {
  return Status::IoError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// Under another name first: the file is whole, with its mode, or it is not there.
Result<void> WriteFile(const std::string& path, std::string_view text, mode_t mode) {
  const std::string draft = path + ".new";
  unlink(draft.c_str());
  const int fd = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return Failure("write", draft);
  const bool is_written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                          fchmod(fd, mode) == 0 && fsync(fd) == 0;
  Status status = is_written ? Status::Ok() : Failure("write", draft);
  close(fd);
  if (status.ok() && rename(draft.c_str(), path.c_str()) != 0) status = Failure("write", path);
  if (status.ok()) return {};
  unlink(draft.c_str());
  return status;
}

Result<void> CheckAbsent(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return {};
  return Status::InvalidArgument(fmt::format("{} is there already (--force to replace it)", path));
}

SelfSignedRequest RequestFrom(const tls::Options& options) {
  const int64_t now = SystemClock().NowMillis() / 1000;
  SelfSignedRequest request{{"localhost", "127.0.0.1", "::1"}, now - kLeadSeconds, now + options.days * kDaySeconds};
  for (const std::string& host : options.hosts)
    if (std::ranges::find(request.hosts, host) == request.hosts.end()) request.hosts.push_back(host);
  return request;
}

std::string Report(const tls::Options& options, const std::string& certificate, const std::string& key,
                   const SelfSignedRequest& request) {
  return fmt::format(
      "{0}  (certificate for {2}; valid for {3} day{4})\n{1}  (its key: keep it to yourself)\n\n"
      "Serve with it, and let clients trust it:\n"
      "  armature serve --tls-cert {0} --tls-key {1}\n"
      "  aws dynamodb list-tables --endpoint-url https://localhost:8000 --ca-bundle {0}\n"
      "SDKs and the commands of armature take it from AWS_CA_BUNDLE={0} (Node.js: NODE_EXTRA_CA_CERTS).\n",
      certificate, key, fmt::join(request.hosts, ", "), options.days, options.days == 1 ? "" : "s");
}

Result<std::string> MakeFiles(const tls::Options& options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) return Status::IoError(fmt::format("cannot make {}: {}", options.directory, error.message()));
  const std::string certificate = std::filesystem::path(options.directory) / "cert.pem";
  const std::string key = std::filesystem::path(options.directory) / "key.pem";
  if (!options.may_replace) {
    ARMATURE_CHECK_OK(CheckAbsent(certificate));
    ARMATURE_CHECK_OK(CheckAbsent(key));
  }
  const SelfSignedRequest request = RequestFrom(options);
  ARMATURE_TRY(const SelfSigned made, MakeSelfSigned(request));
  ARMATURE_CHECK_OK(WriteFile(key, made.key_pem, kForOwner));
  ARMATURE_CHECK_OK(WriteFile(certificate, made.certificate_pem, kForAll));
  return Report(options, certificate, key, request);
}

}  // namespace

int RunTls(int argc, char** argv) {
  const auto options = tls::ParseOptions(argc, argv);
  if (!options.has_value()) return options.error();
  const auto report = MakeFiles(*options);
  if (!report) {
    fmt::print(stderr, "armature tls: {}\n", report.error().message());
    return 1;
  }
  fmt::print("{}", *report);
  return 0;
}

}  // namespace armature::cli
