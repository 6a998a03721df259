// Keyring: the keys of one data directory, kept in its file KEYS, sealed under the master key.
//
// Makes KEYS in a new directory, and when the master key changes seals it anew and adds a data key: files written from
// then on are opened by nothing that the old master key has ever opened. KEYS is replaced whole; a data key is in it,
// durably, before any file is written under it. Blocks. Thread-safe. Errors are one line fit for a user. Opened by
// server/ and cli/ before the engine; changes REQUIRE that this process holds the directory's LOCK, as an engine does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/keys/key_source.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "storage/encryption/data_keys.h"
#include "storage/encryption/key_file.h"

namespace armature::storage {

// What a command line says of encryption.
struct EncryptionOptions {
  bool is_wanted = false;  // a new directory is made encrypted, one that is not is refused
  std::string key_file{};
  std::string key_command{};
  // From the environment. Empty: looked for there, and taken out of it, when the keyring is opened.
  std::string key_text{};

  bool is_asked_for() const { return is_wanted || !key_file.empty() || !key_command.empty(); }
};

class Keyring {
 public:
  static constexpr const char* kFileName = "KEYS";

  // Whether the directory has keys.
  static bool IsEncrypted(const std::string& directory);

  // Null: the directory is not encrypted and not to be. With `may_create` a directory that holds nothing yet is made
  // encrypted, if that is asked for. kLocked: another process is at it.
  static Result<std::unique_ptr<Keyring>> Open(const std::string& directory, EncryptionOptions options,
                                               bool may_create);

  const std::shared_ptr<DataKeys>& data_keys() const { return data_keys_; }
  // What IAM's secrets are sealed with unless the user keeps that key elsewhere, as a master key's text.
  std::string iam_key_text() const;

  struct State {
    std::string master_fingerprint;
    uint32_t newest = 0;  // data key
    size_t data_keys = 0;
  };
  State state() const;

  struct Renewal {
    std::string old_master, new_master;  // fingerprints
    uint32_t data_key = 0;               // for files that are written from now on
  };
  // Seals KEYS under the first master key and adds a data key, if it is sealed under another one. Nothing: it is not.
  Result<std::optional<Renewal>> Renew();
  // The same after reading the master keys again. On an error all is as before.
  Result<std::optional<Renewal>> Reload();
  // Drops the data keys that no file needs: those that are not in `in_use`, but for the newest. How many went.
  Result<size_t> Retire(const std::set<uint32_t>& in_use);

 private:
  Keyring(std::string directory, MasterKeySource source, MasterKeys masters);
  static Result<MasterKeySource> FindSource(const EncryptionOptions& options);
  Status Make();
  Status Load();
  std::string path() const { return directory_ + "/" + kFileName; }
  Result<std::optional<Renewal>> RenewUnder(const MasterKeys& masters) ARMATURE_WITH_LOCK(mutex_);
  Status Replace(StoreKeys keys, const MasterKeys& masters) ARMATURE_WITH_LOCK(mutex_);

  const std::string directory_;
  const MasterKeySource source_;
  std::shared_ptr<DataKeys> data_keys_;  // set by Open

  mutable Mutex mutex_;
  SecretRandom random_ ARMATURE_GUARDED_BY(mutex_);
  MasterKeys masters_ ARMATURE_GUARDED_BY(mutex_);
  std::optional<StoreKeys> keys_ ARMATURE_GUARDED_BY(mutex_);
  std::string text_ ARMATURE_GUARDED_BY(mutex_);         // of KEYS, as it was read or written last
  std::string fingerprint_ ARMATURE_GUARDED_BY(mutex_);  // of the master key that sealed it
};

}  // namespace armature::storage
