#include "cli/bench/driver_thread.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace armature::cli::bench {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kPatienceNs = 30 * kSecond;  // silence on all connections for this long ends the run
constexpr size_t kMaxExamples = 3;
constexpr size_t kMaxExampleBody = 300;

int64_t ClockNanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

std::string ErrnoText(std::string_view call) { return fmt::format("{}: {}", call, std::strerror(errno)); }

}  // namespace

int64_t NowNanoseconds() { return ClockNanoseconds(CLOCK_MONOTONIC); }

DriverThread::DriverThread(const Options& options, std::unique_ptr<Workload> workload, std::unique_ptr<Wire> wire)
    : endpoint_(options.dax ? *options.dax : options.endpoint),
      workload_(std::move(workload)),
      wire_(std::move(wire)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wall_minus_monotonic_ns_(ClockNanoseconds(CLOCK_REALTIME) - NowNanoseconds()) {}

DriverThread::~DriverThread() {
  if (epoll_ >= 0) close(epoll_);
}

Result<void> DriverThread::Open(Connection& connection) {
  ARMATURE_TRY(connection.socket, Socket::Connect(endpoint_));
  ARMATURE_CHECK_OK(connection.socket.MakeNonBlocking());
  connection.parser = wire_->MakeParser();
  connection.is_greeted = false;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &connection;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket.fd(), &event) != 0)
    return Status::IoError(ErrnoText("epoll_ctl"));
  return {};
}

Result<void> DriverThread::Connect(uint32_t connections) {
  for (uint32_t i = 0; i < connections; ++i) {
    auto& connection = connections_.emplace_back(std::make_unique<Connection>());
    ARMATURE_CHECK_OK(Open(*connection));
    idle_.push_back(connection.get());
  }
  return {};
}

// Whether the plan asks for another request at this time.
bool DriverThread::MayStart(int64_t now) const {
  const bool is_planned = plan_.requests != 0 ? issued_ < plan_.requests : now < plan_.measure_until_ns;
  return is_planned && workload_->HasNext();
}

// Gives free connections their next request: all at once in the closed loop, those that are due in the open one.
Result<void> DriverThread::StartDue(int64_t now) {
  while (!idle_.empty() && MayStart(now)) {
    int64_t since = now;
    if (plan_.interval_ns > 0) {
      if (next_due_ns_ > now) break;
      since = next_due_ns_;
      due_ns_ += plan_.interval_ns;
      next_due_ns_ = static_cast<int64_t>(due_ns_);
    }
    Connection& connection = *idle_.back();
    idle_.pop_back();
    ARMATURE_CHECK_OK(Start(connection, since, now));
  }
  return {};
}

Result<void> DriverThread::Start(Connection& connection, int64_t since_ns, int64_t now) {
  body_.clear();
  workload_->Next(connection.operation, body_);
  connection.request.clear();
  const int64_t unix_seconds = (now + wall_minus_monotonic_ns_) / kSecond;
  if (!std::exchange(connection.is_greeted, true)) wire_->Greet(unix_seconds, connection.request);
  wire_->AppendRequest(connection.operation.target, body_, unix_seconds, *connection.parser, connection.request);
  connection.sent = 0;
  // The closed loop's latency begins when the request is ready, not before it was written and signed.
  connection.since_ns = plan_.interval_ns > 0 ? since_ns : NowNanoseconds();
  connection.is_counted = plan_.requests != 0 && now >= plan_.measure_from_ns;
  connection.is_busy = true;
  ++busy_;
  if (connection.is_counted) ++issued_;
  return Flush(connection);
}

Result<void> DriverThread::Flush(Connection& connection) {
  const std::string_view rest = std::string_view(connection.request).substr(connection.sent);
  const ssize_t sent = connection.socket.Send(rest);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return Break(connection, ErrnoText("send"));
  connection.sent += static_cast<size_t>(std::max<ssize_t>(sent, 0));
  const bool wants_write = connection.sent < connection.request.size();
  if (wants_write == connection.waits_for_write) return {};
  epoll_event event{};
  event.events = wants_write ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.ptr = &connection;
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.socket.fd(), &event) != 0)
    return Status::IoError(ErrnoText("epoll_ctl"));
  connection.waits_for_write = wants_write;
  return {};
}

