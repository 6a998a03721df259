#include "net/client/async_http_client.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/client/reply_reader.h"
#include "net/transport/transport.h"

namespace armature::net {

// The connections to one host and port.
struct AsyncHttpClient::Host {
  const std::string authority;    // behind https:// if it is reached by TLS: those connections are others
  size_t open = 0;                // also those being made
  std::vector<Connection*> idle;  // who was used last is the last
  std::deque<Call*> waiting;      // for a connection

  void Release() {
    --open;
    CallNext();
  }
  void CallNext();
};

// Shared with every connection: a transport is deleted at the end of a turn, when the client may be gone.
struct AsyncHttpClient::Core {
  Core(Reactor& on_reactor, Resolver& with_resolver, const AsyncHttpClientOptions& with_options)
      : reactor(on_reactor), resolver(with_resolver), options(with_options), memory(options.max_buffered_bytes) {}

  std::shared_ptr<Host> HostOf(const std::string& authority) {
    std::shared_ptr<Host>& host = hosts[authority];
    if (!host) host = std::make_shared<Host>(Host{.authority = authority, .idle = {}, .waiting = {}});
    return host;
  }
  // A host with which nothing is going on.
  void Forget(const Host& host) {
    if (host.open != 0 || !host.waiting.empty()) return;
    const auto found = hosts.find(host.authority);
    if (found != hosts.end() && found->second.get() == &host) hosts.erase(found);
  }

  Reactor& reactor;
  Resolver& resolver;
  const AsyncHttpClientOptions options;
  MemoryLedger memory;
  Counter evicted, timed_out;
  const std::function<bool()> overloaded;
  // A call has its own deadline; the transport's are for connections that are kept.
  TransportContext transports{
      .reactor = reactor,
      .memory = memory,
      .limits = {.idle_timeout_millis = options.idle_timeout_millis,
                 .message_timeout_millis = TimerWheel::kNever,
                 .min_bytes_per_second = 1,
                 .write_stall_timeout_millis = TimerWheel::kNever},
      .counters = {evicted, timed_out},
      .overloaded = overloaded,
      .on_gone = {},
  };
  std::map<std::string, std::shared_ptr<Host>> hosts;  // by authority
  std::vector<Call*> calls;                            // under way
  bool is_shut = false;
};

// One connection: idle, or with one call.
class AsyncHttpClient::Connection final : public Session {
 public:
  Connection(std::shared_ptr<Core> core, std::shared_ptr<Host> host, Transport& transport, Call& call)
      : core_(std::move(core)), host_(std::move(host)), transport_(transport), call_(&call) {}

  // It counts as one of its host's from now on, until it is closed.
  void Keep() { is_kept_ = true; }
  void Ask(Call& call, const HttpCall& request);
  // Nobody waits for it any more.
  void Abort() {
    call_ = nullptr;
    reader_.reset();
    transport_.Close();
  }

  Progress OnInput() override;
  size_t MaxInputBytes() const override { return reader_ ? reader_->MaxInputBytes() : 0; }
  void OnGivenUp(GiveUp why) override;
  void OnPeerFinished() override;
  void OnConnected() override;
  void OnClosed(int error) override;

 private:
  void Deliver();
  void Fail();

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<Host> host_;
  Transport& transport_;
  Call* call_;
  std::optional<ReplyReader> reader_;  // while a reply is awaited
  bool is_kept_ = false;
};

// One call under way, on its coroutine's frame. Its state is set by events and read by the coroutine, which is woken by
// each: it never relies on what woke it.
class AsyncHttpClient::Call final : public Timer {
 public:
  Call(std::shared_ptr<Core> core, const HttpCall& request)
      : core_(std::move(core)),
        request_(request),
        host_(core_->HostOf(request.is_secure ? "https://" + AuthorityOf(request) : AuthorityOf(request))),
        due_millis_(core_->reactor.now_millis() + request.timeout_millis) {
    core_->calls.push_back(this);
  }
  ~Call() override {
    if (connection_ != nullptr) connection_->Abort();
    std::erase(core_->calls, this);
    core_->Forget(*host_);
  }

  Task<Result<HttpReply>> Run();
  void Cancel() {
    is_cancelled_ = true;
    Wake();
  }
  void Wake() {
    if (query_) query_->Abandon();
    else if (!event_.finished()) event_.Finish();
  }

