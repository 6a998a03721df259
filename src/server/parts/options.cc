#include "server/parts/options.h"

#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

#include "auth/site_policy.h"
#include "cli/encryption/key_options.h"
#include "model/names/names.h"
#include "server/parts/identity_api.h"

namespace armature::server {

namespace {

const std::map<std::string, storage::Durability> kDurabilities{{"fsync", storage::Durability::kFsync},
                                                               {"interval", storage::Durability::kInterval},
                                                               {"none", storage::Durability::kNone}};
const std::map<std::string, storage::MemtableKind> kMemtables{{"linked", storage::MemtableKind::kLinked},
                                                              {"stock", storage::MemtableKind::kStock}};
const std::map<std::string, bool> kEngines{{"embedded", false}, {"narrow", true}};
const std::map<std::string, audit::DataEvents> kDataEvents{
    {"none", audit::DataEvents::kNone}, {"writes", audit::DataEvents::kWrites}, {"all", audit::DataEvents::kAll}};

const std::map<std::string, int64_t> kTimeUnits{
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

// Durations are added to times: none may be so long that the sum is no time any more.
constexpr int64_t kMostMillis = int64_t{10} * 365 * 86'400'000;

constexpr const char* kFooter = R"(
Point any AWS SDK or the AWS CLI at it:
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000
Stop it with Ctrl-C or SIGTERM: requests under way are answered first.)";

void AddServingOptions(CLI::App& app, ServeOptions& options, std::string& config_file) {
  app.add_option("--config", config_file, "Read settings from a TOML file (the flags' names, without the dashes)");
  app.add_option("--host", options.host, "Address to listen on")->capture_default_str();
  app.add_option("--port", options.port, "Port to listen on; 0 picks a free one")->capture_default_str();
  app.add_flag("--allow-unauthenticated", options.allow_unauthenticated,
               "Listen on an address others can reach although there is no principal, so that any signature is\n"
               "accepted (docs/security.md): whoever reaches the port can read and write everything");
  app.add_option("--threads", options.threads, "Reactor threads; 0 means one per core")->check(CLI::Range(0, 1024));
  app.add_option("--max-connections", options.max_connections, "Connections beyond this are turned away with 503")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--drain-seconds", options.drain_seconds, "How long SIGTERM waits for requests under way")
      ->capture_default_str()
      ->check(CLI::Range(0, 86'400));
}

// "R" or "R:BURST".
Result<Rate> ParseRate(const std::string& text) {
  const auto number = [](std::string_view digits, int64_t most) -> std::optional<int64_t> {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 1 || value > most) return std::nullopt;
    return value;
  };
  const size_t colon = text.find(':');
  const auto per_second = number(std::string_view(text).substr(0, colon), TokenBuckets::kMostPerSecond);
  const auto burst = colon == std::string::npos
                         ? per_second
                         : number(std::string_view(text).substr(colon + 1), TokenBuckets::kMostBurst);
  if (!per_second || !burst)
    return Status::InvalidArgument(
        "a rate is REQUESTS a second (1 to 1000000), or REQUESTS:BURST with how many may come at once");
  return Rate{*per_second, *burst};
}

// What one client may take, see docs/security.md.
void AddLimitOptions(CLI::App& app, ServeOptions& options) {
  const auto connections = [&app](const char* flag, uint64_t& most, const char* help) {
    app.add_option(flag, most, help)->capture_default_str()->check(CLI::Range(0, 10'000'000));
  };
  const auto rate = [&app](const char* flag, std::optional<Rate>& rate_option, const char* help) {
    app.add_option_function<std::string>(
           flag, [&rate_option](const std::string& text) { rate_option = *ParseRate(text); }, help)
        ->type_name("R[:BURST]")
        ->check([](const std::string& text) {
          const auto parsed = ParseRate(text);
          return parsed ? std::string() : parsed.error().message();
        });
  };
  connections("--max-connections-per-address", options.max_connections_per_address,
              "Connections of one address (of IPv6: one network of 64 bits) beyond this are turned away; 0: no limit");
  connections("--max-connections-per-principal", options.max_connections_per_principal,
              "Requests of a user or role that come by a connection beyond this are refused; 0: no limit");
  rate("--request-rate-per-address", options.rate_per_address,
       "Requests a second that one address may send, and how many of them at once; others are told to slow down");
  rate("--request-rate-per-principal", options.rate_per_principal,
       "The same for each user and role, with its sessions");
}

// Who fails to sign, see docs/security.md.
void AddFailureOptions(CLI::App& app, ServeOptions& options) {
  auth::BackoffOptions& failures = options.failed_signatures;
  const auto add = [&app](const char* flag, uint32_t& most, const char* help) {
    app.add_option(flag, most, help)
        ->capture_default_str()
        ->check(CLI::Range(uint32_t{0}, auth::FailureBackoff::kHighestLimit));
  };
  add("--failed-signatures-per-key", failures.failures_of_key,
      "So many wrong signatures of one address with one access key, within the pause below, and the key is refused\n"
      "from there for a while; 0: never");
  add("--failed-signatures-per-address", failures.failures_of_address,
      "So many of one address with whatever keys, and those that nobody has are refused from there for a while; 0:\n"
      "never");
  app.add_option_function<int64_t>(
         "--failed-signature-pause",
         [&failures](int64_t millis) { failures.window_millis = failures.pause_millis = millis; },
         "For how long that is: milliseconds, or a number with ms, s, m, h or d (default 10s)")
      ->transform(CLI::AsNumberWithUnit(kTimeUnits, CLI::AsNumberWithUnit::CASE_SENSITIVE, "DURATION"))
      ->check(CLI::Range(int64_t{1}, int64_t{24} * 3600 * 1000));
}

void AddTlsOptions(CLI::App& app, ServeOptions& options) {
  auto* const certificate =
      app.add_option(
             "--tls-cert", options.tls_certificate,
             "Serve HTTPS with this certificate (PEM, with those that lead to a known authority behind it), on\n"
             "--port instead of HTTP, or beside it with --tls-port; `armature tls self-signed` makes one")
          ->type_name("FILE");
  auto* const key =
      app.add_option("--tls-key", options.tls_key, "The certificate's private key (PEM)")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  app.add_option("--tls-port", options.tls_port,
                 "HTTPS on this port, and HTTP on --port as without a certificate; 0 picks a free one")
      ->needs(certificate);
  app.add_option("--tls-client-ca", options.tls_client_ca,
                 "Clients that come by HTTPS have to show a certificate signed by one of these (PEM)")
      ->needs(certificate)
      ->type_name("FILE");
  app.add_flag("--tls-kernel", options.tls_kernel,
               "Let the kernel encrypt what is sent by HTTPS, if it has the module `tls`")
      ->needs(certificate);
}

// Who may speak to the server at all, see auth/site_policy.h.
void AddSiteOptions(CLI::App& app, ServeOptions& options) {
  const auto all = CLI::MultiOptionPolicy::TakeAll;
  app.add_option(
         "--allowed-host", options.allowed_hosts,
         "A name by which clients may address the server (their Host header) besides localhost and the address it\n"
         "listens on, such as its name in a container network; may be given several times; * allows any, and with\n"
         "it web pages that point a name of theirs here")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->check([](const std::string& host) { return auth::SitePolicy::CheckHost(host).message(); });
  app.add_option(
         "--cors-origin", options.cors_origins,
         "An origin, such as http://localhost:3000, whose web pages may use the server from a browser; without it\n"
         "no page may; may be given several times; * lets every page that is visited read and write everything")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("ORIGIN")
      ->check([](const std::string& origin) { return auth::SitePolicy::CheckOrigin(origin).message(); });
}

// Who the callers are, see docs/security.md.
void AddPrincipalOptions(CLI::App& app, ServeOptions& options) {
  app.add_option(
         "--iam-file", options.iam_file,
         "Users, keys, roles and policies that are to be there, in TOML or in the JSON of aws iam\n"
         "get-account-authorization-details (see docs/iam-file.md); with the first user or role, from here or from\n"
         "`armature iam init`, every signature is verified")
      ->type_name("FILE");
  app.add_option("--iam-key", options.iam_key_file,
                 "File with the key that secrets of IAM are encrypted with; without it iam.key in the data directory,\n"
                 "which is made when it is needed")
      ->type_name("FILE");
  app.add_option(
         "--oidc-issuer", options.oidc_issuers,
         "An OpenID Connect issuer and where its keys are, as ISSUER=FILE or ISSUER=URL: a key set (JWKS), or the URL\n"
         "of its openid-configuration; AssumeRoleWithWebIdentity believes its tokens where an account has it as a\n"
         "provider; may be given several times")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->type_name("ISSUER=KEYS")
      ->check([](const std::string& text) {
        const auto issuer = ParseIssuer(text);
        return issuer ? std::string() : issuer.error().message();
      });
}

// See docs/operations.md, Audit.
void AddAuditOptions(CLI::App& app, ServeOptions& options) {
  auto* const log =
      app.add_option(
             "--audit-log", options.audit_directory,
             "Record who changed, administered or was denied what, as lines of JSON in the shape of CloudTrail,\n"
             "in this directory; made if it is not there")
          ->type_name("DIRECTORY");
  app.add_option("--audit-data-events", options.audit_data_events,
                 "Which calls on items are recorded as well, with their keys hashed (default none)")
      ->transform(CLI::CheckedTransformer(kDataEvents).description("none|writes|all"))
      ->needs(log);
  app.add_option("--audit-file-mib", options.audit_file_mebibytes,
                 "A file of the audit log is closed when it has so many MiB")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20))
      ->needs(log);
  app.add_option("--audit-files", options.audit_files,
                 "So many files of the audit log are kept at most; the oldest is removed when another is begun")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000))
      ->needs(log);
}

