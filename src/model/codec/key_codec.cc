#include "model/codec/key_codec.h"

#include <cstring>

namespace armature::model {

namespace {
constexpr char kEscapedZero = '\xFF';  // after 0x00: a zero byte of the value
constexpr char kEnd = '\x01';          // after 0x00: the end of the value
}  // namespace

void AppendKeyPrefix(std::string_view prefix, std::string& out) {
  const char* next = prefix.data();
  size_t left = prefix.size();
  while (left > 0) {
    const void* zero = std::memchr(next, 0, left);
    if (zero == nullptr) {
      out.append(next, left);
      return;
    }
    const size_t run = static_cast<size_t>(static_cast<const char*>(zero) - next) + 1;
    out.append(next, run).push_back(kEscapedZero);
    next += run;
    left -= run;
  }
}

void AppendKeyValue(const Value& value, std::string& out) {
  if (value.is(Type::kN)) {
    value.number().EncodeOrdered(out);
    return;
  }
  AppendKeyPrefix(value.str(), out);
  out.push_back('\0');
  out.push_back(kEnd);
}

namespace {

// Takes an escaped string with its end mark from the front of `in`.
bool ReadEscaped(std::string_view* in, Arena& arena, std::string_view* text) {
  // First pass: find the end and count the escapes; second: copy.
  size_t end = 0;
  size_t escapes = 0;
  while (true) {
    end = in->find('\0', end);
    if (end == std::string_view::npos || end + 1 == in->size()) return false;
    if ((*in)[end + 1] == kEnd) break;
    if ((*in)[end + 1] != kEscapedZero) return false;
    ++escapes;
    end += 2;
  }
  if (escapes == 0) {
    *text = arena.Copy(in->substr(0, end));
  } else {
    char* const copy = static_cast<char*>(arena.Allocate(end - escapes, 1));
    size_t size = 0;
    for (size_t i = 0; i < end; ++i) {
      copy[size++] = (*in)[i];
      if ((*in)[i] == '\0') ++i;  // skip the escape mark
    }
    *text = {copy, size};
  }
  in->remove_prefix(end + 2);
  return true;
}

}  // namespace

bool ReadKeyValue(std::string_view* in, Type type, Arena& arena, Value* value) {
  if (type == Type::kN) {
    Number number;
    if (!Number::DecodeOrdered(in, &number)) return false;
    *value = Value::OfNumber(number, arena);
    return true;
  }
  std::string_view text;
  if (!ReadEscaped(in, arena, &text)) return false;
  *value = type == Type::kS ? Value::String(text) : Value::Binary(text);
  return true;
}

size_t KeyValueSize(const Value& value) { return value.is(Type::kN) ? value.number().SizeBytes() : value.str().size(); }

}  // namespace armature::model
