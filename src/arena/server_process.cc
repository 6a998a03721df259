#include "arena/server_process.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

namespace armature::arena {

ServerProcess::ServerProcess(ServerOptions options)
    : options_(std::move(options)), clock_file_(options_.data + ".clock"), deaths_{0} {
  ShiftClock(0);
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) Kill();
}

void ServerProcess::ShiftClock(int64_t seconds) {
  // Written in place, eight bytes at once: the server has the file mapped.
  const int file = open(clock_file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  const int64_t nanos = seconds * 1'000'000'000;
  if (pwrite(file, &nanos, sizeof nanos, 0) != sizeof nanos) std::perror("clock file");
  close(file);
}

Status ServerProcess::Start() {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return Status::IoError("pipe");
  // Core dumps: what a server in the arena dies of is worth a look, and its mapped files are looked at below.
  std::vector<std::string> arguments{options_.binary, "serve",       "--port", "0",           "--data",
                                     options_.data,   "--log-level", "error",  "--core-dumps"};
  arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  // Made before the fork: other threads may hold the allocator's locks in that moment.
  std::vector<std::string> settings;
  for (char** one = environ; *one; ++one) settings.emplace_back(*one);
  if (!options_.clock_library.empty()) {
    settings.push_back("LD_PRELOAD=" + options_.clock_library);
    settings.push_back("ARMATURE_CLOCK_SHIFT=" + clock_file_);
  }
  std::vector<char*> environment;
  for (std::string& setting : settings) environment.push_back(setting.data());
  environment.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) return Status::IoError("fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out[1], STDOUT_FILENO);
    execve(argv[0], argv.data(), environment.data());
    _exit(127);
  }
  close(out[1]);
  std::string line;
  char byte = 0;
  while (read(out[0], &byte, 1) == 1 && byte != '\n') line.push_back(byte);
  close(out[0]);
  unsigned port = 0;
  if (std::sscanf(line.c_str(), "armature ready on http://127.0.0.1:%u", &port) != 1) {
    const int code = Wait();
    return Status::Unavailable(fmt::format("the server did not start (exit {}): {}", code, line));
  }
  if (!options_.clock_library.empty() && !IsClockMapped()) {
    Kill();
    return Status::Unavailable("the server's clock cannot be set: is " + options_.clock_library + " there?");
  }
  MutexLock lock(mutex_);
  serving_ = {serving_.life + 1, static_cast<uint16_t>(port)};
  deaths_.push_back(kNever);
  is_serving_ = true;
  changed_.notify_all();
  return {};
}

int ServerProcess::Wait() {
  int code = 0;
  while (waitpid(pid_, &code, 0) < 0 && errno == EINTR) {}
  pid_ = -1;
  MutexLock lock(mutex_);
  if (is_serving_) deaths_.back() = MonotonicNanos();
  is_serving_ = false;
  return code;
}

bool ServerProcess::Kill() {
  kill(pid_, SIGKILL);
  const int code = Wait();
  return WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL;
}

bool ServerProcess::HasEnded() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

bool ServerProcess::IsClockMapped() const {
  std::ifstream file(fmt::format("/proc/{}/maps", pid_));
  const std::string maps(std::istreambuf_iterator<char>(file), {});
  return maps.find(std::filesystem::path(clock_file_).filename()) != std::string::npos;
}

int ServerProcess::Stop() {
  kill(pid_, SIGTERM);
  return Wait();
}

void ServerProcess::Pause() { kill(pid_, SIGSTOP); }
void ServerProcess::Resume() { kill(pid_, SIGCONT); }

bool ServerProcess::WaitForLife(uint32_t newer_than, Serving& serving) {
  MutexLock lock(mutex_);
  changed_.wait(
      lock, [&]() ARMATURE_WITH_LOCK(mutex_) { return is_retired_ || (is_serving_ && serving_.life > newer_than); });
  serving = serving_;
  return !is_retired_;
}

void ServerProcess::Retire() {
  MutexLock lock(mutex_);
  is_retired_ = true;
  changed_.notify_all();
}

std::vector<Time> ServerProcess::deaths() const {
  MutexLock lock(mutex_);
  return deaths_;
}

}  // namespace armature::arena
