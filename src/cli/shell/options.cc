#include "cli/shell/options.h"

#include <cstdio>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace armature::cli::shell {
namespace {

constexpr std::string_view kLocalEndpoint = "http://127.0.0.1:8000";

constexpr const char* kFooter =
    R"(Statements end with ';'. Without -e and -f they come from the standard input: a prompt on a
terminal, a script otherwise. A script stops at the first error, which goes to the standard
error, and the exit code is 1. At the prompt, \help lists the commands.

Credentials and region come from where the AWS CLI takes them: --profile, the environment
(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_PROFILE), then
~/.aws/credentials and ~/.aws/config, credential_process included. The endpoint may also be set
by AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL.

Examples:
  armature shell
  armature shell -e 'SELECT * FROM Music' -o json
  armature shell --endpoint aws --region eu-west-1 --profile work < report.sql)";

bool StartsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

std::string_view HostOf(std::string_view endpoint) {
  const size_t scheme = endpoint.find("://");
  std::string_view host = endpoint.substr(scheme == std::string_view::npos ? 0 : scheme + 3);
  host = host.substr(0, host.find('/'));
  return host.substr(0, host.find(':'));
}

bool IsAmazon(std::string_view host) {
  for (const std::string_view suffix : {".amazonaws.com", ".amazonaws.com.cn", ".api.aws"}) {
    if (host.size() > suffix.size() && host.substr(host.size() - suffix.size()) == suffix) return true;
  }
  return false;
}

// dynamodb.eu-west-1.amazonaws.com names eu-west-1; 123456789012.ddb.eu-west-1.amazonaws.com too.
std::string RegionOfHost(std::string_view host) {
  for (std::string_view label : {"dynamodb.", "dynamodb-fips.", "ddb.", "ddb-fips."}) {
    const size_t at = host.find(label);
    if (at != 0 && (at == std::string_view::npos || host[at - 1] != '.')) continue;
    const std::string_view rest = host.substr(at + label.size());
    return std::string(rest.substr(0, rest.find('.')));
  }
  return {};
}

Result<void> CheckUrl(std::string_view url) {
  if (!StartsWith(url, "http://") && !StartsWith(url, "https://")) {
    return Status::InvalidArgument(
        fmt::format("--endpoint must be 'aws' or begin with http:// or https:// (got '{}')", url));
  }
  if (HostOf(url).empty()) return Status::InvalidArgument(fmt::format("there is no host in '{}'", url));
  return {};
}

}  // namespace

Result<void> ResolveEndpoint(const EndpointChoice& choice, const Environment& environment, Options& options) {
  ARMATURE_TRY(const AwsConfig config, AwsConfig::Load(environment, choice.profile));
  options.endpoint = choice.endpoint;
  for (const char* variable : {"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"}) {
    if (options.endpoint.empty()) options.endpoint = environment(variable);
  }
  if (options.endpoint.empty()) options.endpoint = kLocalEndpoint;
  options.region = choice.region.empty() ? config.Region() : choice.region;
  if (options.endpoint == "aws") {
    if (options.region.empty()) return Status::InvalidArgument("--endpoint aws needs a region: --region or AWS_REGION");
    options.endpoint = fmt::format("https://dynamodb.{}.amazonaws.com", options.region);
  }
  ARMATURE_CHECK_OK(CheckUrl(options.endpoint));
  while (options.endpoint.back() == '/') options.endpoint.pop_back();
  const std::string_view host = HostOf(options.endpoint);
  if (IsAmazon(host) && choice.region.empty() && !RegionOfHost(host).empty()) options.region = RegionOfHost(host);
  if (options.region.empty()) options.region = "us-east-1";
  ARMATURE_TRY(const auto credentials, config.Credentials());
  if (!credentials && IsAmazon(host)) {
    return Status::InvalidArgument(
        "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a --profile");
  }
  // A server of one's own that does not check signatures still wants to see one.
  options.credentials = credentials.value_or(AwsCredentials{"armature", "armature", {}});
  return {};
}

Result<Options, int> ParseOptions(int argc, char** argv) {
  Options options;
  EndpointChoice choice;
  std::string mode = "table";
  CLI::App app("A prompt for PartiQL against any DynamoDB endpoint.", argc > 0 ? argv[0] : "armature shell");
  app.footer(kFooter);
  app.add_option("--endpoint", choice.endpoint,
                 fmt::format("URL of the endpoint, or 'aws' for Amazon's in the region [{}]", kLocalEndpoint));
  app.add_option("--region", choice.region, "Region to sign for [from the settings, else us-east-1]");
  app.add_option("--profile", choice.profile, "Profile of ~/.aws/credentials and ~/.aws/config");
  app.add_option("--ca-file", options.ca_file, "Certificates to trust for https, PEM [the system's]")
      ->envname("AWS_CA_BUNDLE");
  app.add_option("-e,--execute", options.statements, "Run this and end; repeatable, may hold several statements")
      ->allow_extra_args(false);
  app.add_option("-f,--file", options.file, "Run the script in this file and end")->check(CLI::ExistingFile);
  app.add_option("-o,--output", mode, "How rows are shown: table, vertical, json (plain), typed (DynamoDB's JSON)")
      ->check(CLI::IsMember({"table", "vertical", "json", "typed"}))
      ->capture_default_str();
  app.add_option("--page-size", options.page_size, "Rows shown at the prompt before it asks to go on")
      ->check(CLI::Range(size_t{1}, size_t{1'000'000}))
      ->capture_default_str();
  app.add_flag("--consistent", options.is_consistent, "Read strongly consistently");
  app.add_flag("--timing", options.has_timing, "Show how long each statement took");
  app.add_flag("--keep-going", options.keep_going, "In a script, go on after an error; the exit code is still 1");
  app.add_flag("!--no-sampling", options.has_sampling,
               "Completion: do not read a few items of a table to learn its attribute names");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Exceptions are CLI11's interface for help and for errors; they end here.
    return Unexpected<int>{app.exit(error) == 0 ? 0 : 2};
  }
  options.mode = *ParseOutputMode(mode);
  if (const auto resolved = ResolveEndpoint(choice, ProcessEnvironment(), options); !resolved) {
    fmt::print(stderr, "armature shell: {}\n", resolved.error().message());
    return Unexpected<int>{2};
  }
  return options;
}

}  // namespace armature::cli::shell
