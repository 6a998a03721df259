#include "cli/encryption/key_options.h"

#include <CLI/CLI.hpp>

namespace armature::cli {

void AddKeyOptions(CLI::App& app, storage::EncryptionOptions& options, bool may_create) {
  if (may_create)
    app.add_flag("--encrypt", options.is_wanted,
                 "Encrypt everything in the data directory, which has to be new or encrypted already; the master key\n"
                 "comes from --encrypt-key, --encrypt-key-command or the environment (ARMATURE_ENCRYPTION_KEY)");
  app.add_option("--encrypt-key", options.key_file,
                 "File with the master key that the data directory is encrypted under: lines of 64 hexadecimal\n"
                 "digits, the first in use, the others to open what they have sealed; not in that directory")
      ->type_name("FILE");
  app.add_option("--encrypt-key-command", options.key_command,
                 "The same from the output of a command, run by /bin/sh, so that a key service may hold it")
      ->type_name("COMMAND");
}

}  // namespace armature::cli
