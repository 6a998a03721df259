#include "cli/iam/options.h"

#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/encryption/key_options.h"
#include "iam/seed/administrator.h"

namespace armature::cli::iam_command {
namespace {

constexpr std::string_view kExamples =
    R"(Examples:
  armature iam init --data ./armature-data
  armature iam check --principal arn:aws:iam::123456789012:user/ann --action dynamodb:GetItem \
      --resource arn:aws:dynamodb:us-east-1:123456789012:table/Games --leading-key ann)";

constexpr std::string_view kCheckHelp =
    R"(Prints what each statement of each policy says of it, then the decision. Exit status: 0 it is allowed, 1 it is
denied, 2 it could not be found out. A condition key that a policy asks for and that is not given counts as absent. The
policy and the tags of a table in the directory count, and so does the trust policy of a role that is to be assumed.)";

constexpr std::string_view kLeadingKeys = "dynamodb:LeadingKeys";
constexpr std::string_view kAttributes = "dynamodb:Attributes";

void AddSource(CLI::App& command, Source& source, bool may_create) {
  command.add_option("--data", source.data_directory, "Data directory of a server that does not run")
      ->capture_default_str()
      ->type_name("DIR");
  command
      .add_option(
          "--iam-key", source.key_file,
          "File with the key that secrets are encrypted with, if it is not iam.key in the directory, nor in its "
          "KEYS")
      ->type_name("FILE");
  AddKeyOptions(command, source.encryption, may_create);
}

void AddInit(CLI::App& command, Options& options) {
  AddSource(command, options.source, /*may_create=*/true);
  command.add_option("--account", options.source.account, "Account id, as the server is told it")
      ->capture_default_str()
      ->type_name("ID");
  command.add_option("--user", options.user_name, "Name of the administrator")->capture_default_str();
}

std::string CheckPair(const std::string& text) {
  const size_t equals = text.find('=');
  return equals == std::string::npos || equals == 0 ? fmt::format("{} is not KEY=VALUE", text) : std::string();
}

// What is given several times, as it is read.
struct Given {
  std::vector<std::string> leading_keys;
  std::vector<std::string> attributes;
  std::vector<std::string> context;
};

void AddCheck(CLI::App& command, Options& options, Given& given) {
  const auto all = CLI::MultiOptionPolicy::TakeAll;
  AddSource(command, options.source, /*may_create=*/false);
  command
      .add_option("--iam-file", options.source.iam_file,
                  "Ask about the principals of this file, the same that `armature serve --iam-file` reads")
      ->excludes(command.get_option("--data"))
      ->type_name("FILE");
  command.add_option("--principal", options.question.principal, "ARN of a user, of a role or of an account's root")
      ->required()
      ->type_name("ARN");
  command.add_option("--action", options.question.action, "Such as dynamodb:GetItem")->required();
  command.add_option("--resource", options.question.resource, "ARN, or * for actions that have none")
      ->required()
      ->type_name("ARN");
  command
      .add_option("--leading-key", given.leading_keys, "A partition key value (dynamodb:LeadingKeys); may be repeated")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("VALUE");
  command.add_option("--attribute", given.attributes, "An attribute's name (dynamodb:Attributes); may be repeated")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("NAME");
  command
      .add_option("--context", given.context,
                  "A condition key and its value, such as aws:SourceIp=192.0.2.7; may be repeated")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE")
      ->check(CheckPair);
  command
      .add_option("--resource-policy", options.question.resource_policy_file,
                  "Policy of the resource, in the place of the one that is stored with it")
      ->type_name("FILE");
  command
      .add_option("--session-policy", options.question.session_policy_files,
                  "Policy that a session of the role was given; may be repeated")
      ->multi_option_policy(all)
      ->allow_extra_args(false)
      ->type_name("FILE");
  command.footer(std::string(kCheckHelp));
}

std::vector<std::pair<std::string, std::string>> ContextOf(const Given& given) {
  std::vector<std::pair<std::string, std::string>> context;
  for (const std::string& key : given.leading_keys) context.emplace_back(kLeadingKeys, key);
  for (const std::string& name : given.attributes) context.emplace_back(kAttributes, name);
  for (const std::string& pair : given.context) {
    const size_t equals = pair.find('=');
    context.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return context;
}

}  // namespace

Result<Options, int> ParseOptions(int argc, const char* const* argv) {
  Options init, check;  // each command its own: defaults of one are not the other's
  init.user_name = iam::kAdministratorName;
  check.action = Action::kCheck;
  Given given;
  CLI::App app("Makes the first principal of a server, and explains who may do what.",
               argc > 0 ? argv[0] : "armature iam");
  app.require_subcommand(1);
  app.footer(std::string(kExamples));
  AddInit(
      *app.add_subcommand("init",
                          "Make the administrator of an account, and print his access key, which is shown this once; "
                          "from then on the server verifies every signature"),
      init);
  CLI::App* const checks =
      app.add_subcommand("check", "Explain whether a principal may do something, statement by statement");
  AddCheck(*checks, check, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Exceptions are CLI11's interface for help and for errors; they end here.
    return Unexpected<int>{app.exit(error) == 0 ? 0 : 2};
  }
  check.question.context = ContextOf(given);
  return checks->parsed() ? check : init;
}

}  // namespace armature::cli::iam_command
