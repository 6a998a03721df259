// Event patterns against records.
//
// Input: a pattern, a line break, a record. A pattern that is read matches the same record each time, also when it is
// written without blanks, given twice, or put under $or; a pattern of names alone that matches has those names.
#include <string>

#include <simdjson.h>

#include "base/testing/fuzz_check.h"
#include "triggers/mappings/event_pattern.h"

namespace armature::triggers {
namespace {

void Check(const std::string& pattern, const std::string& record_text) {
  const auto parsed = EventPattern::Parse(pattern);
  if (!parsed) {
    Require(!parsed.error().message().empty(), "an error has a text");
    Require(parsed.error().message().find('\n') == std::string::npos, "of one line");
  }
  simdjson::dom::parser record_parser;
  simdjson::dom::element record;
  if (record_parser.parse(record_text).get(record) != simdjson::SUCCESS || !parsed) return;
  const bool matches = parsed->Matches(record);
  Require(parsed->Matches(record) == matches, "a pattern has one opinion");

  simdjson::dom::parser pattern_parser;
  simdjson::dom::element root;
  Require(pattern_parser.parse(pattern).get(root) == simdjson::SUCCESS, "a pattern is JSON");
  const auto minified = EventPattern::Parse(simdjson::minify(root));
  Require(minified && minified->Matches(record) == matches, "blanks mean nothing");
  const auto twice = EventFilter::Parse({pattern, pattern});
  Require(twice && twice->Matches(record) == matches, "two of the same are one");
  const auto alternatives = EventPattern::Parse(R"({"$or":[)" + pattern + "," + pattern + "]}");
  if (alternatives) Require(alternatives->Matches(record) == matches, "$or of the same is the same");
}

}  // namespace
}  // namespace armature::triggers

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = armature::FuzzText(data, size);
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  armature::triggers::Check(std::string(text.substr(0, line)), std::string(text.substr(line + 1)));
  return 0;
}
