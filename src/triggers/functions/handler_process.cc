#include "triggers/functions/handler_process.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

extern "C" char** environ;  // NOLINT: POSIX names it so

namespace armature::triggers {

namespace {

constexpr size_t kMaxAnswerBytes = size_t{8} << 20;
constexpr int kPipeBytes = 1 << 20;   // a batch in few system calls; the kernel may give less
constexpr int kStopCheckMillis = 50;  // how soon a call notices that the server is to stop
constexpr int kPatienceAtEndMillis = 2000;

int64_t NowMillis() { return MonotonicNanos() / 1'000'000; }

Status SystemError(std::string_view what, int error) {
  const bool is_scarce = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
  return Status(is_scarce ? StatusCode::kUnavailable : StatusCode::kIoError,
                fmt::format("{}: {}", what, std::strerror(error)));
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }
  Status Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe", errno);
    read_end = ends[0];
    write_end = ends[1];
    fcntl(write_end, F_SETPIPE_SZ, kPipeBytes);
    return Status::Ok();
  }
};

// What the server was told for itself: its keys, for one.
constexpr std::string_view kServersOwn = "ARMATURE_";

// The server's environment without what is its own, and the function's on top.
std::vector<std::string> EnvironmentOf(const FunctionSpec& spec) {
  std::vector<std::string> lines;
  for (char** line = environ; *line; ++line) {
    const std::string_view text(*line);
    if (text.starts_with(kServersOwn) || spec.environment.contains(std::string(text.substr(0, text.find('=')))))
      continue;
    lines.emplace_back(text);
  }
  for (const auto& [name, value] : spec.environment) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

std::vector<char*> Pointers(std::vector<std::string>& lines) {
  std::vector<char*> pointers;
  pointers.reserve(lines.size() + 1);
  for (std::string& line : lines) pointers.push_back(line.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct ChildPlan {
  pid_t parent = 0;
  int input = -1;
  int output = -1;
  const char* directory = nullptr;  // null: stay
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  int failure = -1;  // takes the error if it does not come to exec; closed by exec
};

// Runs in the child, which shares our memory until exec: system calls only. The child gets a group of its own (so that
// what it starts can be ended with it) and the usual signals, which the server blocks and ignores; and it is asked to
// end when the server does, however that comes about.
[[noreturn]] void BecomeHandler(const ChildPlan& plan) {
  sigset_t none;
  sigemptyset(&none);
  setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const bool is_ready = getppid() == plan.parent && dup2(plan.input, STDIN_FILENO) >= 0 &&
                        dup2(plan.output, STDOUT_FILENO) >= 0 && (!plan.directory || chdir(plan.directory) == 0) &&
                        sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
  if (is_ready) execvpe(plan.arguments[0], plan.arguments, plan.environment);
  const int error = errno ? errno : ESRCH;
  _exit(write(plan.failure, &error, sizeof error) == sizeof error ? 127 : 126);
}

int Spawn(const FunctionSpec& spec, int child_input, int child_output, pid_t* pid) {
  std::vector<std::string> arguments = spec.command;
  std::vector<std::string> environment = EnvironmentOf(spec);
  const std::vector<char*> argument_pointers = Pointers(arguments);
  const std::vector<char*> environment_pointers = Pointers(environment);
  ChildPlan plan;
  plan.parent = getpid();
  plan.input = child_input;
  plan.output = child_output;
  plan.directory = spec.directory.empty() ? nullptr : spec.directory.c_str();
  plan.arguments = argument_pointers.data();
  plan.environment = environment_pointers.data();
  // Not by memory, although it is shared: a sanitizer makes a fork of this.
  Pipe failure;
  if (!failure.Open().ok()) return errno;
  plan.failure = failure.write_end;
  // Not fork: copying the page tables of a server with gigabytes of cache takes too long.
  *pid = vfork();
  if (*pid == 0) BecomeHandler(plan);
  if (*pid < 0) return errno;
  close(std::exchange(failure.write_end, -1));
  int error = 0;
  if (read(failure.read_end, &error, sizeof error) != sizeof error) return 0;
  waitpid(*pid, nullptr, 0);
  return error;
}

}  // namespace

Result<std::unique_ptr<HandlerProcess>> HandlerProcess::Start(const FunctionSpec& spec) {
  Pipe input, output;
  if (Status status = input.Open(); !status.ok()) return status;
  if (Status status = output.Open(); !status.ok()) return status;
  pid_t pid = 0;
  if (const int error = Spawn(spec, input.read_end, output.write_end, &pid); error != 0)
    return SystemError(fmt::format("cannot start {}", spec.command[0]), error);
  const int pid_fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  fcntl(input.write_end, F_SETFL, O_NONBLOCK);
  fcntl(output.read_end, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<HandlerProcess>(
      new HandlerProcess(pid, pid_fd, std::exchange(input.write_end, -1), std::exchange(output.read_end, -1)));
}

void HandlerProcess::CloseInput() {
  if (to_child_ >= 0) close(std::exchange(to_child_, -1));
}

// First by closing its input, then with a word, at last by force. A broken one is not worth waiting for.
void HandlerProcess::EndTogether(std::span<HandlerProcess* const> processes) {
  const auto await_all = [&] {
    const int64_t deadline = NowMillis() + kPatienceAtEndMillis;
    for (HandlerProcess* process : processes) {
      const int64_t left = std::max<int64_t>(deadline - NowMillis(), 0);
      if (!process->is_broken_) process->WaitForExit(static_cast<int>(left));
    }
  };
  const auto tell_all = [&](int signal) {
    for (HandlerProcess* process : processes)
      if (process->is_broken_ || !process->is_reaped_) kill(-process->pid_, process->is_broken_ ? SIGKILL : signal);
  };
  for (HandlerProcess* process : processes) process->CloseInput();
  await_all();
  tell_all(SIGTERM);
  await_all();
  tell_all(SIGKILL);
}

HandlerProcess::~HandlerProcess() {
  HandlerProcess* const self = this;
  EndTogether({&self, 1});
  if (!is_reaped_) waitpid(pid_, nullptr, 0);
  close(from_child_);
  if (pid_fd_ >= 0) close(pid_fd_);
}

bool HandlerProcess::WaitForExit(int millis) {
  if (is_reaped_) return true;
  pollfd exited{pid_fd_, POLLIN, 0};
  if (pid_fd_ >= 0) poll(&exited, 1, millis);
  is_reaped_ = waitpid(pid_, &exit_status_, WNOHANG) == pid_;
  return is_reaped_;
}

std::string HandlerProcess::HowItEnded() {
  if (!WaitForExit(kPatienceAtEndMillis)) return "the handler closed its output";
  if (WIFSIGNALED(exit_status_)) return fmt::format("the handler was ended by signal {}", WTERMSIG(exit_status_));
  return fmt::format("the handler ended with exit code {}", WEXITSTATUS(exit_status_));
}

bool HandlerProcess::is_usable() {
  if (is_broken_ || WaitForExit(0)) return false;
  pollfd output{from_child_, POLLIN, 0};
  return poll(&output, 1, 0) == 0;
}

bool HandlerProcess::ReadSome(std::string& answer, std::string& failure) {
  char buffer[64 * 1024];
  const ssize_t got = read(from_child_, buffer, sizeof buffer);
  if (got > 0) {
    answer.append(buffer, static_cast<size_t>(got));
    if (answer.size() > kMaxAnswerBytes) failure = "the handler's answer is too long";
  } else if (got == 0) {
    failure = HowItEnded();
  } else if (errno != EAGAIN && errno != EINTR) {
    failure = fmt::format("reading the handler's answer: {}", std::strerror(errno));
  }
  return failure.empty();
}

// Moves bytes both ways for at most so long: a handler that answers before it has read everything must not be waited
// for with a full pipe.
bool HandlerProcess::Exchange(std::string_view& unsent, std::string& answer, int wait_millis, std::string& failure) {
  pollfd ends[2] = {{from_child_, POLLIN, 0}, {to_child_, POLLOUT, 0}};
  const int ready = poll(ends, unsent.empty() ? 1 : 2, wait_millis);
  if (ready <= 0) return true;
  if (!unsent.empty() && ends[1].revents != 0) {
    const ssize_t sent = write(to_child_, unsent.data(), unsent.size());
    if (sent > 0) unsent.remove_prefix(static_cast<size_t>(sent));
    else if (sent < 0 && errno == EPIPE) return failure = HowItEnded(), false;
  }
  return ends[0].revents == 0 || ReadSome(answer, failure);
}

Result<std::string> HandlerProcess::Call(std::string_view event, int64_t timeout_millis, const std::stop_token& stop) {
  is_broken_ = true;  // until the answer is here
  std::string line(event);
  line.push_back('\n');
  std::string_view unsent = line;
  std::string answer, failure;
  int64_t deadline = NowMillis() + timeout_millis;
  bool is_stopping = false;
  for (;;) {
    const int64_t left = deadline - NowMillis();
    if (left <= 0)
      return Status::Unavailable(is_stopping ? std::string("the server is stopping")
                                             : fmt::format("the handler took more than {} ms", timeout_millis));
    if (!Exchange(unsent, answer, static_cast<int>(std::min<int64_t>(left, kStopCheckMillis)), failure))
      return Status::Unavailable(failure);
    if (answer.ends_with('\n')) break;
    if (!is_stopping && stop.stop_requested()) {
      is_stopping = true;
      deadline = std::min(deadline, NowMillis() + kStopGraceMillis);
    }
  }
  answer.pop_back();
  if (!unsent.empty()) return Status::Unavailable("the handler answered before it had read the event");
  if (answer.find('\n') != std::string::npos)
    return Status::Unavailable("the handler wrote more than one line for an event (print to standard error instead)");
  is_broken_ = false;
  return answer;
}

}  // namespace armature::triggers
