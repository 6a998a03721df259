// History: the statements of earlier sessions, in a file of the user.
//
// One entry per line in $XDG_STATE_HOME/armature/shell_history (by default under ~/.local/state), readable by the user
// alone. Entries are appended at once, so that several shells can share the file; it is cut to its newest entries when
// it is loaded. A file that cannot be written costs the history, nothing else. Used by the shell's line editor.
#pragma once

#include <string>
#include <vector>

#include "cli/client/aws_config.h"

namespace armature::cli::shell {

// Where the file lies; empty when the environment names no home.
std::string HistoryPath(const Environment& environment);

class History {
 public:
  explicit History(std::string path) : path_(std::move(path)) {}

  // Oldest first.
  std::vector<std::string> Load();
  void Append(const std::string& entry);

 private:
  std::string path_;
};

}  // namespace armature::cli::shell
