#include "server/dax/dax_options.h"

#include <gtest/gtest.h>

#include "base/testing/memory_file.h"

namespace armature::server {
namespace {

DaxOptions ParsedDax(const std::vector<std::string>& arguments) {
  const ParsedDaxOptions parsed = ParseDaxOptions(arguments);
  EXPECT_TRUE(parsed.options.has_value()) << parsed.text;
  return parsed.options.value_or(DaxOptions{});
}

TEST(DaxOptions, DefaultsAreForALaptop) {
  const DaxOptions options = ParsedDax({});
  EXPECT_EQ(options.host, "127.0.0.1");
  EXPECT_EQ(options.port, 8111);
  EXPECT_EQ(options.nodes, 1);
  EXPECT_TRUE(options.endpoint.endpoint.empty());
  EXPECT_FALSE(options.tls_port);
  EXPECT_FALSE(options.metrics_port);
  EXPECT_EQ(options.record_ttl_millis, 300'000);
  EXPECT_EQ(options.query_ttl_millis, 300'000);
  EXPECT_EQ(options.data_directory, "./armature-dax");
}

TEST(DaxOptions, EverythingCanBeSaid) {
  const DaxOptions options = ParsedDax({"--endpoint",
                                        "https://dynamodb.eu-west-1.amazonaws.com",
                                        "--region",
                                        "eu-west-1",
                                        "--profile",
                                        "work",
                                        "--host",
                                        "0.0.0.0",
                                        "--port",
                                        "9000",
                                        "--nodes",
                                        "3",
                                        "--advertise",
                                        "dax.test",
                                        "--tls-cert",
                                        "c.pem",
                                        "--tls-key",
                                        "k.pem",
                                        "--tls-port",
                                        "9111",
                                        "--threads",
                                        "2",
                                        "--cache-mib",
                                        "64",
                                        "--record-ttl-millis",
                                        "0",
                                        "--query-ttl-millis",
                                        "1000",
                                        "--data",
                                        "lists",
                                        "--iam-file",
                                        "iam.toml",
                                        "--metrics-port",
                                        "0",
                                        "--metrics-token",
                                        "t",
                                        "--cluster",
                                        "my-cluster-1",
                                        "--account",
                                        "000000000001",
                                        "--request-timeout-millis",
                                        "500",
                                        "--max-requests",
                                        "7",
                                        "--allow-unauthenticated",
                                        "--log-level",
                                        "warn"});
  EXPECT_EQ(options.endpoint.endpoint, "https://dynamodb.eu-west-1.amazonaws.com");
  EXPECT_EQ(options.endpoint.region, "eu-west-1");
  EXPECT_EQ(options.endpoint.profile, "work");
  EXPECT_EQ(options.nodes, 3);
  EXPECT_EQ(options.advertised_host, "dax.test");
  EXPECT_EQ(options.tls_certificate, "c.pem");
  EXPECT_EQ(options.tls_port, 9111);
  EXPECT_EQ(options.cache_mebibytes, 64u);
  EXPECT_EQ(options.record_ttl_millis, 0);
  EXPECT_EQ(options.query_ttl_millis, 1000);
  EXPECT_EQ(options.iam_file, "iam.toml");
  EXPECT_EQ(options.metrics_port, 0);
  EXPECT_EQ(options.cluster, "my-cluster-1");
  EXPECT_EQ(options.request_timeout_millis, 500);
  EXPECT_EQ(options.max_requests, 7u);
  EXPECT_TRUE(options.allow_unauthenticated);
}

TEST(DaxOptions, WhatMakesNoSenseIsRefusedInOneLine) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--nodes", "0"},
        {"--nodes", "12"},
        {"--nodes", "3", "--port", "65534"},
        {"--port", "70000"},
        {"--tls-cert", "c.pem"},
        {"--tls-key", "k.pem"},
        {"--tls-port", "9111"},
        {"--nodes", "2", "--tls-cert", "c", "--tls-key", "k", "--tls-port", "65535"},
        {"--cache-mib", "0"},
        {"--record-ttl-millis", "-1"},
        {"--record-ttl-millis", "9223372036854775807"},
        {"--cluster", "My Cluster"},
        {"--account", "1"},
        {"--request-timeout-millis", "0"},
        {"--log-level", "loud"},
        {"--no-such-flag"}}) {
    const ParsedDaxOptions parsed = ParseDaxOptions(wrong);
    EXPECT_FALSE(parsed.options.has_value()) << wrong.front();
    EXPECT_EQ(parsed.exit_code, 2);
    EXPECT_EQ(parsed.text.find('\n'), parsed.text.size() - 1) << parsed.text;
  }
}

TEST(DaxOptions, AFileMeansWhatTheFlagsMeanAndFlagsWin) {
  const MemoryFile file("dax.toml");
  ASSERT_TRUE(file.Write("endpoint = 'http://127.0.0.1:9000'\nport = 1234\nallow-unauthenticated = true\n"));
  const DaxOptions options = ParsedDax({"--config", file.path(), "--port", "4321"});
  EXPECT_EQ(options.endpoint.endpoint, "http://127.0.0.1:9000");
  EXPECT_EQ(options.port, 4321);
  EXPECT_TRUE(options.allow_unauthenticated);
  ASSERT_TRUE(file.Write("nodes = 99\n"));
  const ParsedDaxOptions parsed = ParseDaxOptions({"--config", file.path()});
  EXPECT_FALSE(parsed.options);
  EXPECT_TRUE(parsed.text.starts_with("armature: " + file.path() + ": ")) << parsed.text;
}

TEST(DaxOptions, HelpIsAnAnswer) {
  const ParsedDaxOptions parsed = ParseDaxOptions({"--help"});
  EXPECT_FALSE(parsed.options);
  EXPECT_EQ(parsed.exit_code, 0);
  for (const char* flag : {"--endpoint", "--record-ttl-millis", "--advertise", "--iam-file"})
    EXPECT_NE(parsed.text.find(flag), std::string::npos) << flag;
}

}  // namespace
}  // namespace armature::server