  // --- From its connection

  void OnConnected() {
    is_connected_ = true;
    Wake();
  }
  // Nothing of it is used after this.
  void OnReply(HttpReply reply) {
    connection_ = nullptr;
    reply_.emplace(std::move(reply));
    Wake();
  }
  void OnLost(Status status, bool nothing_came) {
    connection_ = nullptr;
    failure_ = std::move(status);
    nothing_came_ = nothing_came;
    Wake();
  }

 private:
  // A connection that waits for a request, kept or new.
  Task<Status> Acquire(bool must_be_new);
  Task<Status> ConnectToAny();
  Task<Result<SocketAddresses>> LookUp();
  Task<Status> Connect(SocketAddress address);
  Status Open(const SocketAddress& address);
  Task<Result<HttpReply>> Ask();

  Task<void> Wait() {
    co_await event_;
    event_.Rearm();
  }
  void OnTimer(int64_t) override {
    is_due_ = true;
    Wake();
  }
  void SetTimer(int64_t due_millis) {
    is_due_ = false;
    core_->reactor.Schedule(*this, std::min(due_millis, due_millis_));
  }
  bool IsOutOfTime() const { return core_->reactor.now_millis() >= due_millis_; }
  bool HasEnded() const { return is_cancelled_ || (is_due_ && IsOutOfTime()); }
  Status Ended() const {
    if (is_cancelled_) return Status::Unavailable("the client is shut down");
    return Status::Unavailable(
        fmt::format("no answer from {} within {} ms", host_->authority, request_.timeout_millis));
  }

