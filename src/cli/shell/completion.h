// Complete: what could stand where the cursor is.
//
// Tables after FROM, INTO and UPDATE, indexes after a table and a dot, attribute names and words of the language
// elsewhere, commands after a backslash. Pure but for the NameSource it asks. Used by the shell's line editor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/catalog.h"

namespace armature::cli::shell {

struct Completion {
  size_t begin = 0;                     // the bytes [begin, cursor) of the line are to be replaced
  std::vector<std::string> candidates;  // as they are to stand in the statement, sorted
  std::string common;                   // what can be inserted without choosing; empty when nothing fits
};

// `pending` is the statement on the lines before, `before` and `after` the current line around the cursor.
Completion Complete(std::string_view pending, std::string_view before, std::string_view after, NameSource& names);

// The commands of the shell, with what they do, for completion and \help.
struct CommandHelp {
  std::string_view name;
  std::string_view arguments;
  std::string_view text;
};
const std::vector<CommandHelp>& Commands();

}  // namespace armature::cli::shell
