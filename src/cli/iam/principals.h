// Principals: the IAM of a data directory that no server has open, or of a file of principals.
//
// Owns the open store; a directory is closed with it, and so free again for a server. One thread. Used by the command.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "cli/iam/options.h"
#include "iam/store/directory.h"
#include "model/names/arn.h"
#include "model/table_def.h"
#include "storage/encryption/keyring.h"
#include "storage/engine.h"

namespace armature::cli::iam_command {

class Principals {
 public:
  // A directory that is not there is made if `may_create`. The error is one line fit for a user: a server that has the
  // directory open among others.
  static Result<std::unique_ptr<Principals>> Open(const Source& source, bool may_create);
  ~Principals();

  iam::Directory& directory() { return *directory_; }
  // Of a data directory; a file of principals has none.
  bool has_tables() const { return has_tables_; }
  // What is stored of a table; null: there is none of that name, as in a file of principals.
  Result<std::shared_ptr<const model::TableDef>> FindTable(const model::TableArn& arn);

  // Ok if what was changed is where it belongs.
  Status Close();

 private:
  Principals() = default;
  Status OpenStore(const Source& source, bool may_create);
  Status Load(const Source& source);

  const SystemClock clock_{};
  SecretRandom random_{};
  Metrics metrics_{};
  std::unique_ptr<storage::Keyring> keyring_{};  // null: the directory is not encrypted
  bool has_tables_ = false;
  std::unique_ptr<storage::Engine> engine_{};
  std::unique_ptr<iam::Directory> directory_{};
};

}  // namespace armature::cli::iam_command
