#include "cli/client/endpoint.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace armature::cli {
namespace {

constexpr std::string_view kLocalEndpoint = "http://127.0.0.1:8000";

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

void AddEndpointOptions(CLI::App& app, EndpointChoice& choice) {
  app.add_option("--endpoint", choice.endpoint,
                 fmt::format("URL of the endpoint, or 'aws' for Amazon's in the region [{}]", kLocalEndpoint));
  app.add_option("--region", choice.region, "Region to sign for [from the settings, else us-east-1]");
  app.add_option("--profile", choice.profile, "Profile of ~/.aws/credentials and ~/.aws/config");
  app.add_option("--ca-file", choice.ca_file, "Certificates to trust for https, PEM [the system's]")
      ->envname("AWS_CA_BUNDLE");
}

Result<Endpoint> ResolveEndpoint(const EndpointChoice& choice, const Environment& environment) {
  ARMATURE_TRY(const AwsConfig config, AwsConfig::Load(environment, choice.profile));
  Endpoint found;
  found.ca_file = choice.ca_file;
  found.url = choice.endpoint;
  for (const char* variable : {"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"}) {
    if (found.url.empty()) found.url = environment(variable);
  }
  if (found.url.empty()) found.url = kLocalEndpoint;
  found.region = choice.region.empty() ? config.Region() : choice.region;
  if (found.url == "aws") {
    if (found.region.empty()) return Status::InvalidArgument("--endpoint aws needs a region: --region or AWS_REGION");
    found.url = fmt::format("https://dynamodb.{}.amazonaws.com", found.region);
  }
  ARMATURE_CHECK_OK(CheckUrl(found.url));
  while (found.url.back() == '/') found.url.pop_back();
  const std::string_view host = HostOf(found.url);
  found.is_amazons = IsAmazon(host);
  if (found.is_amazons && choice.region.empty() && !RegionOfHost(host).empty()) found.region = RegionOfHost(host);
  if (found.region.empty()) found.region = "us-east-1";
  ARMATURE_TRY(const auto credentials, config.Credentials());
  if (!credentials && found.is_amazons) {
    return Status::InvalidArgument(
        "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a --profile");
  }
  // A server of one's own that does not check signatures still wants to see one.
  found.credentials = credentials.value_or(AwsCredentials{"armature", "armature", {}});
  return found;
}

}  // namespace armature::cli
