#include "audit/parameters.h"

#include <fmt/format.h>

#include "audit/event.h"
#include "base/text/json_writer.h"
#include "base/text/visible_text.h"
#include "wire/fields.h"
#include "wire/print_value.h"

namespace armature::audit {

using wire::Kind;
using wire::ShapeDesc;

namespace {

class Shower {
 public:
  Shower(std::string& out, const Showing& showing) : out_(out), json_(out), showing_(showing) {}

  // `table` is that whose keys are met.
  void Structure(const ShapeDesc& shape, const void* structure, std::string_view table);

 private:
  bool IsFull() const { return out_.size() > kMostParameterBytes; }
  void Member(const wire::MemberDesc& member, const void* value, std::string_view table);
  void Value(const ShapeDesc& shape, const void* value, std::string_view table);
  void List(const ShapeDesc& shape, const wire::RawList& list, std::string_view table);
  void Map(const ShapeDesc& shape, const wire::RawList& map, std::string_view table);
  void Scalar(const ShapeDesc& shape, const void* value);
  void Hidden() { json_.PlainString(kHidden); }
  void Key(model::Item key, std::string_view table);
  void Item(model::Item item, std::string_view table);

  const std::string& out_;
  JsonWriter json_;
  const Showing& showing_;
};

// The table that a structure is about, if it says so.
std::string_view TableOf(const ShapeDesc& shape, const void* structure, std::string_view otherwise) {
  for (const wire::MemberDesc& member : shape.members) {
    if (member.name != "TableName" || member.shape->kind != Kind::kString) continue;
    const void* const field = static_cast<const char*>(structure) + member.offset;
    if (wire::IsPresent(*member.shape, field)) return *static_cast<const std::string_view*>(field);
  }
  return otherwise;
}

bool IsHiddenText(const wire::MemberDesc& member, const Showing& showing) {
  if (member.shape->sensitive || IsSecretName(member.name)) return true;
  return showing.hides_expressions && member.name.ends_with("Expression");
}

void Shower::Structure(const ShapeDesc& shape, const void* structure, std::string_view table) {
  table = TableOf(shape, structure, table);
  json_.BeginObject();
  for (const wire::MemberDesc& member : shape.members) {
    const void* const field = static_cast<const char*>(structure) + member.offset;
    if (IsFull()) break;
    if (wire::IsPresent(*member.shape, field)) Member(member, wire::ValueOf(*member.shape, field), table);
  }
  json_.EndObject();
}

void Shower::Member(const wire::MemberDesc& member, const void* value, std::string_view table) {
  const ShapeDesc& shape = *member.shape;
  if (shape.kind == Kind::kAttributeMap && member.name == "Item")
    return Item(static_cast<const wire::AttributeMap*>(value)->item(), table);
  json_.Key(member.path_name);
  if (shape.kind == Kind::kAttributeMap && member.name == "Key")
    return Key(static_cast<const wire::AttributeMap*>(value)->item(), table);
  if (shape.kind == Kind::kString && member.name == "Statement")
    return json_.PlainString(showing_.hasher.OfText(*static_cast<const std::string_view*>(value)));
  if (IsHiddenText(member, showing_)) return Hidden();
  // The one list of attribute maps that are keys.
  if (shape.kind == Kind::kList && member.name == "Keys" && shape.element->kind == Kind::kAttributeMap) {
    const auto& list = *static_cast<const wire::RawList*>(value);
    const auto* const keys = static_cast<const wire::AttributeMap*>(list.data);
    json_.BeginArray();
    for (size_t i = 0; i < list.count && !IsFull(); ++i) Key(keys[i].item(), table);
    return json_.EndArray();
  }
  Value(shape, value, table);
}

// A key that is wrong is told apart from others all the same: whatever was sent is hashed.
void Shower::Key(model::Item key, std::string_view table) {
  json_.PlainString(showing_.hasher.OfKey(table, key, /*is_whole_item=*/false));
}

void Shower::Item(model::Item item, std::string_view table) {
  if (const std::string hash = showing_.hasher.OfKey(table, item, /*is_whole_item=*/true); !hash.empty()) {
    json_.Key("key");
    json_.PlainString(hash);
  }
  json_.Key("item");
  Hidden();
}

void Shower::Value(const ShapeDesc& shape, const void* value, std::string_view table) {
  if (shape.sensitive) return Hidden();
  switch (shape.kind) {
    case Kind::kAttributeValue:
    case Kind::kAttributeMap: return Hidden();
    case Kind::kStructure: return Structure(shape, value, table);
    case Kind::kList: return List(shape, *static_cast<const wire::RawList*>(value), table);
    case Kind::kMap: return Map(shape, *static_cast<const wire::RawList*>(value), table);
    default: return Scalar(shape, value);
  }
}

void Shower::List(const ShapeDesc& shape, const wire::RawList& list, std::string_view table) {
  json_.BeginArray();
  const char* element = static_cast<const char*>(list.data);
  for (size_t i = 0; i < list.count && !IsFull(); ++i, element += shape.size) Value(*shape.element, element, table);
  json_.EndArray();
}

// The keys of a map of structures are tables, in requests that name several; names of attributes else.
void Shower::Map(const ShapeDesc& shape, const wire::RawList& map, std::string_view table) {
  json_.BeginObject();
  const char* entry = static_cast<const char*>(map.data);
  for (size_t i = 0; i < map.count && !IsFull(); ++i, entry += shape.size) {
    const auto key = *reinterpret_cast<const std::string_view*>(entry);
    json_.Key(WellFormedUtf8(key));
    Value(*shape.element, entry + shape.value_offset, table.empty() ? key : table);
  }
  json_.EndObject();
}

void Shower::Scalar(const ShapeDesc& shape, const void* value) {
  switch (shape.kind) {
    case Kind::kString: return json_.String(WellFormedUtf8(*static_cast<const std::string_view*>(value)));
    case Kind::kInteger:
    case Kind::kLong: return json_.Int(*static_cast<const int64_t*>(value));
    case Kind::kDouble:
    case Kind::kTimestamp: return json_.Double(*static_cast<const double*>(value));
    case Kind::kBoolean: return json_.Bool(*static_cast<const bool*>(value));
    default: return Hidden();  // bytes
  }
}

}  // namespace

// NextToken of a PartiQL call holds where it stands, a key; TokenCode is what a device shows for half a minute.
bool IsSecretName(std::string_view name) {
  for (const std::string_view part : {"Secret", "secret", "Password", "password", "PrivateKey", "privateKey"})
    if (name.find(part) != std::string_view::npos) return true;
  for (const std::string_view known : {"NextToken", "TokenCode", "SessionToken", "sessionToken", "WebIdentityToken",
                                       "SAMLAssertion", "EncodedMessage", "ShardIterator"})
    if (name == known) return true;
  return false;
}

std::string LeftOut(size_t bytes) {
  return fmt::format(R"({{"omitted":true,"originalSize":{},"reasonForOmission":"size"}})", bytes);
}

std::string ParametersOf(const ShapeDesc& shape, const void* structure, const Showing& showing) {
  std::string text;
  Shower(text, showing).Structure(shape, structure, {});
  return text.size() > kMostParameterBytes ? LeftOut(text.size()) : text;
}

}  // namespace armature::audit
