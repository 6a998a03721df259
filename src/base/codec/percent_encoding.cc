#include "base/codec/percent_encoding.h"

namespace armature {

namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// `out` has room for the text; returns how much of it was needed.
size_t Decode(std::string_view text, char* out) {
  size_t size = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0) {
      out[size++] = static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out[size++] = text[i] == '+' ? ' ' : text[i];
    }
  }
  return size;
}

}  // namespace

std::string_view PercentDecode(std::string_view text, Arena& arena) {
  if (text.find_first_of("%+") == std::string_view::npos) return text;
  char* const out = static_cast<char*>(arena.Allocate(text.size(), 1));
  return {out, Decode(text, out)};
}

std::string PercentDecode(std::string_view text) {
  std::string decoded(text.size(), '\0');
  decoded.resize(Decode(text, decoded.data()));
  return decoded;
}

void PercentEncode(std::string_view text, std::string& out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

}  // namespace armature
