#include "wire/attribute_decode.h"

#include <algorithm>
#include <climits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/codec/base64.h"
#include "model/item_size.h"
#include "model/messages/expressions.h"
#include "model/messages/items.h"
#include "model/messages/requests.h"
#include "wire/set_faults.h"

namespace armature::wire {

namespace dom = simdjson::dom;
namespace messages = model::messages;
using dom::element_type;
using model::Value;

namespace {

constexpr std::string_view kAttributeValueClass = "com.amazonaws.dynamodb.v20120810.AttributeValue";
constexpr std::string_view kAttributeMapType =
    "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>";

model::ApiError Invalid(std::string_view text) { return model::ValidationException(std::string(text)); }

// The members of a set with a repeated one, from the JSON, because the decoded set has lost the client's order.
// `decoded` are their bytes as sent.
std::vector<SetMember> MembersAsSent(dom::array members, std::span<const std::string_view> decoded) {
  std::vector<SetMember> sent;
  for (dom::element member : members) {
    std::string_view text;
    if (member.get(text) == simdjson::SUCCESS) sent.push_back({decoded[sent.size()], text});
  }
  return sent;
}

bool EqualsAnyIgnoringCase(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
  });
}

}  // namespace

bool AttributeDecoder::Fail(std::string message) {
  failure_ = model::SerializationException(std::move(message));
  return false;
}

bool AttributeDecoder::FailScalar(dom::element json, std::string_view java_class) {
  std::string_view token;
  switch (json.type()) {
    case element_type::ARRAY:
      return Fail(fmt::format(messages::kUnrecognizedClass, fmt::format("java.lang.{}", java_class)));
    case element_type::OBJECT: return Fail(std::string(messages::kUnexpectedStructure));
    case element_type::INT64:
    case element_type::UINT64: token = "NUMBER_VALUE"; break;
    case element_type::DOUBLE: token = "DECIMAL_VALUE"; break;
    case element_type::BOOL: token = json.get_bool().value_unsafe() ? "TRUE_VALUE" : "FALSE_VALUE"; break;
    case element_type::STRING: token = "STRING_VALUE"; break;
    case element_type::NULL_VALUE: token = "NULL_VALUE"; break;
  }
  return Fail(fmt::format(messages::kCannotBeConverted, token, java_class));
}

bool AttributeDecoder::DecodeString(dom::element json, std::string_view* out) {
  if (json.get(*out) == simdjson::SUCCESS) return true;
  return FailScalar(json, "String");
}

bool AttributeDecoder::DecodeBlob(dom::element json, std::string_view* out) {
  std::string_view text;
  if (json.get(text) != simdjson::SUCCESS) {
    if (json.is_array()) return Fail(fmt::format(messages::kUnrecognizedClass, "java.nio.ByteBuffer"));
    if (json.is_object()) return Fail(std::string(messages::kUnexpectedStructure));
    return Fail(std::string(messages::kOnlyBase64));
  }
  auto bytes = DecodeBase64(text, arena_);
  if (!bytes) {
    if (bytes.error() == Base64Error::kBadLength) return Fail(fmt::format(messages::kBase64Length, text.size()));
    return Fail(std::string(messages::kBase64LastCharacter));
  }
  *out = *bytes;
  return true;
}

bool AttributeDecoder::DecodeBoolean(dom::element json, bool* out) {
  if (json.get(*out) == simdjson::SUCCESS) return true;
  std::string_view text;
  if (json.get(text) != simdjson::SUCCESS) return FailScalar(json, "Boolean");
  if (EqualsAnyIgnoringCase(text, {"true", "1", "yes"})) return *out = true, true;
  if (EqualsAnyIgnoringCase(text, {"false", "0", "no"})) return *out = false, true;
  return Fail(std::string(messages::kUnexpectedToken));
}

const model::ApiError* AttributeDecoder::EmptyName() {
  return errors_.Add(
      Invalid(wording_.has_prefix_for_empty_name ? messages::kEmptyNameInItem : messages::kEmptyAttributeName));
}

void AttributeDecoder::Note(Fault* fault, Rank rank, model::ApiError error) {
  if (rank >= fault->rank) return;
  *fault = {errors_.Add(std::move(error)), rank};
}

void AttributeDecoder::NoteNested(Fault* fault, const model::ApiError* error) {
  if (error != nullptr && Rank::kNested < fault->rank) *fault = {error, Rank::kNested};
}

bool AttributeDecoder::GetArray(dom::element json, dom::array* out) {
  if (json.get(*out) == simdjson::SUCCESS) return true;
  return Fail(std::string(json.is_object() ? messages::kUnexpectedStructure : messages::kUnexpectedFieldType));
}

