#include "server/parts/options.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/testing/memory_file.h"
#include "server/parts/identity_api.h"

namespace armature::server {
namespace {

ServeOptions Parsed(const std::vector<std::string>& arguments) {
  const ParsedOptions parsed = ParseServeOptions(arguments);
  EXPECT_TRUE(parsed.options.has_value()) << parsed.text;
  return parsed.options.value_or(ServeOptions{});
}

std::string WriteConfig(const std::string& text) {
  static const MemoryFile file("armature.toml");
  EXPECT_TRUE(file.Write(text));
  return file.path();
}

TEST(ServeOptions, WhatIsReadLateIsNotCachedAsTheLatest) {
  EXPECT_TRUE(ParseServeOptions({"--dax-port", "0", "--dax-coherent", "--eventual-lag", "0"}).options);
  const ParsedOptions refused = ParseServeOptions({"--dax-port", "0", "--dax-coherent", "--eventual-lag", "10"});
  EXPECT_FALSE(refused.options);
  EXPECT_EQ(refused.text, "armature: --dax-coherent cannot be had together with --eventual-lag\n");
}

TEST(ServeOptions, NodesHavePortsOneBehindTheOther) {
  EXPECT_TRUE(ParseServeOptions({"--dax-port", "65533", "--dax-nodes", "3"}).options);
  EXPECT_TRUE(ParseServeOptions({"--dax-port", "0", "--dax-nodes", "3"}).options);
  EXPECT_EQ(ParseServeOptions({"--dax-port", "65534", "--dax-nodes", "3"}).text,
            "armature: there are not so many ports behind --dax-port and --dax-tls-port\n");
}

TEST(ServeOptions, DefaultsAreForALaptop) {
  const ServeOptions options = Parsed({});
  EXPECT_EQ(options.host, "127.0.0.1");
  EXPECT_EQ(options.port, 8000);
  EXPECT_EQ(options.data_directory, "./armature-data");
  EXPECT_EQ(options.durability, storage::Durability::kFsync);
  EXPECT_FALSE(options.in_memory);
}

TEST(ServeOptions, HttpsNeedsACertificateAndItsKeyAndTakesThePlaceOfHttpOrStandsBesideIt) {
  EXPECT_TRUE(Parsed({}).tls_certificate.empty());
  const ServeOptions alone = Parsed({"--tls-cert", "c.pem", "--tls-key", "k.pem"});
  EXPECT_EQ(alone.tls_certificate, "c.pem");
  EXPECT_EQ(alone.tls_key, "k.pem");
  EXPECT_FALSE(alone.tls_port);
  EXPECT_FALSE(alone.tls_kernel);
  const ServeOptions both = Parsed({"--config", WriteConfig("tls-cert = 'c.pem'\ntls-key = 'k.pem'\ntls-port = 8443\n"),
                                    "--tls-client-ca", "ca.pem", "--tls-kernel"});
  EXPECT_EQ(both.tls_port, 8443);
  EXPECT_EQ(both.tls_client_ca, "ca.pem");
  EXPECT_TRUE(both.tls_kernel);
  for (const std::vector<std::string>& half : {std::vector<std::string>{"--tls-cert", "c.pem"},
                                               {"--tls-key", "k.pem"},
                                               {"--tls-port", "8443"},
                                               {"--tls-client-ca", "ca.pem"},
                                               {"--tls-cert", "c.pem", "--tls-key", "k.pem", "--tls-port", "70000"}})
    EXPECT_FALSE(ParseServeOptions(half).options.has_value()) << half.front();
}

TEST(ServeOptions, NothingIsRecordedUnlessADirectoryIsNamed) {
  EXPECT_TRUE(Parsed({}).audit_directory.empty());
  const ServeOptions options = Parsed({"--audit-log", "log"});
  EXPECT_EQ(options.audit_directory, "log");
  EXPECT_EQ(options.audit_data_events, audit::DataEvents::kNone);
  const ServeOptions more = Parsed({"--config", WriteConfig("audit-log = 'log'\naudit-data-events = 'writes'\n"),
                                    "--audit-file-mib", "1", "--audit-files", "3"});
  EXPECT_EQ(more.audit_data_events, audit::DataEvents::kWrites);
  EXPECT_EQ(more.audit_file_mebibytes, 1u);
  EXPECT_EQ(more.audit_files, 3u);
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--audit-data-events", "all"},
                                                {"--audit-files", "3"},
                                                {"--audit-log", "log", "--audit-data-events", "some"},
                                                {"--audit-log", "log", "--audit-files", "0"}})
    EXPECT_FALSE(ParseServeOptions(wrong).options.has_value()) << wrong.front();
}

