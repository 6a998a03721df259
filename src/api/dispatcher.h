// Dispatcher: from an HTTP exchange to an operation and back.
//
// Walks every request through the same steps in AWS's order (docs/dynamodb.md 1.4), behind our own first one (may this
// host name or web page speak to us?): envelope, JSON, target, signature, decoding,
// constraints, execution. Metrics, the slow-request log and the translation of failures wrap all operations here, once.
// Runs on the reactor of the exchange (large bodies are parsed and decoded on a thread of the dispatcher's); holds no
// state of a request. Built by server/.
#pragma once

#include <memory>
#include <string>

#include "api/caller_scope.h"
#include "api/registry.h"
#include "api/request_context.h"
#include "auth/site_policy.h"
#include "auth/verifier.h"
#include "base/metrics.h"
#include "net/handler.h"
#include "storage/job_thread.h"
#include "wire/decode.h"
#include "wire/json_document.h"

namespace armature::api {

namespace lambda {
struct RestOperation;
}

struct DispatcherOptions {
  std::string account;  // of every caller, unless each key has its own
  std::string region;   // for the health text, and of every caller if all share their tables
  int64_t slow_request_millis = 500;
  auth::SitePolicy sites{"127.0.0.1", {}, {}};  // whose requests are taken at all
  TableSharing sharing = TableSharing::kPerRegion;
};

class Dispatcher final : public net::Handler {
 public:
  // Everything passed in must outlive the dispatcher.
  Dispatcher(DispatcherOptions options, const Services& services, const auth::Verifier& verifier, Metrics& metrics);
  ~Dispatcher() override;

  Task<void> Handle(net::Exchange& exchange) override;

  // Ends what still works for requests on another thread: when the server has stopped, and before its reactors go,
  // which such work wakes.
  void Stop() { heavy_.Stop(); }

 private:
  struct OperationMetrics;

  struct Prepared;
  model::ApiResult<Prepared> Prepare(net::Exchange& exchange, const wire::OperationSchema** schema,
                                     wire::DecodeErrors& value_errors) const;
  Task<model::ApiResult<Prepared>> PrepareElsewhere(net::Exchange& exchange, const wire::OperationSchema** schema,
                                                    wire::DecodeErrors& value_errors);
  Task<model::ApiResult<void>> Answer(net::Exchange& exchange, const wire::OperationSchema** schema);
  Task<model::ApiResult<void>> AnswerRest(net::Exchange& exchange, const lambda::RestOperation& operation);
  void Record(const OperationMetrics& metrics, std::string_view operation, const net::HttpResponse& response,
              int64_t nanos, std::string_view request_id) const;

  const DispatcherOptions options_;
  const Services& services_;
  const auth::Verifier& verifier_;
  Metrics& metrics_;
  storage::JobThread heavy_;                               // prepares large requests
  std::unique_ptr<OperationMetrics[]> operation_metrics_;  // by operation; the last is for what is no operation
  std::unique_ptr<OperationMetrics[]> rest_metrics_;       // by REST operation
};

}  // namespace armature::api
