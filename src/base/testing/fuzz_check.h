// What the fuzz targets share: their entry points, and how they report that something does not hold.
//
// A target is one source with LLVMFuzzerTestOneInput. It is built twice: with clang for libFuzzer (`./dev fuzz`) and
// with the normal compiler for base/testing/fuzz_replay.cc (`./dev test`). Test support only; not linked into the
// server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" {
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Optional in a target: makes a new input of at most `max_size` bytes out of `data`; returns its size.
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);
// For custom mutators: changes bytes without knowing what they mean.
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
}

namespace armature {

// Ends the program as a finding if an oracle does not hold.
inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: this does not hold: %s\n", what);
  std::abort();
}

inline std::string_view FuzzText(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace armature
