#include "server/dax/dax_options.h"

#include <CLI/CLI.hpp>

#include "server/parts/node_options.h"

namespace armature::server {

namespace {

// Times to live are added to times: none may be so long that the sum is no time any more.
constexpr int64_t kLongestTtlMillis = int64_t{10} * 365 * 86'400'000;
constexpr int kMostNodes = 11;  // of a cluster at AWS

constexpr const char* kDaxFooter = R"(
Point Amazon's DAX clients at it: dax://127.0.0.1:8111 (daxs:// with a certificate).
Stop it with Ctrl-C or SIGTERM: requests under way are answered first.)";

void AddEndpoint(CLI::App& app, DaxOptions& options) {
  cli::AddEndpointOptions(app, options.endpoint);
  app.add_option("--connect-timeout-millis", options.connect_timeout_millis,
                 "How long a connection to the endpoint may take")
      ->capture_default_str()
      ->check(CLI::Range(1, 600'000));
  app.add_option("--request-timeout-millis", options.request_timeout_millis,
                 "How long a request to the endpoint may take in all")
      ->capture_default_str()
      ->check(CLI::Range(1, 600'000));
  app.add_option("--max-requests", options.max_requests,
                 "Requests to the endpoint at once, of all nodes; clients are throttled beyond that")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
}

// A cluster's name is part of an ARN.
std::string CheckClusterName(const std::string& name) {
  const bool ok = !name.empty() && name.size() <= 20 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  return ok ? std::string() : std::string("a cluster's name has up to 20 lower-case letters, digits and hyphens");
}

std::string CheckAccountId(const std::string& account) {
  const bool ok = account.size() == 12 && std::ranges::all_of(account, [](char c) { return c >= '0' && c <= '9'; });
  return ok ? std::string() : std::string("an account has twelve digits");
}

void AddNodes(CLI::App& app, DaxOptions& options) {
  app.add_option("--cluster", options.cluster, "Name of the cluster, as policies have it in its ARN")
      ->capture_default_str()
      ->check(CheckClusterName);
  app.add_option("--account", options.account, "Account of the cluster")->capture_default_str()->check(CheckAccountId);
  app.add_option("--nodes", options.nodes, "How many nodes; each has caches of its own, and the port behind the last")
      ->capture_default_str()
      ->check(CLI::Range(1, kMostNodes));
  app.add_option("--host", options.host, "Address to listen on")->capture_default_str();
  app.add_option("--port", options.port, "Port of the first node; 0 picks free ones")->capture_default_str();
  app.add_option("--advertise", options.advertised_host,
                 "Address that clients are told to go to [the one they are listened for on]: they only use the one\n"
                 "they were given to ask for the others")
      ->type_name("HOST");
  auto* const certificate =
      app.add_option("--tls-cert", options.tls_certificate,
                     "Speak TLS (daxs://) with this certificate (PEM), on --port instead, or beside it with\n"
                     "--tls-port; `armature tls self-signed` makes one")
          ->type_name("FILE");
  auto* const key =
      app.add_option("--tls-key", options.tls_key, "The certificate's private key (PEM)")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  app.add_option("--tls-port", options.tls_port,
                 "TLS on this port, and none on --port; 0 picks a free one (clients expect 9111)")
      ->needs(certificate);
  app.add_option("--threads", options.threads, "Reactor threads of each node; 0 means one per core")
      ->check(CLI::Range(0, 1024));
  app.add_option("--busy-poll-micros", options.busy_poll_micros,
                 "How long a thread that has answered looks for the next request before it sleeps")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--max-connections", options.max_connections, "Connections of a node beyond this are turned away")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
}

void AddCache(CLI::App& app, DaxOptions& options) {
  app.add_option("--data", options.data_directory,
                 "Directory that keeps what the numbers of attribute lists mean; made if it is not there")
      ->capture_default_str();
  app.add_option("--cache-mib", options.cache_mebibytes, "Memory for the cached items and queries of each node, in MiB")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--record-ttl-millis", options.record_ttl_millis, "How long an item stays cached; 0 means for ever")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, kLongestTtlMillis));
  app.add_option("--query-ttl-millis", options.query_ttl_millis,
                 "How long the answer of a query or scan stays cached; 0 means not at all")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, kLongestTtlMillis));
}

void AddAccess(CLI::App& app, DaxOptions& options) {
  app.add_option("--iam-file", options.iam_file,
                 "Users, keys, roles and policies (see docs/iam-file.md): signatures are verified, and policies have\n"
                 "to allow dax:GetItem and the like on the cluster")
      ->type_name("FILE");
  app.add_flag("--allow-unauthenticated", options.allow_unauthenticated,
               "Listen on an address others can reach although there is no principal, so that any signature is\n"
               "accepted: whoever reaches the port can read and write everything that the endpoint's keys may");
  app.add_option("--metrics-port", options.metrics_port,
                 "Prometheus's page on http://HOST:PORT/metrics; 0 picks a free port; without it there is none");
  app.add_option("--metrics-token", options.metrics_token_file,
                 "File with a token that readers of the metrics have to bring; without it programs on this machine\n"
                 "may see them, and others while any signature is accepted")
      ->type_name("FILE");
  app.add_option("--drain-seconds", options.drain_seconds, "How long SIGTERM waits for requests under way")
      ->capture_default_str()
      ->check(CLI::Range(0, 86'400));
  app.add_flag("--core-dumps", options.core_dumps,
               "Let a crash write the memory, secrets and items included, to a core file, and debuggers look at it");
  app.add_option("--log-level", options.log_level, "debug, info, warn, error or off")
      ->transform(CLI::CheckedTransformer(kLogLevels).description("debug|info|warn|error|off"));
}

// `where` names what the flags come from, in errors.
ParsedDaxOptions ParseDaxFlags(std::vector<std::string> flags, const std::string& where) {
  DaxOptions options;
  std::string config_file;
  CLI::App app("DAX nodes in front of any DynamoDB: Armature, DynamoDB Local or AWS.", "armature dax");
  app.footer(kDaxFooter);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("--config", config_file, "Read settings from a TOML file (the flags' names, without the dashes)");
  AddEndpoint(app, options);
  AddNodes(app, options);
  AddCache(app, options);
  AddAccess(app, options);
  if (auto end = ParseInto(app, std::move(flags), where, "armature dax")) return *std::move(end);
  if (!ArePorts(options.port, options.nodes) || !ArePorts(options.tls_port, options.nodes))
    return CommandFault(where + "there are not so many ports behind --port and --tls-port");
  return {options, {}, 0};
}

}  // namespace

ParsedDaxOptions ParseDaxOptions(const std::vector<std::string>& arguments) {
  return ParseWithFile<DaxOptions>(arguments, ParseDaxFlags);
}

}  // namespace armature::server
