#include "wire/print_value.h"

#include <cassert>

#include <fmt/format.h>

#include "base/codec/base64.h"
#include "base/text/json_writer.h"
#include "wire/fields.h"
#include "wire/json/attribute_json.h"

namespace armature::wire {

namespace {

// A batch of 16 MB shall not come back whole in its error.
constexpr size_t kMostPrinted = 8 * 1024;

class Printer {
 public:
  explicit Printer(std::string& out) : out_(out), limit_(out.size() + kMostPrinted) {}

  void Print(const ShapeDesc& shape, const void* value);

 private:
  void PrintStructure(const ShapeDesc& shape, const void* structure);
  void PrintList(const ShapeDesc& shape, const RawList& list);
  void PrintMap(const ShapeDesc& shape, const RawList& map);
  void PrintAttribute(const model::Value& value);
  void PrintAttributes(std::span<const model::MapEntry> entries);
  void Text(std::string_view text) { out_ += text.substr(0, kMostPrinted); }
  bool Full() const { return out_.size() >= limit_; }
  void Separate(size_t index) {
    if (index != 0) out_ += ", ";
  }

  std::string& out_;
  size_t limit_;
};

void Printer::PrintStructure(const ShapeDesc& shape, const void* structure) {
  out_ += shape.name;
  out_ += '(';
  size_t printed = 0;
  for (const MemberDesc& member : shape.members) {
    const void* field = static_cast<const char*>(structure) + member.offset;
    if (!IsPresent(*member.shape, field) || Full()) continue;
    Separate(printed++);
    out_ += member.path_name;
    out_ += '=';
    Print(*member.shape, ValueOf(*member.shape, field));
  }
  out_ += ')';
}

void Printer::PrintList(const ShapeDesc& shape, const RawList& list) {
  out_ += '[';
  const char* element = static_cast<const char*>(list.data);
  for (size_t i = 0; i < list.count && !Full(); ++i, element += shape.size) {
    Separate(i);
    Print(*shape.element, element);
  }
  out_ += ']';
}

void Printer::PrintMap(const ShapeDesc& shape, const RawList& map) {
  out_ += '{';
  const char* entry = static_cast<const char*>(map.data);
  for (size_t i = 0; i < map.count && !Full(); ++i, entry += shape.size) {
    Separate(i);
    Text(*reinterpret_cast<const std::string_view*>(entry));
    out_ += '=';
    Print(*shape.element, entry + shape.value_offset);
  }
  out_ += '}';
}

void Printer::PrintAttributes(std::span<const model::MapEntry> entries) {
  out_ += '{';
  for (size_t i = 0; i < entries.size() && !Full(); ++i) {
    Separate(i);
    Text(entries[i].name);
    out_ += '=';
    PrintAttribute(entries[i].value);
  }
  out_ += '}';
}

void Printer::PrintAttribute(const model::Value& value) {
  out_ += "AttributeValue(";
  out_ += model::TypeName(value.type());
  out_ += '=';
  switch (value.type()) {
    case model::Type::kS: Text(value.str()); break;
    case model::Type::kN: value.number().AppendTo(out_); break;
    case model::Type::kB: AppendBase64(out_, value.str().substr(0, kMostPrinted)); break;
    case model::Type::kBool: out_ += value.boolean() ? "true" : "false"; break;
    case model::Type::kNull: out_ += "true"; break;
    case model::Type::kSS:
    case model::Type::kBS:
      out_ += '[';
      for (size_t i = 0; i < value.strings().size() && !Full(); ++i) {
        Separate(i);
        value.is(model::Type::kSS) ? Text(value.strings()[i])
                                   : AppendBase64(out_, value.strings()[i].substr(0, kMostPrinted));
      }
      out_ += ']';
      break;
    case model::Type::kNS:
      out_ += '[';
      for (size_t i = 0; i < value.numbers().size() && !Full(); ++i) {
        Separate(i);
        value.numbers()[i].AppendTo(out_);
      }
      out_ += ']';
      break;
    case model::Type::kL:
      out_ += '[';
      for (size_t i = 0; i < value.list().size() && !Full(); ++i) {
        Separate(i);
        PrintAttribute(value.list()[i]);
      }
      out_ += ']';
      break;
    case model::Type::kM: PrintAttributes(value.map()); break;
  }
  out_ += ')';
}

void Printer::Print(const ShapeDesc& shape, const void* value) {
  switch (shape.kind) {
    case Kind::kString: return Text(*static_cast<const std::string_view*>(value));
    case Kind::kBlob: return AppendBase64(out_, static_cast<const std::string_view*>(value)->substr(0, kMostPrinted));
    case Kind::kInteger:
    case Kind::kLong: fmt::format_to(std::back_inserter(out_), "{}", *static_cast<const int64_t*>(value)); return;
    case Kind::kDouble:
    case Kind::kTimestamp: fmt::format_to(std::back_inserter(out_), "{}", *static_cast<const double*>(value)); return;
    case Kind::kBoolean: out_ += *static_cast<const bool*>(value) ? "true" : "false"; return;
    case Kind::kStructure: return PrintStructure(shape, value);
    case Kind::kList: return PrintList(shape, *static_cast<const RawList*>(value));
    case Kind::kMap: return PrintMap(shape, *static_cast<const RawList*>(value));
    case Kind::kAttributeValue:
      if (const model::Value* attribute = static_cast<const AttributeField*>(value)->value) PrintAttribute(*attribute);
      return;
    case Kind::kAttributeMap: return PrintAttributes(static_cast<const AttributeMap*>(value)->entries);
  }
}

// What is beyond the limit is left out between brackets, so what is printed stays JSON.
class JsonPrinter {
 public:
  JsonPrinter(JsonWriter& json, size_t limit) : json_(json), limit_(limit) {}

