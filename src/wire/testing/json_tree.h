// JsonTree: a JSON document that can be changed, for tests and fuzzers that make requests.
//
// Owns its parts; no limits, no sharing, no speed. Objects keep the order of their members and may repeat a key. Test
// support only; not linked into the server.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::wire {

struct JsonTree {
  enum class Kind { kLiteral, kString, kArray, kObject };

  Kind kind = Kind::kLiteral;
  std::string text = "null";       // of a literal (null, true, 1.5) as it is written; of a string without its quotes
  std::vector<JsonTree> elements;  // of an array, or the values of an object
  std::vector<std::string> keys;   // of an object, one per element

  static JsonTree Literal(std::string_view text);
  static JsonTree String(std::string_view text);
  static JsonTree Array(std::vector<JsonTree> elements = {});
  static JsonTree Object();
  // Nothing if the text is no JSON.
  static std::optional<JsonTree> Parse(std::string_view json);

  // Adds a member; returns this object.
  JsonTree& With(std::string_view key, JsonTree value);
  // The first member of that name; null if there is none.
  JsonTree* Find(std::string_view key);

  void Print(std::string& out) const;
  std::string ToString() const;
};

}  // namespace armature::wire
