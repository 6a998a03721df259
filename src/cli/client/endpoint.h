// Endpoint: where a command sends its requests and as whom, found where the AWS CLI would find it.
//
// Plain data plus the functions that fill it from a command line; reads the environment and AWS's configuration files.
// Used by the commands at start.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/client/aws_config.h"

namespace CLI {
class App;
}

namespace armature::cli {

struct Endpoint {
  std::string url;  // http://host:port or https://host
  std::string region;
  AwsCredentials credentials;
  std::string ca_file;      // certificates to trust, PEM; empty: the system's
  bool is_amazons = false;  // one of Amazon's: it has one Region's tables, and believes no other's signatures
};

// The parts of a command line that lead to an endpoint, before anything is looked up.
struct EndpointChoice {
  std::string endpoint{};
  std::string region{};
  std::string profile{};
  std::string ca_file{};
};

// For the help of a command: where credentials, region and endpoint come from.
inline constexpr std::string_view kEndpointHelp =
    R"(Credentials and region come from where the AWS CLI takes them: --profile, the environment
(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_PROFILE), then
~/.aws/credentials and ~/.aws/config, credential_process included. The endpoint may also be set
by AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL.)";

// --endpoint, --region, --profile and --ca-file. `choice` must live until the command line is parsed.
void AddEndpointOptions(CLI::App& app, EndpointChoice& choice);

// `aws` stands for Amazon's endpoint of the region; an Amazon address without a region in the settings names its own;
// only Amazon's addresses insist on credentials.
Result<Endpoint> ResolveEndpoint(const EndpointChoice& choice, const Environment& environment);

}  // namespace armature::cli
