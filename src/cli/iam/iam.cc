#include "cli/iam/iam.h"

#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "base/async.h"
#include "base/log.h"
#include "base/memory/private_memory.h"
#include "cli/iam/check.h"
#include "cli/iam/options.h"
#include "cli/iam/principals.h"
#include "cli/iam/surroundings.h"
#include "iam/seed/administrator.h"

namespace armature::cli {
namespace {

using iam_command::Options;
using iam_command::Principals;

int Fail(std::string_view message, int exit_code) {
  fmt::print(stderr, "armature iam: {}\n", message);
  return exit_code;
}

// The key is printed when nothing can lose it any more.
int Init(const Options& options) {
  auto principals = Principals::Open(options.source, /*may_create=*/true);
  if (!principals) return Fail(principals.error().message(), 1);
  const auto key = RunBlocking(iam::InitAccount((*principals)->directory(), options.source.account, options.user_name));
  if (!key) return Fail(key.error().message, 1);
  if (const Status status = (*principals)->Close(); !status.ok()) return Fail(status.message(), 1);
  fmt::print("{}", iam::CredentialLines(*key));
  return std::fflush(stdout) == 0 ? 0 : Fail("the key could not be printed; `armature iam init` makes another", 1);
}

int CheckAccess(const Options& options) {
  constexpr int kUnknown = 2;
  auto principals = Principals::Open(options.source, /*may_create=*/false);
  if (!principals) return Fail(principals.error().message(), kUnknown);
  iam::Directory& directory = (*principals)->directory();
  const auto surroundings = iam_command::FindSurroundings(**principals, options.question);
  if (!surroundings) return Fail(surroundings.error().message(), kUnknown);
  const auto answer =
      iam_command::Check(*directory.Current(), options.question, *surroundings, directory.clock().NowMillis());
  if (!answer) return Fail(answer.error().message(), kUnknown);
  fmt::print("{}", answer->text);
  return answer->is_allowed ? 0 : 1;
}

}  // namespace

int RunIam(int argc, char** argv) {
  KeepMemoryPrivate();
  const auto options = iam_command::ParseOptions(argc, argv);
  if (!options.has_value()) return options.error();
  SetLogLevel(LogLevel::kError);
  return options->action == iam_command::Action::kInit ? Init(*options) : CheckAccess(*options);
}

}  // namespace armature::cli