void AddDataOptions(CLI::App& app, ServeOptions& options) {
  auto* data =
      app.add_option("--data", options.data_directory, "Directory that holds the data; made if it is not there")
          ->capture_default_str();
  app.add_flag("--memory", options.in_memory, "Keep everything in memory; nothing survives the process")
      ->excludes(data);
  cli::AddKeyOptions(app, options.encryption, /*may_create=*/true);
  app.get_option("--encrypt")->excludes("--memory");
  app.add_option("--durability", options.durability,
                 "What an acknowledged write survives.\n"
                 "  fsync     power loss: it is on stable storage before the reply (default)\n"
                 "  interval  kill -9; power loss may take the last --sync-interval of writes\n"
                 "  none      kill -9; power loss may take what the operating system had not written yet")
      ->transform(CLI::CheckedTransformer(kDurabilities).description("fsync|interval|none"));
  app.add_option("--sync-interval", options.sync_interval_millis,
                 "Milliseconds between syncs with --durability interval")
      ->capture_default_str()
      ->check(CLI::Range(1, 600'000));
  // To find out whether a fault is the memtable's (docs/design/storage.md); nothing to choose otherwise.
  app.add_option("--memtable", options.memtable, "linked or stock")
      ->group("")
      ->transform(CLI::CheckedTransformer(kMemtables).description("linked|stock"));
  // To try the server on an engine that behaves and fails as a distributed store does (docs/design/storage.md).
  auto* engine = app.add_option("--engine", options.is_narrow, "embedded or narrow")
                     ->group("")
                     ->transform(CLI::CheckedTransformer(kEngines).description("embedded|narrow"));
  app.add_option("--engine-faults", options.fault_rate, "How many commits fail, as a fraction")
      ->group("")
      ->needs(engine)
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--engine-seed", options.fault_seed, "What the faults are made from")->group("")->needs(engine);
  app.add_option(
         "--cache-mib", options.cache_mebibytes,
         "Memory for cached blocks, indexes and unflushed writes, in MiB (the process may use about 1.4 times as\n"
         "much in all); 0 means a quarter of the machine's memory")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 20));
  app.add_option(
         "--memory-limit-mib", options.memory_limit_mebibytes,
         "While the process uses more than this, close clients that hold memory and do not move, or else answer\n"
         "requests with 503; 0 means four fifths of the machine")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 24));
}

