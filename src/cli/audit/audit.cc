#include "cli/audit/audit.h"

#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "audit/hash_key.h"
#include "base/memory/arena.h"
#include "base/text/visible_text.h"
#include "model/names/arn.h"
#include "wire/attribute_decode.h"
#include "wire/decode.h"
#include "wire/json/json_document.h"

namespace armature::cli {
namespace {

struct Options {
  std::string directory;
  std::string table;
  std::string region = "us-east-1";
  std::string account = "123456789012";
  std::string key;
};

int Fail(std::string_view line, int code) {
  std::fprintf(stderr, "armature: %s\n", OneLine(line).c_str());
  return code;
}

Result<std::string> HashOf(const Options& options) {
  ARMATURE_TRY(const audit::HashKey hash_key, audit::HashKey::Read(options.directory));
  const Status no_key = Status::InvalidArgument(
      R"(--key is a key in DynamoDB's JSON, such as {"Artist":{"S":"Acme Band"},"Year":{"N":"1987"}})");
  const auto document = wire::JsonDocument::Parse(options.key);
  if (!document) return no_key;
  Arena arena;
  wire::DecodeErrors errors;
  wire::AttributeMap key;
  if (!wire::AttributeDecoder(arena, model::kPlainWording, errors).DecodeMap(document->root(), true, &key) ||
      key.first_error || key.empty())
    return no_key;
  const bool is_arn = model::ParseTableArn(options.table).has_value();
  return hash_key.OfKey(is_arn ? options.table : model::MakeTableArn(options.region, options.account, options.table),
                        key.item());
}

}  // namespace

int RunAudit(int argc, char** argv) {
  Options options;
  CLI::App app("Looks into the audit log of a server (docs/operations.md).", "armature audit");
  app.require_subcommand(1);
  CLI::App& hash = *app.add_subcommand("hash", "Print what the log calls a key of an item, to look for it with grep");
  hash.add_option("--log", options.directory, "The audit log's directory, in which hash.key is")->required();
  hash.add_option("--table", options.table, "Name or ARN of the table")->required();
  hash.add_option("--key", options.key, R"(The key in DynamoDB's JSON: {"id":{"S":"7"}})")->required();
  hash.add_option("--region", options.region, "The table's Region, if it is given by its name")->capture_default_str();
  hash.add_option("--account", options.account, "Its account")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs((hash.parsed() ? hash.help() : app.help()).c_str(), stdout);
    return 0;
  } catch (const std::exception& error) { return Fail(fmt::format("{} (see armature audit --help)", error.what()), 2); }
  const auto text = HashOf(options);
  if (!text) return Fail(text.error().message(), text.error().code() == StatusCode::kInvalidArgument ? 2 : 1);
  std::printf("%s\n", text->c_str());
  return 0;
}

}  // namespace armature::cli