  const std::shared_ptr<Core> core_;
  const HttpCall& request_;
  const std::shared_ptr<Host> host_;
  const int64_t due_millis_;
  Completion event_;
  std::shared_ptr<Resolver::Query> query_;  // while it waits for that
  Connection* connection_ = nullptr;        // null again when it is lost, or has the reply
  bool is_cancelled_ = false;
  bool is_due_ = false;  // the timer that was set last has fired
  bool is_connected_ = false;
  bool is_reused_ = false;
  bool nothing_came_ = false;  // of the reply, before the connection was lost
  Status failure_;
  std::optional<HttpReply> reply_;
};

void AsyncHttpClient::Host::CallNext() {
  if (waiting.empty()) return;
  Call* const next = waiting.front();
  waiting.pop_front();
  next->Wake();
}

// --- A connection

void AsyncHttpClient::Connection::Ask(Call& call, const HttpCall& request) {
  call_ = &call;
  reader_.emplace(ReplyLimits{.max_body_bytes = request.max_reply_bytes}, request.method == "HEAD");
  transport_.SetIdleTimeout(TimerWheel::kNever);
  Buffer& out = transport_.output();
  RenderCallHead(request, out);
  if (request.body.size() <= out.free_bytes()) out.Append(request.body);
  else transport_.SendFrom(request.body);
  transport_.Advance();
}

Session::Progress AsyncHttpClient::Connection::OnInput() {
  if (!reader_) {  // nothing was asked, or not yet
    transport_.Close(EPROTO);
    return Progress::kStopped;
  }
  const ParseState state = reader_->Read(transport_.input());
  if (state == ParseState::kNeedMore) return Progress::kNeedMore;
  const bool can_reuse = state == ParseState::kComplete && reader_->CanReuse(transport_.input()) &&
                         !transport_.HasOutput() && !core_->is_shut &&
                         host_->idle.size() < core_->options.max_idle_per_host;
  if (state == ParseState::kComplete) Deliver();
  else Fail();
  if (!can_reuse) {
    transport_.Close();
    return Progress::kStopped;
  }
  transport_.SetIdleTimeout(core_->options.idle_timeout_millis);
  host_->idle.push_back(this);
  host_->CallNext();
  return Progress::kTook;
}

void AsyncHttpClient::Connection::OnPeerFinished() {
  if (reader_ && !reader_->is_untouched(transport_.input())) {
    if (reader_->ReadEnd(transport_.input()) == ParseState::kComplete) Deliver();
    else Fail();
  }
  transport_.Close();
}

void AsyncHttpClient::Connection::OnGivenUp(GiveUp) {
  if (call_ != nullptr)
    std::exchange(call_, nullptr)
        ->OnLost(Status::Unavailable(fmt::format("no memory for the reply of {}", host_->authority)),
                 /*nothing_came=*/false);
  transport_.Close();
}

void AsyncHttpClient::Connection::OnConnected() {
  if (call_ != nullptr) call_->OnConnected();
}

void AsyncHttpClient::Connection::OnClosed(int error) {
  std::erase(host_->idle, this);
  if (std::exchange(is_kept_, false)) host_->Release();
  core_->Forget(*host_);
  if (call_ == nullptr) return;
  const std::string& authority = host_->authority;
  const std::string_view problem = transport_.tls_problem();
  const std::string_view reason = !problem.empty() ? problem
                                  : error == 0     ? "the connection was closed"
                                                   : strerror(error);
  const bool nothing_came = !reader_ || reader_->is_untouched(transport_.input());
  const char* const what = reader_ ? "no answer from" : "cannot connect to";
  std::exchange(call_, nullptr)
      ->OnLost(nothing_came ? Status::Unavailable(fmt::format("{} {}: {}", what, authority, reason))
                            : Status::IoError(fmt::format("the reply of {} ends early: {}", authority, reason)),
               nothing_came);
}

void AsyncHttpClient::Connection::Deliver() {
  std::exchange(call_, nullptr)->OnReply(reader_->Take(transport_.input()));
  reader_.reset();
}

void AsyncHttpClient::Connection::Fail() {
  const std::string& authority = host_->authority;
  std::exchange(call_, nullptr)
      ->OnLost(Status::IoError(fmt::format("{}: {}", authority, reader_->error())), /*nothing_came=*/false);
  reader_.reset();
}

// --- A call

Task<Result<HttpReply>> AsyncHttpClient::Call::Run() {
  SetTimer(due_millis_);
  Status acquired = co_await Acquire(request_.needs_new_connection);
  if (!acquired.ok()) co_return acquired;
  Result<HttpReply> reply = co_await Ask();
  // The peer may have closed a kept connection while we were writing to it, and never seen the request.
  const bool was_stale = !reply && is_reused_ && nothing_came_ && !HasEnded();
  if (!was_stale || !IsRepeatable(request_)) co_return reply;
  acquired = co_await Acquire(/*must_be_new=*/true);
  if (!acquired.ok()) co_return acquired;
  co_return co_await Ask();
}

Task<Status> AsyncHttpClient::Call::Acquire(bool must_be_new) {
  for (bool has_waited = false;; has_waited = true) {
    // If one of them was stale the others hardly are not.
    while (must_be_new && !host_->idle.empty()) host_->idle.back()->Abort();
    if (!host_->idle.empty()) {
      connection_ = host_->idle.back();
      host_->idle.pop_back();
      is_reused_ = true;
      co_return Status::Ok();
    }
    if (host_->open < core_->options.max_connections_per_host) break;
    // Who was called and found that another had been quicker does not go to the end again.
    if (has_waited) host_->waiting.push_front(this);
    else host_->waiting.push_back(this);
    co_await Wait();
    std::erase(host_->waiting, this);
    if (!HasEnded()) continue;
    host_->CallNext();  // it may have been called for what it leaves
    co_return Ended();
  }
  is_reused_ = false;
  ++host_->open;
  Status status;
  try {
    status = co_await ConnectToAny();
  } catch (...) {
    host_->Release();
    throw;
  }
  if (status.ok()) connection_->Keep();
  else host_->Release();
  co_return status;
}

Task<Status> AsyncHttpClient::Call::ConnectToAny() {
  Result<SocketAddresses> addresses = co_await LookUp();
  if (!addresses) co_return addresses.error();
  Status status = Status::Unavailable(fmt::format("{} has no address", host_->authority));
  for (const SocketAddress& address : *addresses) {
    status = co_await Connect(address);
    if (status.ok() || HasEnded()) break;
  }
  SetTimer(due_millis_);
  co_return status;
}

Task<Result<SocketAddresses>> AsyncHttpClient::Call::LookUp() {
  if (const auto numeric = ParseNumericAddress(request_.host, request_.port)) co_return SocketAddresses{*numeric};
  const std::shared_ptr<Resolver::Query> query = core_->resolver.Start(request_.host, request_.port);
  query_ = query;
  co_await *query;
  query_.reset();
  if (HasEnded()) co_return Ended();
  co_return std::move(query->answer());
}

Task<Status> AsyncHttpClient::Call::Connect(SocketAddress address) {
  is_connected_ = false;
  failure_ = Status::Ok();
  if (Status status = Open(address); !status.ok()) co_return status;
  SetTimer(core_->reactor.now_millis() + request_.connect_timeout_millis);
  while (connection_ != nullptr && !is_connected_ && !is_due_ && !is_cancelled_) co_await Wait();
  if (connection_ == nullptr) co_return failure_;
  if (is_connected_ && !is_cancelled_) co_return Status::Ok();
  std::exchange(connection_, nullptr)->Abort();
  if (HasEnded()) co_return Ended();
  co_return Status::Unavailable(
      fmt::format("cannot connect to {} within {} ms", host_->authority, request_.connect_timeout_millis));
}

Status AsyncHttpClient::Call::Open(const SocketAddress& address) {
  const auto failure = [&](int error) {
    return Status::Unavailable(fmt::format("cannot connect to {}: {}", host_->authority, strerror(error)));
  };
  const int fd = socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failure(errno);
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  if (connect(fd, address.get(), address.size) != 0 && errno != EINPROGRESS) {
    const int error = errno;
    close(fd);
    return failure(error);
  }
  Transport* transport = nullptr;
  try {
    std::unique_ptr<TlsStream> tls = request_.is_secure ? core_->options.tls->Connect(fd, request_.host) : nullptr;
    if (request_.is_secure && !tls) throw std::bad_alloc();
    transport = new Transport(core_->transports, fd, address.bytes);
    auto connection = std::make_unique<Connection>(core_, host_, *transport, *this);
    connection_ = connection.get();
    transport->SetIdleTimeout(TimerWheel::kNever);
    if (tls) transport->OpenTls(std::move(connection), std::move(tls), Transport::Link::kConnecting);
    else transport->Open(std::move(connection), Transport::Link::kConnecting);
  } catch (const std::bad_alloc&) {
    if (transport != nullptr) transport->Close(ENOMEM);
    else close(fd);
    throw;
  }
  return connection_ != nullptr ? Status::Ok() : failure_;
}

Task<Result<HttpReply>> AsyncHttpClient::Call::Ask() {
  failure_ = Status::Ok();
  nothing_came_ = false;
  if (request_.is_sent != nullptr) *request_.is_sent = true;
  connection_->Ask(*this, request_);
  while (connection_ != nullptr && !HasEnded()) co_await Wait();
  if (reply_) co_return std::move(*reply_);
  if (connection_ == nullptr) co_return failure_;
  std::exchange(connection_, nullptr)->Abort();
  co_return Ended();
}

// --- The client

AsyncHttpClient::AsyncHttpClient(Reactor& reactor, Resolver& resolver, const AsyncHttpClientOptions& options)
    : core_(std::make_shared<Core>(reactor, resolver, options)) {}

AsyncHttpClient::~AsyncHttpClient() { Shutdown(); }

Task<Result<HttpReply>> AsyncHttpClient::Send(HttpCall call) {
  if (Status status = CheckCall(call); !status.ok()) co_return status;
  const std::shared_ptr<Core> core = core_;
  if (core->is_shut) co_return Status::Unavailable("the client is shut down");
  if (call.is_secure && !core->options.tls)
    co_return Status::InvalidArgument("a secure request needs a client that was told whom to believe");
  Call under_way(core, call);
  co_return co_await under_way.Run();
}

void AsyncHttpClient::Shutdown() {
  core_->is_shut = true;
  for (Call* call : core_->calls) call->Cancel();
  std::vector<Connection*> idle;
  for (const auto& [authority, host] : core_->hosts) idle.insert(idle.end(), host->idle.begin(), host->idle.end());
  for (Connection* connection : idle) connection->Abort();
}

size_t AsyncHttpClient::connection_count() const {
  size_t count = 0;
  for (const auto& [authority, host] : core_->hosts) count += host->open;
  return count;
}

size_t AsyncHttpClient::idle_count() const {
  size_t count = 0;
  for (const auto& [authority, host] : core_->hosts) count += host->idle.size();
  return count;
}

}  // namespace armature::net
