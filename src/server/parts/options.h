// ServeOptions: everything `armature serve` can be told, by flags or by a configuration file.
//
// Plain values with the defaults a laptop wants. Flags win over the file; the file's settings carry the flags' names.
// Parsing prints nothing itself. Used by server/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "auth/verify/failure_backoff.h"
#include "base/limits/token_buckets.h"
#include "base/log.h"
#include "base/result.h"
#include "model/compatibility.h"
#include "server/command/command_line.h"
#include "server/parts/node_options.h"
#include "storage/encryption/keyring.h"
#include "storage/rocksdb/setup/rocksdb_options.h"
#include "table/write/write_options.h"

namespace armature::server {

// Whose tables a request means. Usually every caller belongs to one account, and the Region of the signature chooses
// the set of tables. DynamoDB Local knows two other ways, and software relies on both.
enum class TableSharing {
  kPerRegion,        // one account for everybody
  kPerKeyAndRegion,  // each access key id is an account
  kOneForAll,        // the server's own account and Region, whatever a signature says
};

struct ServeOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;
  std::string data_directory = "./armature-data";
  bool in_memory = false;
  storage::EncryptionOptions encryption;  // of the data directory
  std::string region = "us-east-1";
  std::string account = "123456789012";
  TableSharing sharing = TableSharing::kPerRegion;
  model::Compatibility compatibility;
  storage::Durability durability = storage::Durability::kFsync;
  int64_t sync_interval_millis = 1000;
  storage::MemtableKind memtable = storage::MemtableKind::kLinked;
  bool is_narrow = false;               // storage/narrow around the engine, for tests
  double fault_rate = 0;                // of its commits
  uint64_t fault_seed = 1;              // of its faults
  int threads = 0;                      // 0 = one per core
  uint64_t cache_mebibytes = 0;         // 0 = a quarter of the machine's memory
  uint64_t memory_limit_mebibytes = 0;  // 0 = four fifths of the machine's memory
  uint64_t max_connections = 20'000;
  // What one address and one principal may take; none or 0: as much as the server has.
  uint64_t max_connections_per_address = 0;
  uint64_t max_connections_per_principal = 0;
  std::optional<Rate> rate_per_address;
  std::optional<Rate> rate_per_principal;
  auth::BackoffOptions failed_signatures;
  int64_t control_plane_delay_millis = 0;
  int64_t eventual_lag_millis = 0;    // 0 = eventually consistent reads are current
  bool throttles = true;              // tables are kept to their throughput
  bool has_partition_limits = false;  // and partitions to Amazon's
  table::TransactionConflicts transaction_conflicts = table::TransactionConflicts::kWait;
  std::string crash_at;                                    // a labelled point of the write path; empty: none
  int64_t stream_shard_millis = int64_t{4} * 3600 * 1000;  // how long a stream's shard stays open
  uint64_t stream_split_rate = 10'000;                     // writes a second that split a partition
  int stream_split_seconds = 10;                           // if they come for so long
  int64_t ttl_delay_millis = 0;                            // how long expired items stay
  bool no_partiql_scans = false;  // SELECT statements that would read a whole table are refused
  int64_t slow_request_millis = 500;
  int64_t drain_seconds = 20;
  bool allow_unauthenticated = false;
  bool believes_everybody = false;        // whatever principals there are: `armature local`
  std::string iam_file;                   // principals that are there after every start
  std::string iam_key_file;               // what IAM's secrets are encrypted with; empty: that of the data directory
  std::vector<std::string> oidc_issuers;  // ISSUER=FILE or ISSUER=URL: whose web identities STS believes
  // The audit log; without a directory there is none.
  std::string audit_directory;
  audit::DataEvents audit_data_events = audit::DataEvents::kNone;
  uint64_t audit_file_mebibytes = 64;
  size_t audit_files = 16;
  // HTTPS: on `port` instead of HTTP, or beside it on a port of its own. Without a certificate there is none.
  std::string tls_certificate;
  std::string tls_key;
  std::string tls_client_ca;  // clients have to show a certificate that it signed; empty: they show none
  std::optional<uint16_t> tls_port;
  bool tls_kernel = false;  // the kernel encrypts
  NodeOptions dax;
  std::vector<std::string> allowed_hosts;  // names clients may use for this server, beside its addresses
  std::vector<std::string> cors_origins;   // origins whose web pages may use this server
  // Where Kinesis streaming destinations deliver to, and as whom. Without an endpoint none can be enabled.
  std::string kinesis_endpoint;
  std::string kinesis_access_key_id;
  std::string kinesis_secret_access_key;
  std::string kinesis_session_token;
  // Functions, failure destinations (NAME=VALUE) and files that define both and triggers.
  std::vector<std::string> trigger_files;
  std::vector<std::string> functions;
  size_t trigger_calls = 64;  // of functions at once
  std::vector<std::string> destinations;
  std::string
      metrics_token_file;   // whoever sees the metrics has to bring what is in it; empty: see front/metrics_route.h
  bool core_dumps = false;  // the process's memory may be written to a file, and looked at by its user
  LogLevel log_level = LogLevel::kInfo;
};

// What parsing came to: options to run with, or a text to print and an exit code.
using ParsedOptions = ParsedCommand<ServeOptions>;

// `arguments` are those behind `armature serve`.
ParsedOptions ParseServeOptions(const std::vector<std::string>& arguments);

}  // namespace armature::server
