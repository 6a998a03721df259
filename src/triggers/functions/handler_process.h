// HandlerProcess: one long-lived program that is fed events and answers them, a line of JSON each.
//
// Owns the child, its process group and the two pipes. Standard error is the server's own. A process that was silent
// for too long, ended, or wrote something it was not asked for is of no more use: it is killed with all its children,
// and its owner starts another. One thread at a time; SIGPIPE must be ignored. Used by CommandFunction.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "triggers/functions/function.h"

namespace armature::triggers {

class HandlerProcess {
 public:
  // The process is asked to end when the calling thread ends: call it on one that lives as long as the server needs it.
  // kUnavailable: the machine has no process or descriptor to give just now.
  static Result<std::unique_ptr<HandlerProcess>> Start(const FunctionSpec& spec);
  // Ends it: first by closing its input, then by force.
  ~HandlerProcess();
  HandlerProcess(const HandlerProcess&) = delete;
  HandlerProcess& operator=(const HandlerProcess&) = delete;

  // Sends the event and waits for the answer's line. On an error the process is not usable any more.
  Result<std::string> Call(std::string_view event, int64_t timeout_millis, const std::stop_token& stop);

  // Ends them as the destructor does, side by side. No call may follow.
  static void EndTogether(std::span<HandlerProcess* const> processes);
  // Alive, and has said nothing since its last answer.
  bool is_usable();
  pid_t pid() const { return pid_; }

 private:
  HandlerProcess(pid_t pid, int pid_fd, int to_child, int from_child)
      : pid_(pid), pid_fd_(pid_fd), to_child_(to_child), from_child_(from_child) {}

  bool Exchange(std::string_view& unsent, std::string& answer, int wait_millis, std::string& failure);
  bool ReadSome(std::string& answer, std::string& failure);
  bool WaitForExit(int millis);
  std::string HowItEnded();
  void CloseInput();

  const pid_t pid_;
  const int pid_fd_;
  int to_child_;
  const int from_child_;
  bool is_broken_ = false;
  bool is_reaped_ = false;
  int exit_status_ = 0;
};

}  // namespace armature::triggers
