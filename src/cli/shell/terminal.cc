#include "cli/shell/terminal.h"

#include <cstdint>
#include <cstring>

#include <langinfo.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

namespace armature::cli::shell {

size_t TerminalWidth() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool IsUtf8Locale() { return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

char ReadKey() {
  termios old{};
  if (tcgetattr(STDIN_FILENO, &old) != 0) return '\0';
  termios raw = old;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  char key = '\0';
  const ssize_t got = read(STDIN_FILENO, &key, 1);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &old);
  constexpr char kControlC = 3;
  constexpr char kControlD = 4;
  return got == 1 && key != kControlC && key != kControlD ? key : '\0';
}

InterruptWatch::InterruptWatch() {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, &old_mask_);
  signal_fd_ = signalfd(-1, &interrupt, SFD_CLOEXEC);
  end_fd_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] {
    pollfd waits[] = {{signal_fd_, POLLIN, 0}, {end_fd_, POLLIN, 0}};
    while (poll(waits, 2, -1) < 0) {}
    if ((waits[0].revents & POLLIN) == 0) return;
    signalfd_siginfo taken{};
    if (read(signal_fd_, &taken, sizeof taken) == sizeof taken) source_.request_stop();
  });
}

InterruptWatch::~InterruptWatch() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(end_fd_, &one, sizeof one);
  thread_.join();
  close(signal_fd_);
  close(end_fd_);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

}  // namespace armature::cli::shell
