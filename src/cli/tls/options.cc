#include "cli/tls/options.h"

#include <string_view>

#include <CLI/CLI.hpp>

#include "base/tls/self_signed.h"

namespace armature::cli::tls {
namespace {

constexpr std::string_view kExamples =
    R"(Examples:
  armature tls self-signed
  armature tls self-signed --host db.internal --host 10.0.0.7 --days 90 --out /etc/armature)";

}  // namespace

Result<Options, int> ParseOptions(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Makes certificates for HTTPS.", argc > 0 ? argv[0] : "armature tls");
  app.require_subcommand(1);
  app.footer(std::string(kExamples));
  CLI::App* const self_signed = app.add_subcommand(
      "self-signed", "A certificate for this machine that clients trust when they are given it, and its key");
  self_signed->add_option("--out", options.directory, "Directory for cert.pem and key.pem; made if it is not there")
      ->capture_default_str();
  self_signed
      ->add_option("--host", options.hosts,
                   "A name or an IP address of the server, beside localhost, 127.0.0.1 and ::1; repeatable")
      ->allow_extra_args(false)
      ->check([](const std::string& host) {
        return IsCertificateHost(host) ? std::string() : "'" + host + "' is neither a DNS name nor an IP address";
      });
  self_signed->add_option("--days", options.days, "How long it is valid")
      ->capture_default_str()
      ->check(CLI::Range(1, 3650));
  self_signed->add_flag("--force", options.may_replace, "Replace files that are there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Exceptions are CLI11's interface for help and for errors; they end here.
    return Unexpected<int>{app.exit(error) == 0 ? 0 : 2};
  }
  return options;
}

}  // namespace armature::cli::tls