TEST(ServeOptions, NobodyIsLimitedUnlessAskedAndABurstIsASecondsWorthUnlessTold) {
  const ServeOptions unlimited = Parsed({});
  EXPECT_FALSE(unlimited.rate_per_address || unlimited.rate_per_principal);
  EXPECT_EQ(unlimited.max_connections_per_address + unlimited.max_connections_per_principal, 0u);
  const ServeOptions options =
      Parsed({"--request-rate-per-principal", "100:250", "--request-rate-per-address=50",
              "--max-connections-per-address", "64", "--config", WriteConfig("max-connections-per-principal = 32\n")});
  EXPECT_EQ(options.rate_per_principal->per_second, 100);
  EXPECT_EQ(options.rate_per_principal->burst, 250);
  EXPECT_EQ(options.rate_per_address->per_second, 50);
  EXPECT_EQ(options.rate_per_address->burst, 50);
  EXPECT_EQ(options.max_connections_per_address, 64u);
  EXPECT_EQ(options.max_connections_per_principal, 32u);
  for (const char* const bad : {"", "0", "-1", "1:0", "1:", ":1", "1.5", "many", "1000001", "1:1000000001", "1:2:3"})
    EXPECT_FALSE(ParseServeOptions({"--request-rate-per-address", bad}).options.has_value()) << bad;
}

