#include "server/dax/dax_command.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "base/memory/private_memory.h"
#include "net/tls/record_buffers.h"
#include "server/command/process_setup.h"
#include "server/dax/dax_options.h"
#include "server/dax/remote_cluster.h"

namespace armature::server {

namespace {

int GiveUpDax(const std::string& line) {
  std::fprintf(stderr, "armature: %s\n", line.c_str());
  return 1;
}

// Why the nodes must not be opened to others as they are; empty: they may.
std::string WhyNotOpenTo(const DaxOptions& options, const RemoteCluster& cluster) {
  if (IsLoopback(options.host) || options.allow_unauthenticated || cluster.verifies_signatures()) return {};
  return fmt::format(
      "refusing to listen on {}: there are no principals, so anybody who reaches it could read and write everything "
      "that the endpoint's keys may (--iam-file FILE makes some; --allow-unauthenticated to do it all the same)",
      options.host);
}

std::string DaxReadyLine(const DaxOptions& options, const RemoteCluster& cluster) {
  std::string line =
      fmt::format("armature dax ready on {} ({} {}, endpoint {}, region {}, {}", cluster.Urls(), options.nodes,
                  options.nodes == 1 ? "node" : "nodes", cluster.endpoint().url, cluster.endpoint().region,
                  cluster.verifies_signatures() ? "signatures are verified" : "any signature is accepted");
  if (const auto port = cluster.metrics_port())
    line += fmt::format(", metrics on {}/metrics", UrlOf("http", options.host, *port));
  return line + ")\n";
}

// Until a signal that asks for an end, which it returns.
int WaitForDaxEnd(const sigset_t& signals, RemoteCluster& cluster) {
  for (;;) {
    int number = 0;
    sigwait(&signals, &number);
    if (number != SIGHUP) return number;
    const Status status = cluster.ReloadTls();
    if (status.ok()) LogInfo("SIGHUP received: new connections get the TLS certificate that is there now");
    else LogError("SIGHUP received, but the TLS certificate stays what it was: {}", status.message());
  }
}

}  // namespace

int RunDax(const std::vector<std::string>& arguments) {
  const ParsedDaxOptions parsed = ParseDaxOptions(arguments);
  if (!parsed.options) {
    std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    return parsed.exit_code;
  }
  const DaxOptions& options = *parsed.options;
  SetLogLevel(options.log_level);
  const bool has_tls = !options.tls_certificate.empty();
  const sigset_t signals = BlockSignals(has_tls);
  if (has_tls) net::KeepRecordBuffers();
  if (!options.core_dumps) KeepMemoryPrivate();
  RaiseDescriptorLimit();
  GiveLargeBlocksBack();
  MemoryReserve::Install();

  auto cluster = RemoteCluster::Build(options);
  if (!cluster) return GiveUpDax(cluster.error().message());
  if (const std::string why = WhyNotOpenTo(options, **cluster); !why.empty()) return GiveUpDax(why);
  if (Status status = (*cluster)->Open(); !status.ok()) return GiveUpDax(status.message());
  std::fputs(DaxReadyLine(options, **cluster).c_str(), stdout);
  std::fflush(stdout);

  const int last_signal = WaitForDaxEnd(signals, **cluster);
  LogInfo("stopping: {} received", last_signal == SIGTERM ? "SIGTERM" : "SIGINT");
  (*cluster)->Close();
  return 0;
}

}  // namespace armature::server