// Whose tables a caller sees, and which software is to find what it knows.
void AddCompatibilityOptions(CLI::App& app, ServeOptions& options) {
  const auto imitate = [&options](const std::string& whom) {
    options.compatibility = whom == "dynamodb-local" ? model::Compatibility::DynamoDbLocal() : model::Compatibility{};
  };
  app.add_option_function<std::string>(
         "--compat", imitate,
         "dynamodb-local: do what software built around DynamoDB Local relies on and Amazon refuses (what\n"
         "that is: docs/compatibility.md); `armature local` takes its flags as well")
      ->check(CLI::IsMember({"none", "dynamodb-local"}).description("none|dynamodb-local"));
  const auto share = [&options](TableSharing sharing) {
    return [&options, sharing](int64_t) { options.sharing = sharing; };
  };
  auto* shared = app.add_flag_function("--shared-db", share(TableSharing::kOneForAll),
                                       "One set of tables for all Regions and access keys, that of --region");
  app.add_flag_function("--separate-keys", share(TableSharing::kPerKeyAndRegion),
                        "A set of tables for each access key id, each an account of its own, and Region")
      ->excludes(shared);
}

void AddBehaviourOptions(CLI::App& app, ServeOptions& options) {
  app.add_option("--region", options.region, "Region named where a request does not name one")
      ->capture_default_str()
      ->check([](const std::string& text) {
        const bool ok = model::IsRegionName(text);
        return ok ? std::string() : std::string("a Region's name has letters, digits, - and _, at most 63");
      });
  app.add_option("--account", options.account, "Account id all callers belong to")
      ->capture_default_str()
      ->check([](const std::string& text) {
        return model::IsAccountId(text) ? std::string() : std::string("an account id has 12 digits");
      });
  app.add_option("--control-plane-delay", options.control_plane_delay_millis,
                 "Milliseconds a table stays CREATING, UPDATING or DELETING, to imitate AWS")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, kMostMillis));
  app.add_option("--eventual-lag", options.eventual_lag_millis,
                 "Milliseconds by which eventually consistent reads and global indexes lag behind, to find reads that\n"
                 "should have been consistent; 0 means they are always current")
      ->capture_default_str()
      ->check(CLI::Range(0, 600'000));
  const auto set_conflicts = [&options](const std::string& what) {
    options.transaction_conflicts =
        what == "fail" ? table::TransactionConflicts::kFail : table::TransactionConflicts::kWait;
  };
  app.add_option_function<std::string>(
         "--transaction-conflicts", set_conflicts,
         "What becomes of a request that meets an item of a transaction under way. wait: it waits for its turn;\n"
         "fail: it is refused with TransactionConflict, as on AWS, to try how a client takes it (default wait)")
      ->check(CLI::IsMember({"wait", "fail"}).description("wait|fail"));
  // What is not said follows from --compat: DynamoDB Local throttles nothing.
  app.add_option_function<std::string>(
         "--throttling", [&options](const std::string& what) { options.throttles = what == "on"; },
         "on: tables are kept to the throughput that they are provisioned with, or to their maximums on demand, as on\n"
         "AWS; off: everybody may use what there is (default on, with --compat=dynamodb-local off)")
      ->check(CLI::IsMember({"on", "off"}).description("on|off"));
  app.add_option_function<std::string>(
         "--partition-limits", [&options](const std::string& what) { options.has_partition_limits = what == "aws"; },
         "aws: tables have as many partitions as on AWS, and each serves 3,000 read and 1,000 write units a second, "
         "to\n"
         "find keys that are too hot; none: only what the whole table uses counts (default none)")
      ->check(CLI::IsMember({"aws", "none"}).description("aws|none"));
  // For tests: dies as if killed when the write path comes to this point.
  app.add_option("--crash-at", options.crash_at)->group("");
  app.add_option(
         "--ttl-delay", options.ttl_delay_millis,
         "How long items stay after Time to Live says they have expired, to imitate AWS, which takes up to two\n"
         "days: milliseconds, or a number with ms, s, m, h or d")
      ->transform(CLI::AsNumberWithUnit(kTimeUnits, CLI::AsNumberWithUnit::CASE_SENSITIVE, "DURATION"))
      ->check(CLI::Range(int64_t{0}, kMostMillis));
  app.add_option(
         "--stream-shard-age", options.stream_shard_millis,
         "How long a shard of a stream stays open before it goes on in a child: milliseconds, or a number with\n"
         "ms, s, m, h or d (default 4h)")
      ->transform(CLI::AsNumberWithUnit(kTimeUnits, CLI::AsNumberWithUnit::CASE_SENSITIVE, "DURATION"))
      ->check(CLI::Range(int64_t{1}, kMostMillis));
  app.add_option("--stream-split-rate", options.stream_split_rate,
                 "Writes a second at which a partition is split in two, and the shard of its stream with it")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--stream-split-seconds", options.stream_split_seconds,
                 "For how long a partition must get so many writes before it is split")
      ->capture_default_str()
      ->check(CLI::Range(1, 86'400));
  app.add_flag(
      "--no-partiql-scans", options.no_partiql_scans,
      "Refuse PartiQL statements that would scan a table or index, as an IAM policy on dynamodb:FullTableScan\n"
      "does on AWS");
  app.add_option("--slow-request", options.slow_request_millis,
                 "Log requests that take longer than this many milliseconds")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, kMostMillis));
  app.add_option(
         "--metrics-token", options.metrics_token_file,
         "File with a token: GET /metrics is answered to whoever sends it as Authorization: Bearer TOKEN; without\n"
         "one programs on this machine may see the metrics, and others while any signature is accepted")
      ->type_name("FILE");
  app.add_flag("--core-dumps", options.core_dumps,
               "Let a crash write the memory, secrets and items included, to a core file, and debuggers look at it");
  app.add_option("--log-level", options.log_level, "debug, info, warn, error or off")
      ->transform(CLI::CheckedTransformer(kLogLevels).description("debug|info|warn|error|off"));
}

