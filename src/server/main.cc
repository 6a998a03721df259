// The program: picks the command.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/audit/audit.h"
#include "cli/bench/bench.h"
#include "cli/encryption/encryption.h"
#include "cli/iam/iam.h"
#include "cli/partition/partition.h"
#include "cli/shell/shell.h"
#include "cli/tls/tls.h"
#include "server/dax/dax_command.h"
#include "server/doctor.h"
#include "server/serve.h"

namespace {

constexpr const char* kUsage = R"(Armature: Amazon DynamoDB as one program.

Usage: armature COMMAND [OPTIONS]

Commands:
  serve       Serve the DynamoDB API on this machine
  local       The same in the place of DynamoDB Local, with its flags (-port, -inMemory, -sharedDb)
  dax         Answer DAX clients from a cache in front of any DynamoDB endpoint
  bench       Run a named workload against any DynamoDB endpoint and measure it
  shell       A prompt for PartiQL against any DynamoDB endpoint
  partition   Show what a table of a running server is divided into, and divide it further
  tls         Make a certificate to serve HTTPS with
  iam         Make the first principal of a server, and explain who may do what
  audit       Make the hash that a key of an item has in an audit log
  encryption  Make the master key of an encrypted data directory, and replace it
  doctor      Show what of a data directory can be read, and repair it if told to
  version     Print the version

`armature COMMAND --help` tells more about each.
)";

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "serve") return armature::server::RunServe(std::vector<std::string>(argv + 2, argv + argc));
  if (command == "local") return armature::server::RunLocal(std::vector<std::string>(argv + 2, argv + argc));
  if (command == "dax") return armature::server::RunDax(std::vector<std::string>(argv + 2, argv + argc));
  if (command == "doctor") return armature::server::RunDoctor(std::vector<std::string>(argv + 2, argv + argc));
  if (command == "bench") {
    std::string name = "armature bench";
    argv[1] = name.data();
    return armature::cli::RunBench(argc - 1, argv + 1);
  }
  if (command == "shell") {
    std::string name = "armature shell";
    argv[1] = name.data();
    return armature::cli::RunShell(argc - 1, argv + 1);
  }
  if (command == "partition") {
    std::string name = "armature partition";
    argv[1] = name.data();
    return armature::cli::RunPartition(argc - 1, argv + 1);
  }
  if (command == "tls") {
    std::string name = "armature tls";
    argv[1] = name.data();
    return armature::cli::RunTls(argc - 1, argv + 1);
  }
  if (command == "encryption") {
    std::string name = "armature encryption";
    argv[1] = name.data();
    return armature::cli::RunEncryption(argc - 1, argv + 1);
  }
  if (command == "iam") {
    std::string name = "armature iam";
    argv[1] = name.data();
    return armature::cli::RunIam(argc - 1, argv + 1);
  }
  if (command == "audit") {
    std::string name = "armature audit";
    argv[1] = name.data();
    return armature::cli::RunAudit(argc - 1, argv + 1);
  }
  if (command == "version" || command == "--version") {
    std::printf("armature %s\n", ARMATURE_VERSION);
    return 0;
  }
  if (command == "help" || command == "--help" || command == "-h") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (command.empty()) {
    std::fputs(kUsage, stderr);
  } else {
    std::fprintf(stderr, "armature: there is no command '%.*s' (see armature --help)\n",
                 static_cast<int>(command.size()), command.data());
  }
  return 2;
}