  void Print(const ShapeDesc& shape, const void* value) {
    switch (shape.kind) {
      case Kind::kString: return json_.String(*static_cast<const std::string_view*>(value));
      case Kind::kBlob: {
        std::string text;
        AppendBase64(text, *static_cast<const std::string_view*>(value));
        return json_.PlainString(text);
      }
      case Kind::kInteger:
      case Kind::kLong: return json_.Int(*static_cast<const int64_t*>(value));
      case Kind::kDouble:
      case Kind::kTimestamp: return json_.Double(*static_cast<const double*>(value));
      case Kind::kBoolean: return json_.Bool(*static_cast<const bool*>(value));
      case Kind::kStructure: return PrintStructure(shape, value);
      case Kind::kList: return PrintList(shape, *static_cast<const RawList*>(value));
      case Kind::kMap: return PrintMap(shape, *static_cast<const RawList*>(value));
      case Kind::kAttributeValue:
        json_.BeginValue();
        return AppendValueAsJson(*static_cast<const AttributeField*>(value)->value, json_.out());
      case Kind::kAttributeMap:
        json_.BeginValue();
        return AppendItemAsJson(static_cast<const AttributeMap*>(value)->entries, json_.out());
    }
  }

 private:
  bool Full() const { return json_.out().size() >= limit_; }

  void PrintStructure(const ShapeDesc& shape, const void* structure) {
    json_.BeginObject();
    for (const MemberDesc& member : shape.members) {
      const void* field = static_cast<const char*>(structure) + member.offset;
      if (!IsPresent(*member.shape, field) || Full()) continue;
      json_.Key(member.name);
      Print(*member.shape, ValueOf(*member.shape, field));
    }
    json_.EndObject();
  }

  void PrintList(const ShapeDesc& shape, const RawList& list) {
    json_.BeginArray();
    const char* element = static_cast<const char*>(list.data);
    for (size_t i = 0; i < list.count && !Full(); ++i, element += shape.size) Print(*shape.element, element);
    json_.EndArray();
  }

  void PrintMap(const ShapeDesc& shape, const RawList& map) {
    json_.BeginObject();
    const char* entry = static_cast<const char*>(map.data);
    for (size_t i = 0; i < map.count && !Full(); ++i, entry += shape.size) {
      json_.Key(*reinterpret_cast<const std::string_view*>(entry));
      Print(*shape.element, entry + shape.value_offset);
    }
    json_.EndObject();
  }

  JsonWriter& json_;
  const size_t limit_;
};

}  // namespace

bool IsPresent(const ShapeDesc& shape, const void* field) {
  switch (shape.kind) {
    case Kind::kString:
    case Kind::kBlob: return static_cast<const Opt<std::string_view>*>(field)->present;
    case Kind::kInteger:
    case Kind::kLong: return static_cast<const Opt<int64_t>*>(field)->present;
    case Kind::kDouble:
    case Kind::kTimestamp: return static_cast<const Opt<double>*>(field)->present;
    case Kind::kBoolean: return static_cast<const Opt<bool>*>(field)->present;
    case Kind::kStructure: return *static_cast<const void* const*>(field) != nullptr;
    case Kind::kList:
    case Kind::kMap: return static_cast<const RawList*>(field)->present;
    case Kind::kAttributeValue: return static_cast<const AttributeField*>(field)->value != nullptr;
    case Kind::kAttributeMap: return static_cast<const AttributeMap*>(field)->present;
  }
  return false;
}

const void* ValueOf(const ShapeDesc& shape, const void* field) {
  assert(IsPresent(shape, field));
  // An Opt starts with its value, so only structures, which members hold by pointer, differ.
  return shape.kind == Kind::kStructure ? *static_cast<const void* const*>(field) : field;
}

void PrintValue(const ShapeDesc& shape, const void* value, std::string& out) { Printer(out).Print(shape, value); }

void PrintValueAsJson(const ShapeDesc& shape, const void* value, std::string& out) {
  JsonWriter json(out);
  JsonPrinter(json, out.size() + kMostPrinted).Print(shape, value);
}

}  // namespace armature::wire
