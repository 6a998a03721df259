// StatementSplitter: cuts what a user types, or a script, into PartiQL statements and backslash commands.
//
// A statement ends with `;` outside of strings, quoted names and comments, and may span lines; `\G` ends it too and
// asks for vertical output once. A line that begins with a backslash, with no statement under way, is a command.
// Comments (`--` to the end of the line, `/* */`) become spaces, so that positions in the server's messages still fit
// the text the user typed. Holds the unfinished statement; no I/O. Used by the shell's session for every source of
// input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::cli::shell {

struct Input {
  enum class Kind { kStatement, kCommand };
  Kind kind = Kind::kStatement;
  std::string text;          // without the `;`, or the command with its backslash
  size_t line = 1;           // where it begins in what was fed
  bool is_vertical = false;  // ended by \G
};

class StatementSplitter {
 public:
  // What an unfinished statement is inside of: it chooses the prompt.
  enum class State { kBlank, kStatement, kString, kName, kComment };

  // Takes one line without its newline; appends what it completed to `out`.
  void Feed(std::string_view line, std::vector<Input>& out);

  // The end of the input: an unfinished statement counts as finished. Unclosed strings are the server's to complain
  // about.
  std::optional<Input> Finish();

  // Throws an unfinished statement away (Ctrl-C).
  void Clear();

  State state() const { return state_; }
  // The unfinished statement so far, for completion.
  const std::string& pending() const { return text_; }

 private:
  void TakeStatement(std::vector<Input>& out, bool is_vertical);

  State state_ = State::kBlank;
  std::string text_;
  size_t next_line_ = 1;
  size_t first_line_ = 1;
};

// The statement on one line for the history: line breaks and runs of blanks outside of quotes become one space.
std::string OnOneLine(std::string_view statement);

}  // namespace armature::cli::shell
