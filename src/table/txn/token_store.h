// TokenStore: client tokens of transactions, so that a repeated request is not executed twice.
//
// A token's record (a hash of the request's parameters and when it expires) is committed together with the transaction,
// through the changes Begin gives, so it survives whatever the transaction survives; a cancelled transaction leaves
// none. Which tokens are running right now is known in memory only: a crash ends them all. Ten minutes after its
// transaction a token is forgotten; RemoveExpired, called by housekeeping, also takes it off the disk. Thread-safe.
// Used by api/transact.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/async.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "storage/batch.h"
#include "storage/engine.h"

namespace armature::table {

inline constexpr int64_t kTokenLifetimeMillis = 10 * 60 * 1000;

// XXH3-128 of a request's parameters.
using ParameterHash = std::array<uint64_t, 2>;
ParameterHash HashParameters(std::string_view canonical);

class TokenStore {
 public:
  TokenStore(storage::Engine& engine, const Clock& clock) : engine_(engine), clock_(clock) {}

  // The token of one running request; gives it back on destruction.
  class Claim {
   public:
    Claim() = default;
    Claim(TokenStore* store, std::string id) : store_(store), id_(std::move(id)) {}
    Claim(Claim&& other) noexcept : store_(std::exchange(other.store_, nullptr)), id_(std::move(other.id_)) {}
    Claim& operator=(Claim&& other) noexcept {
      std::swap(store_, other.store_);
      std::swap(id_, other.id_);
      return *this;
    }
    ~Claim() {
      if (store_) store_->Release(id_);
    }

   private:
    TokenStore* store_ = nullptr;
    std::string id_;
  };

  enum class State {
    kNew,       // go on, and commit `changes` with the transaction
    kDone,      // a transaction with this token and these parameters has been committed
    kMismatch,  // the token was used with other parameters
    kRunning,   // a request with this token is under way
  };
  struct Begun {
    State state = State::kNew;
    Claim claim;             // of kNew: to be kept until the transaction is durable or given up
    storage::Batch changes;  // of kNew
  };

  // `token_id` tells tokens apart: it includes whose token it is.
  Task<Result<Begun>> Begin(std::string token_id, ParameterHash parameters);

  // Takes expired tokens off the disk, at most `most` at once.
  Task<Status> RemoveExpired(size_t most = 10'000);

 private:
  struct Record {
    ParameterHash parameters{};
    int64_t expires_millis = 0;
    std::string Encode() const;
    static Result<Record> Decode(std::string_view bytes);
  };

  bool TryClaim(const std::string& id);
  void Release(const std::string& id);
  Task<Result<bool>> Read(std::string_view id, storage::View view, Record& record);

  storage::Engine& engine_;
  const Clock& clock_;
  Mutex mutex_;
  std::unordered_set<std::string> claimed_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::table
