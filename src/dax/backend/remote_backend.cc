#include "dax/backend/remote_backend.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/log_limit.h"
#include "dax/backend/call_signer.h"
#include "dax/backend/endpoint_reply.h"
#include "net/client/async_http_client.h"

namespace armature::dax {

namespace {

constexpr std::string_view kDefaultRegion = "us-east-1";
constexpr size_t kLongestRegion = 64;

// What it does no harm to ask twice.
bool IsRead(std::string_view operation) {
  static constexpr std::array<std::string_view, 6> kReads{"GetItem", "BatchGetItem",     "Query",
                                                          "Scan",    "TransactGetItems", "DescribeTable"};
  return std::ranges::find(kReads, operation) != kReads.end();
}

// It is a client's word, and goes into a header.
bool IsRegion(std::string_view region) {
  return !region.empty() && region.size() <= kLongestRegion && std::ranges::all_of(region, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

BackendError Overloaded() {
  return {
      .name = "ThrottlingException", .message = "Rate of requests exceeds the allowed throughput.", .http_status = 400};
}

BackendError NotARegion() {
  return {.name = "UnrecognizedClientException", .message = "The Region of the signature is none.", .http_status = 400};
}

BackendError Unreachable(std::string message, bool is_outcome_unknown) {
  return {.name = is_outcome_unknown ? "InternalServerError" : "ServiceUnavailable",
          .message = std::move(message),
          .http_status = is_outcome_unknown ? 500 : 503,
          .is_outcome_unknown = is_outcome_unknown};
}

// One call's place among those under way.
class Place {
 public:
  explicit Place(std::atomic<size_t>& count) : count_(count) {}
  ~Place() { count_.fetch_sub(1, std::memory_order_relaxed); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::atomic<size_t>& count_;
};

}  // namespace

// What one reactor has.
class RemoteBackend::Lane final : public net::ReactorLocal {
 public:
  Lane(RemoteBackend& of_backend, net::Reactor& on_reactor)
      : backend(of_backend),
        reactor(on_reactor),
        client(on_reactor, resolver,
               {.max_connections_per_host = of_backend.options_.max_connections,
                .max_idle_per_host = of_backend.options_.max_connections,
                .tls = of_backend.options_.tls}) {
    MutexLock lock(backend.mutex_);
    backend.lanes_.push_back(this);
  }
  // Threads that resume coroutines still touch the reactor when those have gone on: none may when it goes.
  ~Lane() override {
    backend.credentials_.AwaitQuiet();
    MutexLock lock(backend.mutex_);
    std::erase(backend.lanes_, this);
  }

  RemoteBackend& backend;
  net::Reactor& reactor;
  net::Resolver resolver;  // of its own, so that its threads have ended when the reactor goes
  net::AsyncHttpClient client;
  CallSigner signer;
};

struct RemoteBackend::Request {
  std::string_view operation;
  std::string_view json;
  std::string_view region;
  bool is_read;
  int64_t due_millis;  // of the reactor's clock
};

struct RemoteBackend::Attempt {
  BackendReply reply;
  bool may_be_repeated = false;
};

RemoteBackend::Counters::Counters(Metrics& metrics)
    : calls(metrics.GetCounter("armature_dax_endpoint_requests_total", "Requests of DAX nodes to their endpoint.")),
      failed(metrics.GetCounter("armature_dax_endpoint_failures_total",
                                "Of these, those that got no answer, or none that could be read.")),
      repeated(metrics.GetCounter("armature_dax_endpoint_repeats_total", "Requests sent again by a new connection.")),
      refused(metrics.GetCounter("armature_dax_endpoint_throttled_total",
                                 "Requests refused because too many were under way.")) {}

RemoteBackend::RemoteBackend(RemoteBackendOptions options, CredentialStore& credentials, const Clock& clock,
                             Metrics& metrics)
    : options_(std::move(options)), credentials_(credentials), clock_(clock), counters_(metrics) {
  assert(options_.tls || !options_.endpoint.is_secure);
}

RemoteBackend::~RemoteBackend() { assert(lanes_.empty()); }

RemoteBackend::Lane& RemoteBackend::LaneOfReactor() {
  net::Reactor* const reactor = net::Reactor::Current();
  assert(reactor != nullptr);
  if (auto* const local = reactor->FindLocal(this)) return static_cast<Lane&>(*local);
  auto made = std::make_unique<Lane>(*this, *reactor);
  Lane& lane = *made;
  reactor->AddLocal(this, std::move(made));
  return lane;
}

bool RemoteBackend::Enter() {
  if (under_way_.fetch_add(1, std::memory_order_relaxed) < options_.max_calls) return true;
  under_way_.fetch_sub(1, std::memory_order_relaxed);
  counters_.refused.Add();
  return false;
}

Task<BackendReply> RemoteBackend::Call(std::string_view operation, std::string_view json, const Scope& scope) {
  if (!Enter()) co_return Overloaded();
  const Place place(under_way_);
  Lane& lane = LaneOfReactor();
  // Behind the look at the lanes, so that none is missed by a Shutdown that this does not see.
  if (is_shut_.load()) co_return Unreachable("The node is stopping.", false);
  std::string_view region = options_.region.empty() ? scope.region : options_.region;
  if (region.empty()) region = kDefaultRegion;
  if (!IsRegion(region)) co_return NotARegion();
  counters_.calls.Add();
  const Request request{.operation = operation,
                        .json = json,
                        .region = region,
                        .is_read = IsRead(operation),
                        .due_millis = lane.reactor.now_millis() + options_.timeout_millis};
  co_return co_await Answer(lane, request);
}

Task<BackendReply> RemoteBackend::Answer(Lane& lane, const Request& request) {
  const CredentialsPtr credentials = credentials_.Current();
  Attempt attempt = co_await Try(lane, request, credentials, /*needs_new_connection=*/false);
  if (attempt.reply) co_return std::move(attempt.reply);
  if (IsRefusedKey(attempt.reply.error())) {
    CredentialsPtr renewed = co_await credentials_.Renew(credentials);
    const bool is_other = renewed != credentials && lane.reactor.now_millis() < request.due_millis;
    if (is_other) attempt = co_await Try(lane, request, std::move(renewed), /*needs_new_connection=*/false);
  } else if (attempt.may_be_repeated && lane.reactor.now_millis() < request.due_millis) {
    counters_.repeated.Add();
    attempt = co_await Try(lane, request, credentials, /*needs_new_connection=*/true);
  }
  co_return std::move(attempt.reply);
}

Task<RemoteBackend::Attempt> RemoteBackend::Try(Lane& lane, const Request& request, CredentialsPtr credentials,
                                                bool needs_new_connection) {
  const EndpointUrl& endpoint = options_.endpoint;
  SignedHeaders headers;
  lane.signer.Sign({.host = endpoint.authority,
                    .path = endpoint.path,
                    .operation = request.operation,
                    .body = request.json,
                    .region = request.region},
                   std::move(credentials), clock_.NowMillis() / 1000, headers);
  bool is_sent = false;
  net::HttpCall call;
  call.host = endpoint.host;
  call.port = endpoint.port;
  call.is_secure = endpoint.is_secure;
  call.target = endpoint.path;
  call.headers = std::move(headers.headers);
  call.body = request.json;
  call.is_repeatable = false;  // that is decided here
  call.needs_new_connection = needs_new_connection;
  call.is_sent = &is_sent;
  call.connect_timeout_millis = options_.connect_timeout_millis;
  call.timeout_millis = request.due_millis - lane.reactor.now_millis();
  call.max_reply_bytes = options_.max_reply_bytes;
  Result<net::HttpReply> reply = co_await lane.client.Send(std::move(call));

  if (!reply) co_return Fail(request, reply.error(), is_sent);
  if (!IsWhole(*reply)) {
    const auto what = fmt::format("the reply to {} was damaged, or is none of DynamoDB's", request.operation);
    co_return Fail(request, Status::IoError(what), is_sent);
  }
  if (reply->status == 200) co_return Attempt{std::string(reply->body)};
  BackendError error = ReadError(*reply);
  // An endpoint that failed may have done its work before.
  error.is_outcome_unknown = reply->status >= 500 && !request.is_read;
  co_return Attempt{std::move(error)};
}

RemoteBackend::Attempt RemoteBackend::Fail(const Request& request, const Status& status, bool is_sent) {
  static LogLimit limit;
  counters_.failed.Add();
  if (const auto left_out = limit.Pass())
    LogWarn("{}: {} ({} such failures before it were not logged)", request.operation, status.message(), *left_out);
  const bool is_unknown = is_sent && !request.is_read;
  const bool may_be_repeated = !is_unknown && status.code() != StatusCode::kInvalidArgument && !is_shut_.load();
  return {Unreachable(fmt::format("The endpoint could not be reached: {}", status.message()), is_unknown),
          may_be_repeated};
}

void RemoteBackend::Shutdown() {
  is_shut_.store(true);
  MutexLock lock(mutex_);
  for (Lane* lane : lanes_) Close(*lane);
}

async_detail::Detached RemoteBackend::Close(Lane& lane) {
  co_await lane.reactor.Enter();
  lane.client.Shutdown();
}

}  // namespace armature::dax