Result<void> DriverThread::OnReadable(Connection& connection) {
  const std::span<char> space = connection.parser->Space();
  const ssize_t received = connection.socket.Receive(space);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (received <= 0)
    return Break(connection, received == 0 ? "the server closed the connection" : ErrnoText("receive"));
  connection.parser->Received(static_cast<size_t>(received));
  const AnswerParser::State state = connection.parser->Parse();
  if (state == AnswerParser::State::kNeedMore)
    return connection.socket.HasPending() ? OnReadable(connection) : Result<void>{};
  if (state == AnswerParser::State::kBad || !connection.is_busy) return Break(connection, "bytes that are no answer");
  Complete(connection);
  if (connection.parser->closes()) return Break(connection, {});
  connection.parser->Consume();
  idle_.push_back(&connection);
  return {};
}

void DriverThread::Complete(Connection& connection) {
  const int64_t now = NowNanoseconds();
  connection.is_busy = false;
  --busy_;
  const Answer answer{connection.parser->status(), connection.parser->body()};
  why_.clear();
  if (!workload_->Verify(connection.operation, answer, why_)) return CountError(connection.operation, answer, why_);
  const bool is_measured =
      plan_.requests != 0 ? connection.is_counted : now >= plan_.measure_from_ns && now < plan_.measure_until_ns;
  if (!is_measured) return;
  counts_.latency_ns.Record(static_cast<uint64_t>(std::max<int64_t>(now - connection.since_ns, 0)));
  counts_.finished_ns = now;
}

// Replaces a connection that ended. An answer still owed on it is lost and counts as an error; a server may also
// close a connection after an answer ("Connection: close"), which is no error.
Result<void> DriverThread::Break(Connection& connection, std::string_view why) {
  if (connection.is_busy) {
    connection.is_busy = false;
    --busy_;
    workload_->Lost(connection.operation);
    CountError(connection.operation, {}, why);
  }
  connection.socket = Socket();
  connection.waits_for_write = false;
  ARMATURE_CHECK_OK(Open(connection));
  idle_.push_back(&connection);
  return {};
}

void DriverThread::CountError(const Operation& operation, const Answer& answer, std::string_view why) {
  ++counts_.errors;
  if (counts_.error_examples.size() >= kMaxExamples) return;
  counts_.error_examples.push_back(fmt::format("{} of key {}: {} (status {}, body {})", operation.target, operation.key,
                                               why, answer.status, answer.body.substr(0, kMaxExampleBody)));
}

// When the loop has to wake even if no answer comes.
int64_t DriverThread::WaitUntil(int64_t now) const {
  if (!MayStart(now)) return now + kPatienceNs;
  if (plan_.interval_ns > 0 && !idle_.empty()) return next_due_ns_;
  return std::min(plan_.measure_until_ns, now + kPatienceNs);
}

Result<void> DriverThread::Run(const ThreadPlan& plan) {
  plan_ = plan;
  next_due_ns_ = plan.first_due_ns;
  due_ns_ = static_cast<double>(plan.first_due_ns);
  prctl(PR_SET_TIMERSLACK, 1000UL);  // ns; the open loop wants to send on time
  std::array<epoll_event, 256> events;
  for (;;) {
    int64_t now = NowNanoseconds();
    ARMATURE_CHECK_OK(StartDue(now));
    if (busy_ == 0 && !MayStart(now)) break;
    const int64_t wait_ns = std::max<int64_t>(WaitUntil(now) - now, 0);
    const timespec timeout{wait_ns / kSecond, wait_ns % kSecond};
    const int ready = epoll_pwait2(epoll_, events.data(), events.size(), &timeout, nullptr);
    if (ready < 0 && errno != EINTR) return Status::IoError(ErrnoText("epoll_pwait2"));
    now = NowNanoseconds();
    if (ready == 0 && busy_ > 0 && wait_ns >= kPatienceNs) {
      return Status::Unavailable(fmt::format("no answer in {} s to {} requests", kPatienceNs / kSecond, busy_));
    }
    for (int i = 0; i < ready; ++i) {
      auto& connection = *static_cast<Connection*>(events[static_cast<size_t>(i)].data.ptr);
      if ((events[static_cast<size_t>(i)].events & EPOLLOUT) != 0) ARMATURE_CHECK_OK(Flush(connection));
      if ((events[static_cast<size_t>(i)].events & ~uint32_t{EPOLLOUT}) != 0) ARMATURE_CHECK_OK(OnReadable(connection));
      // Closed loop: answer at once, so that a long list of events does not delay the next request.
      if (plan_.interval_ns == 0) ARMATURE_CHECK_OK(StartDue(now));
    }
  }
  if (plan_.interval_ns > 0 && plan_.requests == 0 && next_due_ns_ < plan_.measure_until_ns) {
    counts_.unsent =
        static_cast<uint64_t>(static_cast<double>(plan_.measure_until_ns - next_due_ns_) / plan_.interval_ns);
  }
  return {};
}

}  // namespace armature::cli::bench