bool AttributeDecoder::GetMap(dom::element json, dom::object* out) {
  if (json.get(*out) == simdjson::SUCCESS) return true;
  if (json.is_array()) return Fail(fmt::format(messages::kUnrecognizedCollection, kAttributeMapType));
  return Fail(std::string(messages::kUnexpectedFieldType));
}

bool AttributeDecoder::DecodeNumber(dom::element json, Value* out, Fault* fault) {
  std::string_view text;
  if (!DecodeString(json, &text)) return false;
  auto number = model::Number::Parse(text, wording_.numbers);
  if (!number) {
    Note(fault, Rank::kNumber, std::move(number).error());
    return true;
  }
  *out = Value::OfNumber(*number, arena_);
  return true;
}

bool AttributeDecoder::DecodeStringSet(dom::element json, Value* out, Fault* fault) {
  dom::array array;
  if (!GetArray(json, &array)) return false;
  auto members = arena_.NewArray<std::string_view>(array.size());
  size_t count = 0;
  for (dom::element member : array) {
    if (member.is_null()) return Fail(std::string(messages::kUnexpectedToken));
    if (!DecodeString(member, &members[count++])) return false;
  }
  if (members.empty()) Note(fault, Rank::kEmptySet, Invalid(messages::kEmptyStringSet));
  if (!model::SortStringSet(members)) {
    for (count = 0; dom::element member : array) DecodeString(member, &members[count++]);  // as sent, once more
    Note(fault, Rank::kDuplicates, DuplicatesInStringSet(MembersAsSent(array, members), wording_.sets));
    model::SortStringSet(members);
  }
  *out = Value::StringSet(members);
  return true;
}

bool AttributeDecoder::DecodeBinarySet(dom::element json, Value* out, Fault* fault) {
  dom::array array;
  if (!GetArray(json, &array)) return false;
  auto members = arena_.NewArray<std::string_view>(array.size());
  size_t count = 0;
  for (dom::element member : array) {
    if (!DecodeBlob(member, &members[count++])) return false;
  }
  if (members.empty()) Note(fault, Rank::kEmptySet, Invalid(messages::kEmptyBinarySet));
  if (!model::SortStringSet(members)) {
    for (count = 0; dom::element member : array) DecodeBlob(member, &members[count++]);  // as sent, once more
    Note(fault, Rank::kDuplicates, DuplicatesInBinarySet(MembersAsSent(array, members), wording_.sets));
    model::SortStringSet(members);
  }
  *out = Value::BinarySet(members);
  return true;
}

bool AttributeDecoder::DecodeNumberSet(dom::element json, Value* out, Fault* fault) {
  dom::array array;
  if (!GetArray(json, &array)) return false;
  auto members = arena_.NewArray<model::Number>(array.size());
  size_t count = 0;
  bool all_numbers = true;
  for (dom::element member : array) {
    std::string_view text;
    if (member.is_null()) return Fail(std::string(messages::kUnexpectedToken));
    if (!DecodeString(member, &text)) return false;
    auto number = model::Number::Parse(text, wording_.numbers);
    if (number) {
      members[count++] = *number;
    } else {
      all_numbers = false;
      Note(fault, Rank::kNumber, std::move(number).error());
    }
  }
  if (members.empty()) Note(fault, Rank::kEmptySet, Invalid(messages::kEmptyNumberSet));
  if (all_numbers && !model::SortNumberSet(members))
    Note(fault, Rank::kDuplicates, DuplicatesInNumberSet(wording_.sets));
  *out = Value::NumberSet(members);
  return true;
}

bool AttributeDecoder::DecodeList(dom::element json, int depth, Value* out, Fault* fault) {
  dom::array array;
  if (!GetArray(json, &array)) return false;
  auto elements = arena_.NewArray<Value>(array.size());
  size_t count = 0;
  for (dom::element element : array) {
    const model::ApiError* error = nullptr;
    if (!DecodeValue(element, Position::kElement, depth + 1, &elements[count++], &error)) return false;
    NoteNested(fault, error);
  }
  *out = Value::List(elements);
  return true;
}

bool AttributeDecoder::DecodeNestedMap(dom::element json, int depth, Value* out, Fault* fault) {
  dom::object object;
  if (!GetMap(json, &object)) return false;
  auto entries = arena_.NewArray<model::MapEntry>(object.size());
  size_t count = 0;
  for (dom::key_value_pair field : object) {
    const model::ApiError* error = nullptr;
    entries[count].name = field.key;
    if (!DecodeValue(field.value, Position::kElement, depth + 1, &entries[count++].value, &error)) return false;
    if (error == nullptr && field.key.empty()) error = EmptyName();
    NoteNested(fault, error);
  }
  *out = Value::Map(model::SortMap(entries));
  return true;
}

