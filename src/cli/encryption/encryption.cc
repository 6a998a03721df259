#include "cli/encryption/encryption.h"

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/random.h"
#include "cli/encryption/options.h"
#include "storage/encryption/directory_lock.h"
#include "storage/encryption/keyring.h"

namespace armature::cli {
namespace {

using encryption::Options;
using storage::Keyring;

int Fail(std::string_view message) {
  fmt::print(stderr, "armature encryption: {}\n", message);
  return 1;
}

int PrintNewKey() {
  SecretRandom random;
  std::string key = MasterKeys::NewText(random);
  fmt::print("{}\n", key);
  OPENSSL_cleanse(key.data(), key.size());
  return std::fflush(stdout) == 0 ? 0 : Fail("the key could not be printed");
}

Result<std::string> Rotate(const Options& options) {
  const std::string& directory = options.data_directory;
  if (!Keyring::IsEncrypted(directory))
    return Status::NotFound(
        fmt::format("there is no {}/{}: it is no encrypted data directory", directory, Keyring::kFileName));
  auto lock = storage::DirectoryLock::Take(directory);
  if (!lock && lock.error().code() == StatusCode::kLocked)
    return Status::Locked(fmt::format("{} is in use: let its server rotate, by SIGHUP, or stop it first", directory));
  if (!lock) return lock.error();
  ARMATURE_TRY(const auto keyring, Keyring::Open(directory, options.keys, /*may_create=*/false));
  ARMATURE_TRY(const auto renewal, keyring->Renew());
  if (!renewal)
    return fmt::format("{} is sealed under the master key {} already: put a new one in front of it\n", directory,
                       keyring->state().master_fingerprint);
  return fmt::format("{} is sealed under the master key {} now, no longer under {}; new files get data key {}\n",
                     directory, renewal->new_master, renewal->old_master, renewal->data_key);
}

}  // namespace

int RunEncryption(int argc, char** argv) {
  const auto options = encryption::ParseOptions(argc, argv);
  if (!options.has_value()) return options.error();
  if (options->action == encryption::Action::kNewKey) return PrintNewKey();
  const auto report = Rotate(*options);
  if (!report) return Fail(report.error().message());
  fmt::print("{}", *report);
  return 0;
}

}  // namespace armature::cli
