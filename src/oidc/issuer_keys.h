// IssuerKeys: where the public keys of configured issuers come from, kept for a while.
//
// From a file, or by HTTP from the issuer: its key set, or the openid-configuration that says where that is. Read when
// a token first needs them, again after some minutes, and when a token names a key that is not among them, though not
// more often than every half minute: a token costs its sender nothing. What was read last stays good while the issuer
// cannot be reached. Reading blocks, so it is done on a thread of its own; whoever waits does not. Thread-safe. Owned
// by server/, asked by STS.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/tasks/task_pool.h"
#include "oidc/key_set.h"

namespace armature::oidc {

struct IssuerSource {
  std::string issuer;        // as tokens have it, with or without "https://"
  std::string key_set_file;  // one of the two
  std::string key_set_url;   // of a key set, or one that ends with /.well-known/openid-configuration
  std::string ca_file{};     // certificates to trust; empty: the system's
};

// "issuer.example/path" of "https://issuer.example/path/": tokens and people differ in the slash, and mean one issuer.
std::string_view IssuerName(std::string_view issuer);

// Blocks. What a source gives now.
Result<KeySet> ReadKeySet(const IssuerSource& source, const std::stop_token& stop);

class IssuerKeys {
 public:
  using ReadSource = std::function<Result<KeySet>(const IssuerSource&, const std::stop_token&)>;

  // `read` may block; tests give one of their own.
  IssuerKeys(std::vector<IssuerSource> sources, const Clock& clock, ReadSource read = ReadKeySet);
  // REQUIRES: nobody waits.
  ~IssuerKeys();

  // NotFound: no such issuer is configured. Any other error: its keys cannot be had now.
  Task<Result<std::shared_ptr<const KeySet>>> Find(std::string issuer, std::string key_id);

 private:
  struct Issuer {
    IssuerSource source;
    std::shared_ptr<const KeySet> keys;  // null: never read
    int64_t read_millis = 0;             // when they were
    Status failure;                      // of the last try; ok: it succeeded
    int64_t tried_millis = 0;
    bool is_reading = false;
    TaskPool::Handle task;
    std::vector<std::shared_ptr<Completion>> waiting;
  };

  bool IsGood(const Issuer& issuer, std::string_view key_id) const ARMATURE_WITH_LOCK(mutex_);
  bool MayTry(const Issuer& issuer) const ARMATURE_WITH_LOCK(mutex_);
  void Read(Issuer& issuer);

  const Clock& clock_;
  const ReadSource read_;
  std::stop_source stop_;
  mutable Mutex mutex_;
  std::map<std::string, Issuer, std::less<>> issuers_ ARMATURE_GUARDED_BY(mutex_);  // none comes or goes
  TaskPool threads_;
};

}  // namespace armature::oidc
