#include "server/serve.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <signal.h>

#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "base/memory/private_memory.h"
#include "net/tls/record_buffers.h"
#include "server/command/process_setup.h"
#include "server/house.h"
#include "server/parts/local_options.h"
#include "server/parts/options.h"
#include "server/process/failure_log.h"

namespace armature::server {

namespace {

int Fail(const std::string& line) {
  std::fprintf(stderr, "armature: %s\n", line.c_str());
  return 1;
}

bool IsEncrypted(const ServeOptions& options) {
  return !options.in_memory &&
         (options.encryption.is_asked_for() || storage::Keyring::IsEncrypted(options.data_directory));
}

// Keys by which the server itself is known to others, or its administrator to it, are nothing for handlers of triggers:
// those get keys of their own. While anybody is believed and nobody else called they are the user's own affair.
void WithholdKeys(const ServeOptions& options, const House& house) {
  if (options.kinesis_endpoint.empty() && !house.verifies_signatures()) return;
  for (const char* const name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}) unsetenv(name);
}

// Why the server must not be opened to others as it is; empty: it may.
std::string WhyNotOpen(const ServeOptions& options, const House& house) {
  if (IsLoopback(options.host) || options.allow_unauthenticated || house.verifies_signatures()) return {};
  const std::string how = options.in_memory
                              ? "--iam-file FILE"
                              : fmt::format("`armature iam init --data {}` or --iam-file FILE", options.data_directory);
  return fmt::format(
      "refusing to listen on {}: there are no principals, so anybody who reaches it could read and write everything "
      "({} makes some; --allow-unauthenticated to do it all the same)",
      options.host, how);
}

std::string ReadyLine(const ServeOptions& options, const House& house) {
  const bool is_secure = !options.tls_certificate.empty() && !options.tls_port;
  std::string urls = UrlOf(is_secure ? "https" : "http", options.host, house.port());
  if (options.tls_port) urls += " and " + UrlOf("https", options.host, house.tls_port());
  if (const std::string dax = house.dax_urls(); !dax.empty()) urls += " and " + dax;
  const std::string where =
      options.in_memory ? "in memory"
                        : fmt::format("{}data in {}", house.is_encrypted() ? "encrypted " : "", options.data_directory);
  return fmt::format("armature ready on {} ({}, region {}, account {}, {})\n", urls, where, options.region,
                     options.account,
                     house.verifies_signatures() ? "signatures are verified" : "any signature is accepted");
}

void ReloadTls(House& house) {
  const Status status = house.ReloadTls();
  if (status.ok()) LogInfo("SIGHUP received: new connections get the TLS certificate that is there now");
  else LogError("SIGHUP received, but the TLS certificate stays what it was: {}", status.message());
}

void ReloadKeys(House& house) {
  const auto renewal = house.ReloadKeys();
  if (!renewal) LogError("SIGHUP received, but the master key stays what it was: {}", renewal.error().message());
  else if (*renewal) LogInfo("SIGHUP received: {}", DescribeRenewal(**renewal));
  else LogInfo("SIGHUP received: the master key is the one that was in use");
}

// Until one that asks for an end, which it returns.
int WaitForEnd(const sigset_t& signals, const ServeOptions& options, House& house) {
  for (;;) {
    int number = 0;
    sigwait(&signals, &number);
    if (number != SIGHUP) return number;
    if (!options.tls_certificate.empty()) ReloadTls(house);
    if (house.is_encrypted()) ReloadKeys(house);
  }
}

// Serves until it is told to stop. `greeting` is printed behind the ready line.
int Serve(const ParsedOptions& parsed, const std::string& greeting) {
  if (!parsed.options) {
    std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    return parsed.exit_code;
  }
  const ServeOptions& options = *parsed.options;
  SetLogLevel(options.log_level);
  const sigset_t signals = BlockSignals(!options.tls_certificate.empty() || IsEncrypted(options));
  if (!options.tls_certificate.empty()) net::KeepRecordBuffers();
  if (!options.core_dumps) KeepMemoryPrivate();  // handlers of triggers are processes of its user too
  RaiseDescriptorLimit();
  GiveLargeBlocksBack();
  MemoryReserve::Install();

  auto house = House::Build(options);
  if (!house) return Fail(house.error().message());
  if (const std::string why = WhyNotOpen(options, **house); !why.empty()) {
    LogFailure("closing", (*house)->Close());
    return Fail(why);
  }
  WithholdKeys(options, **house);  // before there are handlers
  if (Status status = (*house)->Open(); !status.ok()) return Fail(status.message());
  std::fputs(ReadyLine(options, **house).c_str(), stdout);
  std::fputs(greeting.c_str(), stdout);
  std::fflush(stdout);

  const int last_signal = WaitForEnd(signals, options, **house);
  LogInfo("stopping: {} received", last_signal == SIGTERM ? "SIGTERM" : "SIGINT");
  const Status closed = (*house)->Close();
  return closed.ok() ? 0 : Fail(closed.ToString());
}

}  // namespace

int RunServe(const std::vector<std::string>& arguments) { return Serve(ParseServeOptions(arguments), {}); }

int RunLocal(const std::vector<std::string>& arguments) {
  const LocalOptions local = ParseLocalOptions(arguments);
  return Serve(local.parsed, local.banner);
}

}  // namespace armature::server
