// Text of unknown origin made fit for a line of the log, for an error of one line, or for a JSON reply.
//
// A log line must stay one line, whatever a client called things, and show what it holds; JSON must be UTF-8. Pure;
// costs nothing but a look when there is nothing to change. Used by base/ (the log), wire/ (errors that quote a
// request) and whoever reads files of users (errors that quote them).
#pragma once

#include <string>
#include <string_view>

namespace armature {

// Whether it is well-formed UTF-8 (no overlong forms, no surrogates).
bool IsUtf8(std::string_view text);

// Control characters (NUL and line breaks among them) and bytes that are not UTF-8 become \xNN.
std::string VisibleText(std::string_view text);

// Control characters become blanks.
std::string OneLine(std::string_view text);

// Every byte that is not part of well-formed UTF-8 becomes U+FFFD.
std::string WellFormedUtf8(std::string_view text);

}  // namespace armature
