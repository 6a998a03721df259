// A command that prints a key, so that something else than a file can hold it: a key management service, a vault.
//
// Run once by /bin/sh, in a process group of its own, with nothing of ours open, in this process's environment but for
// the variables that hold keys. What it prints is the key and is never repeated; what it says on standard error is
// dropped. Blocks until it has ended, and ends it when it takes too long. Used by key_source.h.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace armature {

struct KeyCommandLimits {
  int millis = 30'000;
  size_t bytes = 16 << 10;
};

// What it printed. The error says in one line how it failed, without what it printed.
Result<std::string> RunKeyCommand(const std::string& command, const KeyCommandLimits& limits = {});

}  // namespace armature
