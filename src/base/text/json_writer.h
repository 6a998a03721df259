// JsonWriter: JSON text straight into a string, without a tree.
//
// Puts the commas; the caller keeps begins and ends balanced and gives every member of an object its key. Strings are
// copied as they are except for `"`, `\` and control characters. Holds a reference to the output, nothing else. For
// every layer that writes JSON (wire/, api/, table/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace armature {

// Appends what stands between the quotes of `text` as a JSON string.
void AppendJsonText(std::string& out, std::string_view text);
// With its quotes.
void AppendJsonString(std::string& out, std::string_view text);

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }

  void Key(std::string_view name) {
    Separate();
    AppendJsonString(out_, name);
    out_.push_back(':');
    needs_comma_ = false;
  }

  void String(std::string_view text) {
    Separate();
    AppendJsonString(out_, text);
  }
  // A value that is JSON already.
  void Raw(std::string_view json) {
    Separate();
    out_.append(json);
  }
  // A string of which the caller knows that nothing in it needs escaping (base64, numbers, identifiers).
  void PlainString(std::string_view text) {
    Separate();
    out_.push_back('"');
    out_.append(text);
    out_.push_back('"');
  }
  void Int(int64_t value);
  // As AWS prints capacity units and the like: always with a fraction, 0.5 and 1.0. Infinite or NaN: null.
  void Double(double value);
  // Seconds since the epoch, to the millisecond, as plain decimal: 1421866952.062.
  void Timestamp(double seconds);
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }

  // Members, key and value at once.
  void Member(std::string_view name, std::string_view text) { Key(name), String(text); }
  void Member(std::string_view name, const char* text) { Key(name), String(text); }
  void MemberInt(std::string_view name, int64_t value) { Key(name), Int(value); }
  void MemberDouble(std::string_view name, double value) { Key(name), Double(value); }
  void MemberBool(std::string_view name, bool value) { Key(name), Bool(value); }
  void MemberTimestamp(std::string_view name, double seconds) { Key(name), Timestamp(seconds); }

  // The output, for callers that append a value by other means; such a value counts as one: call BeginValue() first.
  std::string& out() { return out_; }
  void BeginValue() { Separate(); }

 private:
  // Writes the comma due before a value or key; afterwards the next one needs a comma.
  void Separate() {
    if (needs_comma_) out_.push_back(',');
    needs_comma_ = true;
  }
  void Open(char bracket) {
    Separate();
    out_.push_back(bracket);
    needs_comma_ = false;
  }
  void Close(char bracket) {
    out_.push_back(bracket);
    needs_comma_ = true;
  }

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace armature
