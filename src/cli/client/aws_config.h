// Where credentials and the region come from: the places the AWS CLI looks, in its order.
//
// An explicit profile, the environment, then the files ~/.aws/credentials and ~/.aws/config (their `credential_process`
// too). Reads the environment through a function, so that tests need not change their own. Roles, SSO and instance
// metadata are left to a credential_process. Used by the commands at start (endpoint.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace armature::cli {

struct AwsCredentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;
  std::optional<int64_t> expires_at_millis{};  // as a credential_process says
};

using Environment = std::function<std::string(const char*)>;
// The process's own; an unset variable is empty.
Environment ProcessEnvironment();

// INI as AWS writes it: section -> key -> value. Keys in lower case; comments and nested settings are left out.
using IniFile = std::map<std::string, std::map<std::string, std::string>, std::less<>>;
IniFile ParseIni(std::string_view text);

class AwsConfig {
 public:
  // `profile` as the command line names it, or empty. kNotFound when that profile does not exist.
  static Result<AwsConfig> Load(const Environment& environment, const std::string& profile);

  // Nothing found is not an error: a local endpoint takes any credentials.
  Result<std::optional<AwsCredentials>> Credentials() const;
  // Empty when nothing names one.
  std::string Region() const;

 private:
  std::string Setting(std::string_view key) const;

  std::optional<AwsCredentials> from_environment_;
  std::string region_from_environment_;
  std::map<std::string, std::string> credentials_section_;
  std::map<std::string, std::string> config_section_;
};

// The JSON that a credential_process prints.
Result<AwsCredentials> ParseProcessCredentials(const std::string& json);

}  // namespace armature::cli