// Others on the machine can read flags: secrets better come from the environment or from --config.
void AddKinesisOptions(CLI::App& app, ServeOptions& options) {
  app.add_option("--kinesis-endpoint", options.kinesis_endpoint,
                 "URL that Kinesis streaming destinations deliver to; {region} in it stands for the stream's\n"
                 "Region, as in https://kinesis.{region}.amazonaws.com")
      ->check([](const std::string& url) {
        const bool ok = url.empty() || url.starts_with("http://") || url.starts_with("https://");
        return ok ? std::string() : std::string("the Kinesis endpoint must be an http:// or https:// URL");
      });
  app.add_option("--kinesis-access-key-id", options.kinesis_access_key_id, "Access key for --kinesis-endpoint")
      ->envname("AWS_ACCESS_KEY_ID");
  app.add_option("--kinesis-secret-access-key", options.kinesis_secret_access_key, "Secret key for --kinesis-endpoint")
      ->envname("AWS_SECRET_ACCESS_KEY");
  app.add_option("--kinesis-session-token", options.kinesis_session_token, "Session token for --kinesis-endpoint")
      ->envname("AWS_SESSION_TOKEN");
}

void AddTriggerOptions(CLI::App& app, ServeOptions& options) {
  const auto all = CLI::MultiOptionPolicy::TakeAll;
  app.add_option("--trigger", options.trigger_files,
                 "File (TOML, see docs/triggers.md) with functions and the triggers that feed them the changes of\n"
                 "tables; may be given several times")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--function", options.functions,
                 "A function for event source mappings: NAME=COMMAND runs a handler process, NAME=http://... calls a\n"
                 "Lambda Invoke endpoint; may be given several times")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("NAME=TARGET");
  app.add_option(
         "--destination", options.destinations,
         "Where event source mappings may leave batches they gave up: NAME=DIRECTORY or NAME=http://...; an ARN\n"
         "that ends in NAME means it; may be given several times")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("NAME=TARGET");
  app.add_option("--trigger-calls", options.trigger_calls,
                 "Calls of functions at once, of all triggers together, and so the most handler processes there are")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
}

