#include "storage/encryption/keyring.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/codec/hex.h"
#include "base/keys/private_file.h"
#include "base/log.h"
#include "storage/encryption/directory_lock.h"

namespace armature::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWaysToGiveAKey =
    "--encrypt-key FILE, --encrypt-key-command COMMAND or in ARMATURE_ENCRYPTION_KEY";

// What a directory without KEYS holds.
enum class Holds {
  kNothing,
  kPlain,      // a store that is not encrypted
  kEncrypted,  // one whose KEYS is gone
  kForeign,
};

bool IsThere(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// How files that are encrypted begin (rocksdb/encrypted/file_header.h, which stands on this folder).
constexpr std::string_view kEncryptedFile = "armcrypt";

bool IsEncryptedFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(kEncryptedFile.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file.gcount() == static_cast<std::streamsize>(start.size()) && start == kEncryptedFile;
}

// As the manifest is, so are the others.
bool HasEncryptedManifest(const std::string& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory + "/db", error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (entry->path().filename().native().starts_with("MANIFEST-") && IsEncryptedFile(entry->path())) return true;
  return false;
}

Holds WhatHolds(const std::string& directory) {
  if (HasEncryptedManifest(directory)) return Holds::kEncrypted;
  if (IsThere(directory + "/FORMAT") || IsThere(directory + "/CREATING")) return Holds::kPlain;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name != "lost+found" && name != "LOCK" && name != std::string(Keyring::kFileName) + ".new")
      return Holds::kForeign;
  }
  // A directory that is not there, or cannot be listed, is the engine's to complain of.
  return Holds::kNothing;
}

bool LiesIn(const std::string& file, const std::string& directory) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(file, error), outer = fs::weakly_canonical(directory, error);
  const auto [end, ignored] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return !error && !file.empty() && end == outer.end();
}

Status WhyNotEncrypted(const std::string& directory, Holds holds) {
  if (holds == Holds::kEncrypted)
    return Status::Format(fmt::format("the files of {0} are encrypted, but {0}/{1} is missing: put a copy of it back",
                                      directory, Keyring::kFileName));
  if (holds == Holds::kPlain)
    return Status::InvalidArgument(
        fmt::format("{} holds data that is not encrypted: --encrypt is for a new directory, into which the tables can "
                    "be copied by way of a second server",
                    directory));
  return Status::Format(fmt::format("{} is not empty and does not hold data of armature", directory));
}

}  // namespace

bool Keyring::IsEncrypted(const std::string& directory) { return IsThere(directory + "/" + kFileName); }

Result<MasterKeySource> Keyring::FindSource(const EncryptionOptions& options) {
  MasterKeySource source{.opens = "all data that is encrypted under it"};
  source.text = options.key_text;
  source.text_name = kEncryptionKeyVariable;
  source.file = options.key_file;
  source.command = options.key_command;
  source.command_option = "--encrypt-key-command";
  std::vector<std::string> given;
  if (!source.text.empty()) given.push_back(source.text_name);
  if (!source.file.empty()) given.emplace_back("--encrypt-key");
  if (!source.command.empty()) given.push_back(source.command_option);
  if (given.size() > 1)
    return Status::InvalidArgument(
        fmt::format("the master key is given by {} and by {}: give it once", given[0], given[1]));
  return source;
}

Keyring::Keyring(std::string directory, MasterKeySource source, MasterKeys masters)
    : directory_(std::move(directory)), source_(std::move(source)), masters_(std::move(masters)) {}

Result<std::unique_ptr<Keyring>> Keyring::Open(const std::string& directory, EncryptionOptions options,
                                               bool may_create) {
  // In any case, so that nothing that is started later inherits it.
  if (std::string text = TakeKeyVariable(kEncryptionKeyVariable); options.key_text.empty())
    options.key_text = std::move(text);
  const bool is_there = IsEncrypted(directory);
  if (!is_there) {
    const Holds holds = WhatHolds(directory);
    const bool is_asked_for = options.is_asked_for();
    if (holds == Holds::kEncrypted || (is_asked_for && holds != Holds::kNothing))
      return WhyNotEncrypted(directory, holds);
    if (!is_asked_for && !options.key_text.empty())
      LogWarn("{} is set, but nothing in {} is encrypted without --encrypt", kEncryptionKeyVariable, directory);
    if (!is_asked_for || !may_create) return std::unique_ptr<Keyring>();
  }
  ARMATURE_TRY(MasterKeySource source, FindSource(options));
  if (source.is_empty() && is_there)
    return Status::InvalidArgument(
        fmt::format("{} is encrypted: its master key is to be given by {}", directory, kWaysToGiveAKey));
  if (source.is_empty())
    return Status::InvalidArgument(fmt::format(
        "--encrypt needs a master key, which `armature encryption new-key` prints and no server keeps: give "
        "it by {}",
        kWaysToGiveAKey));
  if (LiesIn(source.file, directory))
    LogWarn("{} lies in {}: whoever has a copy of that directory has the key, too", source.file, directory);
  SecretRandom random;
  ARMATURE_TRY(MasterKeys masters, source.Read(random));
  std::unique_ptr<Keyring> keyring(new Keyring(directory, std::move(source), std::move(masters)));
  if (Status status = is_there ? Status() : keyring->Make(); !status.ok()) return status;
  if (Status status = keyring->Load(); !status.ok()) return status;
  return keyring;
}