TEST(ServeOptions, HowManyWrongSignaturesAreBorneCanBeTold) {
  const auth::BackoffOptions usual = Parsed({}).failed_signatures;
  EXPECT_EQ(usual.failures_of_key, 20u);
  EXPECT_EQ(usual.failures_of_address, 1000u);
  EXPECT_EQ(usual.pause_millis, 10'000);
  const auth::BackoffOptions told = Parsed({"--failed-signatures-per-key", "0", "--failed-signatures-per-address", "50",
                                            "--config", WriteConfig("failed-signature-pause = \"1m\"\n")})
                                        .failed_signatures;
  EXPECT_EQ(told.failures_of_key, 0u);
  EXPECT_EQ(told.failures_of_address, 50u);
  EXPECT_EQ(told.pause_millis, 60'000);
  EXPECT_EQ(told.window_millis, 60'000);
  for (const char* const wrong : {"-1", "1048576", "x"})
    EXPECT_FALSE(ParseServeOptions({"--failed-signatures-per-key", wrong}).options.has_value()) << wrong;
  EXPECT_FALSE(ParseServeOptions({"--failed-signature-pause", "0"}).options.has_value());
}

TEST(ServeOptions, TheProcessKeepsItsMemoryToItselfUnlessAsked) {
  EXPECT_FALSE(Parsed({}).core_dumps);
  EXPECT_TRUE(Parsed({"--core-dumps"}).core_dumps);
}

TEST(ServeOptions, PrincipalsComeFromAFileAndEverybodyIsBelievedOnlyByLocal) {
  EXPECT_TRUE(Parsed({}).iam_file.empty());
  const ServeOptions options = Parsed({"--iam-file", "iam.toml", "--iam-key", "key"});
  EXPECT_EQ(options.iam_file, "iam.toml");
  EXPECT_EQ(options.iam_key_file, "key");
  EXPECT_FALSE(options.believes_everybody);
  EXPECT_EQ(Parsed({"--config", WriteConfig("iam-file = 'f'\n")}).iam_file, "f");
}

TEST(ServeOptions, EncryptionIsAskedForByAFlagOrByItsKey) {
  EXPECT_FALSE(Parsed({}).encryption.is_asked_for());
  EXPECT_TRUE(Parsed({"--encrypt"}).encryption.is_wanted);
  const ServeOptions options = Parsed({"--encrypt-key", "key"});
  EXPECT_EQ(options.encryption.key_file, "key");
  EXPECT_TRUE(options.encryption.is_asked_for());
  const ServeOptions from_file =
      Parsed({"--config", WriteConfig("encrypt = true\nencrypt-key-command = 'vault read key'\n")});
  EXPECT_TRUE(from_file.encryption.is_wanted);
  EXPECT_EQ(from_file.encryption.key_command, "vault read key");
  EXPECT_FALSE(ParseServeOptions({"--encrypt", "--memory"}).options.has_value());
  EXPECT_FALSE(ParseServeOptions({"--encrypt-key"}).options.has_value());
}

TEST(ServeOptions, IssuersComeWithWhereTheirKeysAre) {
  const ServeOptions options = Parsed({"--oidc-issuer", "https://a=keys.json", "--oidc-issuer", "b=https://b/jwks"});
  EXPECT_EQ(options.oidc_issuers, (std::vector<std::string>{"https://a=keys.json", "b=https://b/jwks"}));
  for (const char* const bad : {"https://a", "=keys.json", "a="})
    EXPECT_FALSE(ParseServeOptions({"--oidc-issuer", bad}).options.has_value()) << bad;
  EXPECT_EQ(ParseIssuer("https://a=keys.json")->key_set_file, "keys.json");
  EXPECT_EQ(ParseIssuer("b=https://b/jwks")->key_set_url, "https://b/jwks");
}

TEST(ServeOptions, ReadsLagOnlyIfAsked) {
  EXPECT_EQ(Parsed({}).eventual_lag_millis, 0);
  EXPECT_EQ(Parsed({"--eventual-lag", "250"}).eventual_lag_millis, 250);
  EXPECT_FALSE(ParseServeOptions({"--eventual-lag", "-1"}).options.has_value());
}

TEST(ServeOptions, TablesAreKeptToTheirThroughputUnlessDynamoDbLocalIsImitated) {
  EXPECT_TRUE(Parsed({}).throttles);
  EXPECT_FALSE(Parsed({"--throttling=off"}).throttles);
  EXPECT_FALSE(Parsed({"--compat=dynamodb-local"}).throttles);
  EXPECT_TRUE(Parsed({"--throttling=on", "--compat=dynamodb-local"}).throttles);
  EXPECT_FALSE(ParseServeOptions({"--throttling=perhaps"}).options.has_value());
  EXPECT_FALSE(Parsed({}).has_partition_limits);
  EXPECT_TRUE(Parsed({"--partition-limits=aws"}).has_partition_limits);
  EXPECT_FALSE(Parsed({"--partition-limits=aws", "--partition-limits=none"}).has_partition_limits);
  const ParsedOptions refused = ParseServeOptions({"--partition-limits=aws", "--throttling=off"});
  EXPECT_EQ(refused.text, "armature: --partition-limits=aws cannot be had without throttling\n");
}

// For finding out whether a fault is the memtable's; not for choosing.
TEST(ServeOptions, TheMemtableIsAHiddenSwitch) {
  EXPECT_EQ(Parsed({}).memtable, storage::MemtableKind::kLinked);
  EXPECT_EQ(Parsed({"--memtable=stock"}).memtable, storage::MemtableKind::kStock);
  EXPECT_FALSE(ParseServeOptions({"--memtable", "none"}).options.has_value());
  EXPECT_EQ(ParseServeOptions({"--help"}).text.find("--memtable"), std::string::npos);
}

// For trying the server on what a distributed store will be like; not for use.
TEST(ServeOptions, TheNarrowEngineIsAHiddenSwitch) {
  EXPECT_FALSE(Parsed({}).is_narrow);
  EXPECT_FALSE(Parsed({"--engine=embedded"}).is_narrow);
  const ServeOptions options =
      Parsed({"--engine", "narrow", "--engine-faults", "0.01", "--engine-seed", "7", "--memory"});
  EXPECT_TRUE(options.is_narrow);
  EXPECT_TRUE(options.in_memory);
  EXPECT_DOUBLE_EQ(options.fault_rate, 0.01);
  EXPECT_EQ(options.fault_seed, 7u);
  EXPECT_FALSE(ParseServeOptions({"--engine", "wide"}).options.has_value());
  EXPECT_FALSE(ParseServeOptions({"--engine", "narrow", "--engine-faults", "2"}).options.has_value());
  EXPECT_FALSE(ParseServeOptions({"--engine-faults", "0.1"}).options.has_value()) << "the others do not fail";
  EXPECT_EQ(ParseServeOptions({"--help"}).text.find("--engine"), std::string::npos);
}

TEST(ServeOptions, ExpiredItemsStayAsLongAsAsked) {
  EXPECT_EQ(Parsed({}).ttl_delay_millis, 0);
  EXPECT_EQ(Parsed({"--ttl-delay", "1500"}).ttl_delay_millis, 1500);
  EXPECT_EQ(Parsed({"--ttl-delay", "10ms"}).ttl_delay_millis, 10);
  EXPECT_EQ(Parsed({"--ttl-delay", "2s"}).ttl_delay_millis, 2000);
  EXPECT_EQ(Parsed({"--ttl-delay", "10m"}).ttl_delay_millis, 600'000);
  EXPECT_EQ(Parsed({"--ttl-delay", "48h"}).ttl_delay_millis, 172'800'000);
  EXPECT_EQ(Parsed({"--ttl-delay", "2d"}).ttl_delay_millis, 172'800'000);
  for (const char* wrong : {"-1s", "2 weeks", "soon", ""})
    EXPECT_FALSE(ParseServeOptions({"--ttl-delay", wrong}).options.has_value()) << wrong;
}

TEST(ServeOptions, KinesisCredentialsComeFromTheEnvironment) {
  setenv("AWS_ACCESS_KEY_ID", "from-environment", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "secret-from-environment", 1);
  const ServeOptions options =
      Parsed({"--kinesis-endpoint", "http://127.0.0.1:4567", "--kinesis-secret-access-key", "from-flag"});
  unsetenv("AWS_ACCESS_KEY_ID");
  unsetenv("AWS_SECRET_ACCESS_KEY");
  EXPECT_EQ(options.kinesis_endpoint, "http://127.0.0.1:4567");
  EXPECT_EQ(options.kinesis_access_key_id, "from-environment");
  EXPECT_EQ(options.kinesis_secret_access_key, "from-flag");
  EXPECT_FALSE(ParseServeOptions({"--kinesis-endpoint", "127.0.0.1:4567"}).options.has_value());
}

TEST(ServeOptions, FlagsAreUnderstood) {
  const ServeOptions options =
      Parsed({"--port", "0", "--durability", "interval", "--memory", "--threads=3", "--log-level", "warn"});
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.durability, storage::Durability::kInterval);
  EXPECT_TRUE(options.in_memory);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.log_level, LogLevel::kWarn);
}

TEST(ServeOptions, FlagsWinOverTheFile) {
  const std::string path = WriteConfig("port = 9000\nregion = \"eu-west-1\"\nmemory = true\n");
  const ServeOptions options = Parsed({"--config", path, "--port", "9001"});
  EXPECT_EQ(options.port, 9001);
  EXPECT_EQ(options.region, "eu-west-1");
  EXPECT_TRUE(options.in_memory);
}

TEST(ServeOptions, HostsAndOriginsMayBeSeveralAndMustMakeSense) {
  EXPECT_TRUE(Parsed({}).allowed_hosts.empty());
  EXPECT_TRUE(Parsed({}).cors_origins.empty());
  const ServeOptions options = Parsed({"--allowed-host", "armature", "--allowed-host", "db.example.org",
                                       "--cors-origin", "http://localhost:3000", "--cors-origin=https://app.example"});
  EXPECT_EQ(options.allowed_hosts, (std::vector<std::string>{"armature", "db.example.org"}));
  EXPECT_EQ(options.cors_origins, (std::vector<std::string>{"http://localhost:3000", "https://app.example"}));
  const std::string path =
      WriteConfig("allowed-host = [\"armature\", \"db\"]\ncors-origin = \"http://localhost:3000\"\n");
  EXPECT_EQ(Parsed({"--config", path}).allowed_hosts, (std::vector<std::string>{"armature", "db"}));
  EXPECT_EQ(Parsed({"--config", path}).cors_origins, (std::vector<std::string>{"http://localhost:3000"}));
  EXPECT_FALSE(ParseServeOptions({"--allowed-host", "armature:8000"}).options.has_value());
  EXPECT_FALSE(ParseServeOptions({"--cors-origin", "localhost:3000"}).options.has_value());
  EXPECT_FALSE(ParseServeOptions({"--cors-origin", "null"}).options.has_value());
}

TEST(ServeOptions, CompatibilityIsOffUnlessAsked) {
  EXPECT_FALSE(Parsed({}).compatibility.reads_numbers_from_text);
  EXPECT_TRUE(Parsed({"--compat=dynamodb-local"}).compatibility.reads_numbers_from_text);
  EXPECT_FALSE(Parsed({"--compat", "none"}).compatibility.reads_numbers_from_text);
  EXPECT_TRUE(
      Parsed({"--config", WriteConfig("compat = \"dynamodb-local\"\n")}).compatibility.drops_unused_definitions);
  EXPECT_FALSE(ParseServeOptions({"--compat", "dynalite"}).options.has_value());
}

TEST(ServeOptions, TablesAreSharedAsAsked) {
  EXPECT_EQ(Parsed({}).sharing, TableSharing::kPerRegion);
  EXPECT_EQ(Parsed({"--shared-db"}).sharing, TableSharing::kOneForAll);
  EXPECT_EQ(Parsed({"--separate-keys"}).sharing, TableSharing::kPerKeyAndRegion);
  EXPECT_EQ(Parsed({"--config", WriteConfig("shared-db = true\n")}).sharing, TableSharing::kOneForAll);
  EXPECT_FALSE(ParseServeOptions({"--shared-db", "--separate-keys"}).options.has_value());
}

TEST(ServeOptions, BadInputIsOneLineAndNotZero) {
  const std::vector<std::vector<std::string>> bad{{"--port", "high"},
                                                  {"--no-such-flag"},
                                                  {"--durability", "maybe"},
                                                  {"--account", "12"},
                                                  {"--memory", "--data", "x"},
                                                  {"--config", "/does/not/exist.toml"},
                                                  {"--config", WriteConfig("prot = 1\n")}};
  for (const auto& arguments : bad) {
    const ParsedOptions parsed = ParseServeOptions(arguments);
    EXPECT_FALSE(parsed.options.has_value()) << arguments.front();
    EXPECT_NE(parsed.exit_code, 0);
    EXPECT_EQ(std::count(parsed.text.begin(), parsed.text.end(), '\n'), 1) << parsed.text;
  }
}

TEST(ServeOptions, HelpExplainsDurabilityHonestly) {
  const ParsedOptions parsed = ParseServeOptions({"--help"});
  EXPECT_EQ(parsed.exit_code, 0);
  EXPECT_NE(parsed.text.find("power loss may take"), std::string::npos) << parsed.text;
}

TEST(ServeOptions, ATextOfAConfigurationFileMayLookLikeAFlag) {
  const std::string path = WriteConfig("kinesis-secret-access-key = \"-h--memory=x\"\nkinesis-session-token = \"\"\n");
  const ServeOptions options = Parsed({"--config", path});
  EXPECT_EQ(options.kinesis_secret_access_key, "-h--memory=x");
  EXPECT_EQ(options.kinesis_session_token, "");
  EXPECT_FALSE(options.in_memory);
}

// Each was taken for a flag, an end of flags or a call for help, or served with a time that overflows.
TEST(ServeOptions, AConfigurationFileHoldsSettingsOnly) {
  for (const char* text : {"help = true", "\"\" = true", "\"port=1\" = true", "\"-\" = true", "drain-seconds = -1",
                           "slow-request = -5", "unknown = \"-h\"", "shared-db = \"d\"", "port = 9999E99",
                           "ttl-delay = 9223372036854775807", "durability = \"a\\nb\""}) {
    const std::string path = WriteConfig(text);
    const ParsedOptions parsed = ParseServeOptions({"--config", path});
    EXPECT_FALSE(parsed.options.has_value()) << text;
    EXPECT_EQ(parsed.exit_code, 2) << text;
    EXPECT_EQ(parsed.text.find('\n'), parsed.text.size() - 1) << parsed.text;
    EXPECT_TRUE(parsed.text.starts_with("armature: " + path + ": ")) << parsed.text;
  }
}

}  // namespace
}  // namespace armature::server
