#include "wire/json/attribute_json.h"

#include "base/codec/base64.h"
#include "base/text/json_writer.h"
#include "model/codec/item_codec.h"

namespace armature::wire {

namespace {

// Calls `append` for each member, with commas between, in brackets.
template <class Members, class Append>
void AppendArray(const Members& members, std::string& out, Append append) {
  out += '[';
  bool first = true;
  for (const auto& member : members) {
    if (!first) out += ',';
    first = false;
    append(member);
  }
  out += ']';
}

void AppendNumber(const model::Number& number, std::string& out) {
  out += '"';
  number.AppendTo(out);
  out += '"';
}

void AppendBinary(std::string_view bytes, std::string& out) {
  out += '"';
  AppendBase64(out, bytes);
  out += '"';
}

}  // namespace

void AppendValueAsJson(const model::Value& value, std::string& out) {
  switch (value.type()) {
    case model::Type::kS:
      out += R"({"S":")";
      AppendJsonText(out, value.str());
      out += "\"}";
      return;
    case model::Type::kN:
      out += R"({"N":")";
      value.number().AppendTo(out);
      out += "\"}";
      return;
    case model::Type::kB:
      out += R"({"B":)";
      AppendBinary(value.str(), out);
      break;
    case model::Type::kBool: out += value.boolean() ? R"({"BOOL":true)" : R"({"BOOL":false)"; break;
    case model::Type::kNull: out += R"({"NULL":true)"; break;
    case model::Type::kSS:
      out += R"({"SS":)";
      AppendArray(value.strings(), out, [&](std::string_view member) { AppendJsonString(out, member); });
      break;
    case model::Type::kNS:
      out += R"({"NS":)";
      AppendArray(value.numbers(), out, [&](const model::Number& member) { AppendNumber(member, out); });
      break;
    case model::Type::kBS:
      out += R"({"BS":)";
      AppendArray(value.strings(), out, [&](std::string_view member) { AppendBinary(member, out); });
      break;
    case model::Type::kL:
      out += R"({"L":)";
      AppendArray(value.list(), out, [&](const model::Value& element) { AppendValueAsJson(element, out); });
      break;
    case model::Type::kM:
      out += R"({"M":)";
      AppendItemAsJson(value.map(), out);
      break;
  }
  out += '}';
}

void AppendItemAsJson(model::Item item, std::string& out) {
  std::string_view before = "{\"";
  for (const model::MapEntry& entry : item) {
    out += before;
    before = ",\"";
    AppendJsonText(out, entry.name);
    out += "\":";
    AppendValueAsJson(entry.value, out);
  }
  out += item.empty() ? "{}" : "}";
}

Status AppendItemRecordAsJson(std::string_view record, Arena& arena, std::string& out) {
  auto decoded = model::DecodeItem(record, arena);
  if (!decoded) return decoded.error();
  AppendItemAsJson(decoded->item, out);
  return Status::Ok();
}

}  // namespace armature::wire