// `where` names what the flags come from, in errors.
ParsedOptions ParseFlags(std::vector<std::string> flags, const std::string& where) {
  ServeOptions options;
  std::string config_file;
  CLI::App app("Armature: Amazon DynamoDB as one program. Serves the DynamoDB API.", "armature serve");
  app.footer(kFooter);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  AddServingOptions(app, options, config_file);
  AddLimitOptions(app, options);
  AddFailureOptions(app, options);
  AddTlsOptions(app, options);
  AddNodeOptions(app, options.dax);
  AddSiteOptions(app, options);
  AddPrincipalOptions(app, options);
  AddAuditOptions(app, options);
  AddDataOptions(app, options);
  AddBehaviourOptions(app, options);
  AddCompatibilityOptions(app, options);
  AddTriggerOptions(app, options);
  AddKinesisOptions(app, options);
  if (auto end = ParseInto(app, std::move(flags), where, "armature serve")) return *std::move(end);
  if (app.count("--throttling") == 0 && options.compatibility.never_throttles) options.throttles = false;
  if (options.has_partition_limits && !options.throttles)
    return CommandFault(where + "--partition-limits=aws cannot be had without throttling");
  // What is read late would be cached as if it were the latest.
  if (options.dax.is_coherent && options.eventual_lag_millis > 0)
    return CommandFault(where + "--dax-coherent cannot be had together with --eventual-lag");
  if (!ArePorts(options.dax.port, options.dax.nodes) || !ArePorts(options.dax.tls_port, options.dax.nodes))
    return CommandFault(where + "there are not so many ports behind --dax-port and --dax-tls-port");
  return {options, {}, 0};
}

}  // namespace

ParsedOptions ParseServeOptions(const std::vector<std::string>& arguments) {
  return ParseWithFile<ServeOptions>(arguments, ParseFlags);
}

}  // namespace armature::server
