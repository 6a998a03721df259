// Base64 with the standard alphabet and padding (RFC 4648 §4), strict both ways.
//
// Pure functions. The decoder refuses everything an encoder would not have written: wire/ words its errors for the
// client. Decoded bytes go to the caller's memory or to an arena.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "base/result.h"

namespace armature {

enum class Base64Error {
  kBadLength,         // the length is not a multiple of four; checked first
  kNotBase64,         // a character outside the alphabet, or padding where none may be
  kBadLastCharacter,  // the last character before the padding has bits that mean nothing
};

constexpr size_t Base64EncodedSize(size_t bytes) { return (bytes + 2) / 3 * 4; }
// At most so many bytes come out of a text of that length.
constexpr size_t Base64DecodedCapacity(size_t characters) { return characters / 4 * 3; }

void AppendBase64(std::string& out, std::string_view bytes);

// Decodes into `out`, which has room for Base64DecodedCapacity(text.size()); returns the bytes written.
Result<size_t, Base64Error> DecodeBase64To(std::string_view text, char* out);
Result<std::string_view, Base64Error> DecodeBase64(std::string_view text, Arena& arena);

}  // namespace armature