bool AttributeDecoder::DecodeDatatype(std::string_view name, dom::element json, int depth, Value* out, Fault* fault,
                                      bool* known) {
  *known = true;
  if (name.size() == 1) {
    switch (name[0]) {
      case 'S': {
        std::string_view text;
        if (!DecodeString(json, &text)) return false;
        *out = Value::String(text);
        return true;
      }
      case 'N': return DecodeNumber(json, out, fault);
      case 'B': {
        std::string_view bytes;
        if (!DecodeBlob(json, &bytes)) return false;
        *out = Value::Binary(bytes);
        return true;
      }
      case 'M': return DecodeNestedMap(json, depth, out, fault);
      case 'L': return DecodeList(json, depth, out, fault);
      default: break;
    }
  } else if (name == "BOOL") {
    bool value = false;
    if (!DecodeBoolean(json, &value)) return false;
    *out = Value::Bool(value);
    return true;
  } else if (name == "NULL") {
    bool value = false;
    if (!DecodeBoolean(json, &value)) return false;
    if (!value) Note(fault, Rank::kNull, Invalid(messages::kNullMustBeTrue));
    *out = Value::Null();
    return true;
  } else if (name == "SS") {
    return DecodeStringSet(json, out, fault);
  } else if (name == "NS") {
    return DecodeNumberSet(json, out, fault);
  } else if (name == "BS") {
    return DecodeBinarySet(json, out, fault);
  }
  *known = false;
  return true;
}

bool AttributeDecoder::DecodeValue(dom::element json, Position position, int depth, Value* out,
                                   const model::ApiError** error) {
  *out = Value();
  if (depth > model::kMaxNestingLevels) {  // no deeper: a hostile document shall not choose our stack's depth
    errors_.NoteTooDeep();
    *error = errors_.Add(Invalid(messages::kNestingTooDeep));
    return true;
  }
  dom::object object;
  if (json.get(object) != simdjson::SUCCESS) {
    if (json.is_null()) {
      *error = errors_.Add(Invalid(messages::kEmptyAttributeValue));
      return true;
    }
    if (json.is_array()) return Fail(fmt::format(messages::kUnrecognizedClass, kAttributeValueClass));
    return Fail(
        std::string(position == Position::kMember ? messages::kUnexpectedFieldType : messages::kUnexpectedValueType));
  }
  Fault fault;
  int datatypes = 0;
  std::string_view first_name;
  for (dom::key_value_pair field : object) {
    if (field.value.is_null()) continue;
    bool known = false;
    if (!DecodeDatatype(field.key, field.value, depth, out, &fault, &known)) return false;
    if (!known) continue;
    if (datatypes == 0 || field.key != first_name) ++datatypes;  // of a repeated member the last one counts
    if (datatypes == 1) first_name = field.key;
  }
  if (datatypes != 1) {
    Note(&fault, Rank::kDatatypes,
         Invalid(datatypes == 0 ? messages::kEmptyAttributeValue : messages::kMoreThanOneDatatype));
  }
  *error = fault.error;
  return true;
}

bool AttributeDecoder::DecodeField(dom::element json, AttributeField* out) {
  Value* value = arena_.New<Value>();
  if (!DecodeValue(json, Position::kMember, 1, value, &out->error)) return false;
  out->value = value;
  return true;
}

bool AttributeDecoder::DecodeMap(dom::element json, bool names_attributes, AttributeMap* out) {
  dom::object object;
  if (!GetMap(json, &object)) return false;
  auto entries = arena_.NewArray<model::MapEntry>(object.size());
  size_t count = 0;
  *out = AttributeMap{};
  int first_rank = INT_MAX;
  for (dom::key_value_pair field : object) {
    const model::ApiError* error = nullptr;
    const size_t too_deep_before = errors_.too_deep();
    entries[count].name = field.key;
    if (!DecodeValue(field.value, Position::kElement, 1, &entries[count++].value, &error)) return false;
    const bool lacks_name = names_attributes && field.key.empty();
    if (error == nullptr && !lacks_name) continue;
    // 0: an empty name; 1: nesting; 2: anything else.
    const int rank = !wording_.ranks_item_faults ? 0 : lacks_name ? 0 : errors_.too_deep() != too_deep_before ? 1 : 2;
    if (rank >= first_rank) continue;
    first_rank = rank;
    out->first_error = error == nullptr || (wording_.ranks_item_faults && lacks_name) ? EmptyName() : error;
    if (rank == 1) out->first_error = errors_.Add(Invalid(messages::kNestingTooDeep));
    out->first_error_key = field.key;
  }
  out->entries = model::SortMap(entries);
  out->present = true;
  return true;
}

}  // namespace armature::wire
