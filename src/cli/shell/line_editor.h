// LineEditor: lines from a terminal, with editing, history and completion by libedit.
//
// libedit is loaded when the first editor is made, not linked: `armature serve` never needs it, and a machine without
// it still gets a plain prompt. Owns the terminal's mode while a line is read. One per process, one thread. Used by the
// shell's prompt.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/shell/completion.h"
#include "cli/shell/history.h"

namespace armature::cli::shell {

class LineEditor {
 public:
  // Called on TAB with the current line before and behind the cursor.
  using Completer = std::function<Completion(std::string_view before, std::string_view after)>;

  LineEditor(History history, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Outcome { kLine, kEnd, kInterrupted };
  Outcome Read(const std::string& prompt, std::string& line);

  // Adds to the history, here and in the file, unless it repeats the last entry.
  void Remember(const std::string& entry);

  // False: libedit is not there, lines are read plainly.
  bool has_editing() const;

 private:
  class Libedit;
  std::unique_ptr<Libedit> libedit_;
  History history_;
  std::string last_;
};

}  // namespace armature::cli::shell
