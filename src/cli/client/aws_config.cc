#include "cli/client/aws_config.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "policy/values/instant.h"

namespace armature::cli {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Or(std::string value, std::string fallback) {
  return value.empty() ? std::move(fallback) : std::move(value);
}

Result<AwsCredentials> RunCredentialProcess(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return Status::Unavailable("cannot run the credential_process");
  std::string output;
  char buffer[4096];
  while (const size_t got = std::fread(buffer, 1, sizeof buffer, pipe.get())) output.append(buffer, got);
  return ParseProcessCredentials(output);
}

}  // namespace

Environment ProcessEnvironment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

IniFile ParseIni(std::string_view text) {
  IniFile file;
  std::map<std::string, std::string>* section = nullptr;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    const std::string_view trimmed = Trim(line);
    // An indented line belongs to a nested setting (s3 = …), of which none concerns DynamoDB.
    const bool is_nested = !line.empty() && (line.front() == ' ' || line.front() == '\t');
    if (trimmed.empty() || trimmed.front() == '#' || trimmed.front() == ';' || is_nested) continue;
    if (trimmed.front() == '[') {
      const size_t close = trimmed.find(']');
      section = &file[std::string(Trim(trimmed.substr(1, close == std::string_view::npos ? close : close - 1)))];
      continue;
    }
    const size_t equals = trimmed.find('=');
    if (section == nullptr || equals == std::string_view::npos) continue;
    std::string key(Trim(trimmed.substr(0, equals)));
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view value = trimmed.substr(equals + 1);
    value = value.substr(0, value.find(" #"));
    (*section)[key] = std::string(Trim(value));
  }
  return file;
}

Result<AwsCredentials> ParseProcessCredentials(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  std::string_view id;
  std::string_view secret;
  std::string_view token;
  if (parser.parse(json).get(root) != simdjson::SUCCESS || root["AccessKeyId"].get(id) != simdjson::SUCCESS ||
      root["SecretAccessKey"].get(secret) != simdjson::SUCCESS) {
    return Status::Format("the credential_process did not print credentials");
  }
  if (root["SessionToken"].get(token) != simdjson::SUCCESS) token = {};
  AwsCredentials credentials{std::string(id), std::string(secret), std::string(token)};
  std::string_view expiration;
  if (root["Expiration"].get(expiration) == simdjson::SUCCESS)
    if (const auto end = policy::ParseInstant(expiration)) credentials.expires_at_millis = end->seconds * 1000;
  return credentials;
}

Result<AwsConfig> AwsConfig::Load(const Environment& environment, const std::string& profile) {
  AwsConfig config;
  const std::string home = environment("HOME");
  const IniFile credentials =
      ParseIni(ReadFile(Or(environment("AWS_SHARED_CREDENTIALS_FILE"), home + "/.aws/credentials")));
  const IniFile settings = ParseIni(ReadFile(Or(environment("AWS_CONFIG_FILE"), home + "/.aws/config")));
  const std::string from_variable = Or(environment("AWS_PROFILE"), environment("AWS_DEFAULT_PROFILE"));
  const std::string name = Or(profile, Or(from_variable, "default"));
  const auto in_credentials = credentials.find(name);
  const auto in_settings = settings.find(name == "default" ? name : "profile " + name);
  if (in_credentials != credentials.end()) config.credentials_section_ = in_credentials->second;
  if (in_settings != settings.end()) config.config_section_ = in_settings->second;
  const bool is_named = !profile.empty() || !from_variable.empty();
  if (is_named && in_credentials == credentials.end() && in_settings == settings.end()) {
    return Status::NotFound(fmt::format("there is no profile '{}' in ~/.aws/credentials or ~/.aws/config", name));
  }
  config.region_from_environment_ = Or(environment("AWS_REGION"), environment("AWS_DEFAULT_REGION"));
  const std::string id = environment("AWS_ACCESS_KEY_ID");
  const std::string secret = environment("AWS_SECRET_ACCESS_KEY");
  // A profile asked for on the command line outranks the environment.
  if (profile.empty() && !id.empty() && !secret.empty()) {
    config.from_environment_ = AwsCredentials{id, secret, environment("AWS_SESSION_TOKEN")};
  }
  return config;
}

std::string AwsConfig::Setting(std::string_view key) const {
  for (const auto* section : {&credentials_section_, &config_section_}) {
    const auto found = section->find(std::string(key));
    if (found != section->end()) return found->second;
  }
  return {};
}

Result<std::optional<AwsCredentials>> AwsConfig::Credentials() const {
  if (from_environment_) return from_environment_;
  AwsCredentials found{Setting("aws_access_key_id"), Setting("aws_secret_access_key"), Setting("aws_session_token")};
  if (!found.access_key_id.empty() && !found.secret_access_key.empty()) return std::optional(found);
  const std::string command = Setting("credential_process");
  if (command.empty()) return std::optional<AwsCredentials>();
  ARMATURE_TRY(found, RunCredentialProcess(command));
  return std::optional(found);
}

std::string AwsConfig::Region() const {
  return region_from_environment_.empty() ? Setting("region") : region_from_environment_;
}

}  // namespace armature::cli
