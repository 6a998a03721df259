// How wide text is on a terminal, and how to cut and wrap it there.
//
// Counts columns of UTF-8: wide East Asian characters and emoji take two, combining marks none. Pure functions that do
// not look at the locale, so that output in a file or a test is the same everywhere. Used by the shell's output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace armature::cli::shell {

// One code point of `text` at `position`, which moves behind it. A byte that is not UTF-8 counts as U+FFFD.
char32_t NextCodePoint(std::string_view text, size_t& position);

// Columns a code point takes: 0, 1 or 2.
int CodePointWidth(char32_t code_point);
size_t TextWidth(std::string_view text);

// `text` without anything that could move the cursor: control characters become \n, \t, \x1b…, bytes that are not UTF-8
// become U+FFFD. A value must not be able to drive the user's terminal.
std::string Printable(std::string_view text);

// `text` if it fits into `columns`, else as much of it as fits before an ellipsis.
std::string CutToWidth(std::string_view text, size_t columns);

// `text` in pieces of at most `columns`; at least one piece.
std::vector<std::string> WrapToWidth(std::string_view text, size_t columns);

// `text` filled up with spaces to `columns`, on the right or (right-aligned) on the left.
std::string Pad(std::string_view text, size_t columns, bool align_right);

}  // namespace armature::cli::shell
