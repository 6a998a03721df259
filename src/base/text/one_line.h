// OneLine: text of others, fit to stand in a line of ours.
//
// Pure. For errors and log lines that quote files, keys or messages of libraries.
#pragma once

#include <string>
#include <string_view>

namespace armature {

// Control characters become blanks.
inline std::string OneLine(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return out;
}

}  // namespace armature
