// The terminal the shell talks to: its size, single keys, and Ctrl-C while a request is under way.
//
// Works on the process's standard streams and signals; one user of each at a time. Used by the shell's prompt and
// session.
#pragma once

#include <cstddef>
#include <stop_token>
#include <thread>

#include <signal.h>

namespace armature::cli::shell {

// Columns of the standard output, 80 if it does not tell.
size_t TerminalWidth();

// Whether the locale's character set is UTF-8, so that lines can be drawn.
bool IsUtf8Locale();

// Waits for one key without echo; 0 at the end of the input or on Ctrl-C.
char ReadKey();

// While it lives, Ctrl-C does not end the program but asks `token` to stop.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool is_interrupted() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
  int signal_fd_ = -1;
  int end_fd_ = -1;
  sigset_t old_mask_{};
  std::thread thread_;
};

}  // namespace armature::cli::shell