Status Keyring::Make() {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) return Status::IoError(fmt::format("cannot create directory {}: {}", directory_, error.message()));
  // Or two that start at once would each have keys, and one of them files that the other's KEYS does not open.
  ARMATURE_TRY(const DirectoryLock lock, DirectoryLock::Take(directory_));
  if (IsEncrypted(directory_)) return Status::Ok();
  if (const Holds holds = WhatHolds(directory_); holds != Holds::kNothing) return WhyNotEncrypted(directory_, holds);
  MutexLock guard(mutex_);
  const StoreKeys keys = StoreKeys::Random(random_);
  return WritePrivateFile(path(), SealKeyFile(keys, masters_, random_), IfThere::kFail);
}

Status Keyring::Load() {
  auto file = ReadPrivateFile(path(), kMostKeyFileBytes);
  if (!file) return file.error();
  MutexLock guard(mutex_);
  auto opened = OpenKeyFile(file->text, masters_);
  if (!opened) {
    std::string line = fmt::format("{} {}", path(), opened.error().message());
    if (opened.error().code() == StatusCode::kInvalidArgument)
      line += fmt::format(", and {} has {}", source_.name(), masters_.fingerprint());
    return Status(opened.error().code(), std::move(line));
  }
  text_ = std::move(file->text);
  fingerprint_ = std::move(opened->master_fingerprint);
  keys_ = std::move(opened->keys);
  data_keys_ = std::make_shared<DataKeys>(keys_->data_keys);
  return Status::Ok();
}

std::string Keyring::iam_key_text() const {
  MutexLock guard(mutex_);
  return ToHex(keys_->iam_key.bytes());
}

Keyring::State Keyring::state() const {
  MutexLock guard(mutex_);
  return {fingerprint_, keys_->data_keys.back()->number, keys_->data_keys.size()};
}

Result<std::optional<Keyring::Renewal>> Keyring::Renew() {
  MutexLock guard(mutex_);
  const MasterKeys masters = masters_;
  return RenewUnder(masters);
}

Result<std::optional<Keyring::Renewal>> Keyring::Reload() {
  MutexLock guard(mutex_);
  ARMATURE_TRY(const MasterKeys masters, source_.Read(random_));
  return RenewUnder(masters);
}

Result<std::optional<Keyring::Renewal>> Keyring::RenewUnder(const MasterKeys& masters) {
  if (masters.fingerprint() == fingerprint_) {
    masters_ = masters;
    return std::optional<Renewal>();
  }
  if (keys_->data_keys.size() >= kMostDataKeys)
    return Status::InvalidArgument(
        fmt::format("{} has {} data keys already: no more come until files are rewritten", path(), kMostDataKeys));
  StoreKeys keys = *keys_;
  std::string bytes(AesGcmKey::kBytes, '\0');
  random_.FillBytes({bytes.data(), bytes.size()});
  const auto data_key = std::make_shared<const DataKey>(DataKey{keys.data_keys.back()->number + 1, AesGcmKey(bytes)});
  OPENSSL_cleanse(bytes.data(), bytes.size());
  keys.data_keys.push_back(data_key);
  const Renewal renewal{fingerprint_, masters.fingerprint(), data_key->number};
  if (Status status = Replace(std::move(keys), masters); !status.ok()) return status;
  data_keys_->Add(data_key);
  return std::optional(renewal);
}

Result<size_t> Keyring::Retire(const std::set<uint32_t>& in_use) {
  MutexLock guard(mutex_);
  StoreKeys keys = *keys_;
  const uint32_t newest = keys.data_keys.back()->number;
  std::vector<uint32_t> dropped;
  std::erase_if(keys.data_keys, [&](const auto& key) {
    const bool goes = key->number != newest && !in_use.contains(key->number);
    if (goes) dropped.push_back(key->number);
    return goes;
  });
  if (dropped.empty()) return size_t{0};
  const MasterKeys masters = masters_;
  if (Status status = Replace(std::move(keys), masters); !status.ok()) return status;
  for (const uint32_t number : dropped) data_keys_->Remove(number);
  return dropped.size();
}

Status Keyring::Replace(StoreKeys keys, const MasterKeys& masters) {
  // Somebody else's change would be lost, and with it the data keys of files.
  auto there = ReadPrivateFile(path(), kMostKeyFileBytes);
  if (!there) return there.error();
  if (there->text != text_)
    return Status::Corruption(fmt::format("{} is not what it was when it was opened: it is left as it is", path()));
  std::string text = SealKeyFile(keys, masters, random_);
  if (Status status = WritePrivateFile(path(), text, IfThere::kReplace); !status.ok()) {
    // It may have its new text all the same, which a power cut may take back: what is new in it is not used.
    if (const auto now = ReadPrivateFile(path(), kMostKeyFileBytes); now && now->text == text) text_ = std::move(text);
    return status;
  }
  text_ = std::move(text);
  fingerprint_ = masters.fingerprint();
  keys_ = std::move(keys);
  masters_ = masters;
  return Status::Ok();
}

}  // namespace armature::storage
