// ServerProcess: an `armature serve` that is started, killed, paused and given another time of day.
//
// Owns the child process, from a fork to the wait for its end. Each start is a life with a number; when a life
// is surely over is taken down. The clock is shifted through a file that clock_shift.cc, preloaded into the server,
// looks at. Start, Kill and the like belong to one
// thread, and the server ends with it; port, life and WaitForLife are anybody's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arena/history/history.h"
#include "base/mutex.h"
#include "base/result.h"

namespace armature::arena {

struct ServerOptions {
  std::string binary;
  std::string data;
  std::vector<std::string> arguments;
  std::string clock_library;  // empty: its clock is left alone
};

class ServerProcess {
 public:
  explicit ServerProcess(ServerOptions options);
  // For the next life.
  void SetArguments(std::vector<std::string> arguments) { options_.arguments = std::move(arguments); }
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  Status Start();
  // SIGKILL, and until it is gone. False if it had ended before, by itself.
  bool Kill();
  // Whether it has ended by itself.
  bool HasEnded() const;
  // SIGTERM; what it exits with.
  int Stop();
  void Pause();
  void Resume();
  // Its time of day from now on, against the real one.
  void ShiftClock(int64_t seconds);

  // A life newer than `life`, once it serves; false if there will be none.
  struct Serving {
    uint32_t life = 0;
    uint16_t port = 0;
  };
  bool WaitForLife(uint32_t newer_than, Serving& serving);
  // No further life will come: nobody is to wait.
  void Retire();

  // By life: when it was surely over, kNever if it is not. Life 0 never was.
  std::vector<Time> deaths() const;
  int pid() const { return pid_; }

 private:
  int Wait();
  // Whether the clock that it looks at is the one that is shifted.
  bool IsClockMapped() const;

  ServerOptions options_;
  const std::string clock_file_;
  int pid_ = -1;
  mutable Mutex mutex_;
  armature::Condition changed_;
  Serving serving_ ARMATURE_GUARDED_BY(mutex_);
  bool is_serving_ ARMATURE_GUARDED_BY(mutex_) = false;
  bool is_retired_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::vector<Time> deaths_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::arena
