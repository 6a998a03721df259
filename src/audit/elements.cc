#include "audit/elements.h"

#include <simdjson.h>

#include "audit/event.h"
#include "audit/parameters.h"
#include "base/text/json_writer.h"
#include "base/text/visible_text.h"
#include "wire/json/json_document.h"

namespace armature::audit {

namespace dom = simdjson::dom;

namespace {

class Copier {
 public:
  Copier(JsonWriter& json, std::string_view hidden) : json_(json), hidden_(hidden) {}

  void Copy(dom::element element) {
    dom::object object;
    if (element.get(object) == simdjson::SUCCESS) return CopyObject(object);
    dom::array array;
    if (element.get(array) == simdjson::SUCCESS) {
      json_.BeginArray();
      for (const dom::element each : array) Copy(each);
      return json_.EndArray();
    }
    std::string_view text;
    if (element.get(text) == simdjson::SUCCESS) return json_.String(text);
    json_.Raw(simdjson::minify(element));
  }

 private:
  void CopyObject(dom::object object) {
    json_.BeginObject();
    for (const dom::key_value_pair field : object) {
      json_.Key(SmallName(field.key));
      if (IsSecretName(field.key) || (!hidden_.empty() && field.key == hidden_)) json_.PlainString(kHidden);
      else Copy(field.value);
    }
    json_.EndObject();
  }

  JsonWriter& json_;
  const std::string_view hidden_;
};

}  // namespace

std::string SmallName(std::string_view name) {
  std::string small(name);
  if (!small.empty() && small[0] >= 'A' && small[0] <= 'Z') small[0] = static_cast<char>(small[0] - 'A' + 'a');
  return small;
}

void ElementsWriter::BeginMember(std::string_view name) {
  member_ = name;
  json_.Key(SmallName(name));
}

void ElementsWriter::Text(std::string_view text) {
  if (member_ == "Provider") provider_ = text;
  if (member_ == "SubjectFromWebIdentityToken") subject_ = text;
  if (IsSecretName(member_)) json_.PlainString(kHidden);
  else json_.String(WellFormedUtf8(text));
}

void ElementsWriter::Time(wire::Timestamp time) { json_.String(IsoTime(time.epoch_millis)); }

std::string ElementsWriter::Finish() {
  json_.EndObject();
  if (text_ == "{}") return {};
  return text_.size() > kMostParameterBytes ? LeftOut(text_.size()) : std::move(text_);
}

std::string ElementsOf(std::string_view json, std::string_view hidden) {
  if (json.size() > kMostParameterBytes) return LeftOut(json.size());
  const auto document = wire::JsonDocument::Parse(json);
  if (!document || !document->root().is_object()) return {};
  std::string text;
  JsonWriter writer(text);
  Copier(writer, hidden).Copy(document->root());
  return text == "{}" ? std::string() : text;
}

}  // namespace armature::audit
