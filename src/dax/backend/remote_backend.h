// RemoteBackend: the DynamoDB that a node reaches over the network: Armature, DynamoDB Local or AWS, by HTTP or HTTPS.
//
// Each reactor that calls has connections of its own, made at its first call and gone with it (net::ReactorLocal): so
// the backend outlives every reactor it was called on. Requests are signed with the node's own keys for the caller's
// Region. So many are under way at once, over all reactors; beyond that a node is overloaded and says so as DAX does.
// What the endpoint answers is passed on, errors that ask to be repeated too: clients do that. A connection that fails
// is replaced once, if the request was not sent, or is a read. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "dax/backend/backend.h"
#include "dax/backend/credentials.h"
#include "dax/backend/endpoint_url.h"
#include "net/tls/tls_connector.h"

namespace armature::dax {

struct RemoteBackendOptions {
  EndpointUrl endpoint;
  std::shared_ptr<net::TlsConnector> tls;  // REQUIRES: there, if the endpoint is reached by HTTPS
  std::string region;                      // to sign for; empty: that of the caller's Scope
  size_t max_calls = 2048;
  size_t max_connections = 64;  // of each reactor
  size_t max_reply_bytes = size_t{64} << 20;
  int64_t connect_timeout_millis = 1'000;
  int64_t timeout_millis = 10'000;  // for everything that one call does
};

class RemoteBackend final : public Backend {
 public:
  // All must outlive it.
  RemoteBackend(RemoteBackendOptions options, CredentialStore& credentials, const Clock& clock, Metrics& metrics);
  // REQUIRES: the reactors it was called on are gone.
  ~RemoteBackend() override;
  RemoteBackend(const RemoteBackend&) = delete;
  RemoteBackend& operator=(const RemoteBackend&) = delete;

  // REQUIRES: on a reactor.
  Task<BackendReply> Call(std::string_view operation, std::string_view json, const Scope& scope) override;

  // What is under way ends with an error, soon, and every later call at once. From any thread while the reactors run.
  void Shutdown();

 private:
  class Lane;
  struct Request;
  struct Attempt;
  struct Counters {
    explicit Counters(Metrics& metrics);
    Counter& calls;
    Counter& failed;
    Counter& repeated;
    Counter& refused;
  };

  Lane& LaneOfReactor();
  static async_detail::Detached Close(Lane& lane);
  Task<BackendReply> Answer(Lane& lane, const Request& request);
  Task<Attempt> Try(Lane& lane, const Request& request, CredentialsPtr credentials, bool needs_new_connection);
  Attempt Fail(const Request& request, const Status& status, bool is_sent);
  bool Enter();

  const RemoteBackendOptions options_;
  CredentialStore& credentials_;
  const Clock& clock_;
  const Counters counters_;
  std::atomic<size_t> under_way_{0};
  std::atomic<bool> is_shut_{false};
  Mutex mutex_;
  std::vector<Lane*> lanes_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::dax
