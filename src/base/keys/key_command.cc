#include "base/keys/key_command.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/keys/key_source.h"

namespace armature {

namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }
  int get() const { return descriptor_; }
  void Close() {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_;
};

// How a child is to begin. The calls below fail only for want of memory; then it is not started.
class Beginning {
 public:
  explicit Beginning(int output) {
    is_made_ = posix_spawn_file_actions_init(&actions_) == 0 && posix_spawnattr_init(&attributes_) == 0;
    sigset_t none, piped;
    sigemptyset(&none);
    sigemptyset(&piped);
    sigaddset(&piped, SIGPIPE);  // this process ignores it
    constexpr short kFlags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    // The output first: it may itself be 0 or 2, where this process was started without them.
    is_made_ = is_made_ && posix_spawn_file_actions_adddup2(&actions_, output, 1) == 0 &&
               posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0) == 0 &&
               posix_spawn_file_actions_addopen(&actions_, 2, "/dev/null", O_WRONLY, 0) == 0 &&
               posix_spawn_file_actions_addclosefrom_np(&actions_, 3) == 0 &&
               posix_spawnattr_setsigmask(&attributes_, &none) == 0 &&
               posix_spawnattr_setsigdefault(&attributes_, &piped) == 0 &&
               posix_spawnattr_setpgroup(&attributes_, 0) == 0 && posix_spawnattr_setflags(&attributes_, kFlags) == 0;
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;
  ~Beginning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  int Spawn(const std::string& command, std::vector<char*>& environment, pid_t& pid) const {
    if (!is_made_) return ENOMEM;
    std::string shell = "sh", option = "-c", line = command;
    char* const arguments[] = {shell.data(), option.data(), line.data(), nullptr};
    return posix_spawn(&pid, "/bin/sh", &actions_, &attributes_, arguments, environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  bool is_made_ = false;
};

std::vector<char*> EnvironmentWithoutKeys() {
  std::vector<char*> environment;
  for (char** entry = environ; entry && *entry; ++entry)
    if (!IsKeyVariable(*entry)) environment.push_back(*entry);
  environment.push_back(nullptr);
  return environment;
}

// A child that is running. Ended, with whatever it has started, when this goes.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid), handle_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (is_reaped_) return;
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {}
  }

  bool WaitUntil(Clock::time_point deadline);
  int status() const { return status_; }

 private:
  const pid_t pid_;
  const Descriptor handle_;
  int status_ = 0;
  bool is_reaped_ = false;
};

int MillisUntil(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

bool Child::WaitUntil(Clock::time_point deadline) {
  // Where the kernel has no handles of processes, it is asked now and then.
  constexpr int kStepMillis = 5;
  for (;;) {
    is_reaped_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    const int left = MillisUntil(deadline);
    if (is_reaped_ || left == 0) return is_reaped_;
    pollfd ended{handle_.get(), POLLIN, 0};
    if (handle_.get() >= 0) poll(&ended, 1, left);
    else poll(nullptr, 0, std::min(left, kStepMillis));
  }
}

void Forget(std::string& text) {
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

// All it prints, until it closes its output. Room is taken at once, so that no copy of a key stays behind.
Status ReadOutput(int output, const KeyCommandLimits& limits, Clock::time_point deadline, std::string& text) {
  text.resize(limits.bytes + 1);
  size_t size = 0;
  while (size < text.size()) {
    pollfd readable{output, POLLIN, 0};
    const int left = MillisUntil(deadline);
    const int ready = poll(&readable, 1, left);
    if (ready == 0 && left == 0)
      return Status::Unavailable(fmt::format("it took longer than {} s", limits.millis / 1000.0));
    if (ready <= 0) continue;
    const ssize_t got = read(output, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status::IoError(fmt::format("its output cannot be read: {}", std::strerror(errno)));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > limits.bytes) return Status::InvalidArgument(fmt::format("it printed more than {} bytes", limits.bytes));
  text.resize(size);
  return Status::Ok();
}

Status HowItEnded(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Status::Ok();
  if (WIFSIGNALED(status)) return Status::InvalidArgument(fmt::format("it was ended by signal {}", WTERMSIG(status)));
  return Status::InvalidArgument(fmt::format("it ended with exit status {}", WEXITSTATUS(status)));
}

}  // namespace

Result<std::string> RunKeyCommand(const std::string& command, const KeyCommandLimits& limits) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(limits.millis);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Status::IoError(fmt::format("it cannot be started: {}", std::strerror(errno)));
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  std::vector<char*> environment = EnvironmentWithoutKeys();
  pid_t pid = 0;
  if (const int error = Beginning(input.get()).Spawn(command, environment, pid); error != 0)
    return Status::IoError(fmt::format("it cannot be started: {}", std::strerror(error)));
  Child child(pid);
  input.Close();
  std::string text;
  Status status = ReadOutput(output.get(), limits, deadline, text);
  if (status.ok() && !child.WaitUntil(deadline))
    status = Status::Unavailable(fmt::format("it took longer than {} s", limits.millis / 1000.0));
  if (status.ok()) status = HowItEnded(child.status());
  if (status.ok()) return text;
  Forget(text);
  return status;
}

}  // namespace armature
