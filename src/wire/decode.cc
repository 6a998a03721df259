#include "wire/decode.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "model/messages/expressions.h"
#include "model/messages/requests.h"
#include "wire/attribute_decode.h"

namespace armature::wire {

namespace dom = simdjson::dom;
namespace messages = model::messages;

namespace {

// Java narrows a decimal by cutting its fraction off.
int64_t Truncate(double value) {
  constexpr double kLimit = 9.2e18;
  if (!(value > -kLimit)) return std::numeric_limits<int64_t>::min();
  if (value > kLimit) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value);
}

bool ReadFromText(dom::element json, int64_t& out) {
  std::string_view text;
  if (json.get(text) != simdjson::SUCCESS) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

class Decoder {
 public:
  Decoder(Arena& arena, const model::Wording& wording, DecodeErrors& errors, NumberForm numbers)
      : arena_(arena), values_(arena, wording, errors), numbers_(numbers) {}

  bool DecodeStructure(const ShapeDesc& shape, dom::element json, Position position, void* out);
  // Why DecodeStructure returned false.
  model::ApiError Failure();

 private:
  bool DecodeMember(const ShapeDesc& shape, dom::element json, void* field);
  bool DecodeElement(const ShapeDesc& shape, dom::element json, void* slot);
  bool DecodeScalar(const ShapeDesc& shape, dom::element json, void* slot);
  bool DecodeInteger(dom::element json, std::string_view java_class, void* slot);
  bool DecodeDouble(dom::element json, std::string_view java_class, void* slot);
  bool DecodeList(const ShapeDesc& shape, dom::element json, void* field);
  bool DecodeMap(const ShapeDesc& shape, dom::element json, void* field);
  // Puts a step before the path of a null element that was found below. Returns false, as its caller does.
  template <class... Args>
  bool Unwind(fmt::format_string<Args...> step, Args&&... args) {
    if (null_path_) *null_path_ = fmt::format(step, std::forward<Args>(args)...) + *null_path_;
    return false;
  }

  Arena& arena_;
  AttributeDecoder values_;
  const NumberForm numbers_;
  std::optional<std::string> null_path_;  // of a null where a list or map has an element; made while failing
};

// Marks the Opt around a decoded scalar as present.
template <class T>
void SetPresent(void* field) {
  static_cast<Opt<T>*>(field)->present = true;
}

bool Decoder::DecodeInteger(dom::element json, std::string_view java_class, void* slot) {
  int64_t& out = *static_cast<int64_t*>(slot);
  if (json.get(out) == simdjson::SUCCESS) return true;
  uint64_t large = 0;
  if (json.get(large) == simdjson::SUCCESS) return out = std::numeric_limits<int64_t>::max(), true;
  if (numbers_ == NumberForm::kTextToo && ReadFromText(json, out)) return true;
  if (!json.is_double()) return values_.FailScalar(json, java_class);
  out = Truncate(json.get_double().value_unsafe());
  return true;
}

bool Decoder::DecodeDouble(dom::element json, std::string_view java_class, void* slot) {
  if (json.get(*static_cast<double*>(slot)) == simdjson::SUCCESS) return true;
  return values_.FailScalar(json, java_class);
}

bool Decoder::DecodeScalar(const ShapeDesc& shape, dom::element json, void* slot) {
  switch (shape.kind) {
    case Kind::kString: return values_.DecodeString(json, static_cast<std::string_view*>(slot));
    case Kind::kBlob: return values_.DecodeBlob(json, static_cast<std::string_view*>(slot));
    case Kind::kBoolean: return values_.DecodeBoolean(json, static_cast<bool*>(slot));
    case Kind::kInteger: return DecodeInteger(json, "Integer", slot);
    case Kind::kLong: return DecodeInteger(json, "Long", slot);
    case Kind::kDouble: return DecodeDouble(json, "Double", slot);
    default: return DecodeDouble(json, "Date", slot);
  }
}

bool Decoder::DecodeMember(const ShapeDesc& shape, dom::element json, void* field) {
  switch (shape.kind) {
    case Kind::kStructure: {
      void* structure = arena_.Allocate(shape.size);
      if (!DecodeStructure(shape, json, Position::kMember, structure)) return false;
      *static_cast<void**>(field) = structure;
      return true;
    }
    case Kind::kList: return DecodeList(shape, json, field);
    case Kind::kMap: return DecodeMap(shape, json, field);
    case Kind::kAttributeValue: return values_.DecodeField(json, static_cast<AttributeField*>(field));
    case Kind::kAttributeMap:
      return values_.DecodeMap(json, /*names_attributes=*/shape.key->has_max, static_cast<AttributeMap*>(field));
    default: break;
  }
  if (!DecodeScalar(shape, json, field)) return false;
  switch (shape.kind) {
    case Kind::kInteger:
    case Kind::kLong: SetPresent<int64_t>(field); break;
    case Kind::kDouble:
    case Kind::kTimestamp: SetPresent<double>(field); break;
    case Kind::kBoolean: SetPresent<bool>(field); break;
    default: SetPresent<std::string_view>(field);
  }
  return true;
}

// A value in a list or map: structures lie there themselves, scalars without their Opt. `slot` is zeroed. There is no
// absent element: null is an empty AttributeValue, which carries its error, and nothing else may be null.
bool Decoder::DecodeElement(const ShapeDesc& shape, dom::element json, void* slot) {
  if (json.is_null() && shape.kind != Kind::kAttributeValue) {
    null_path_.emplace();
    return false;
  }
  switch (shape.kind) {
    case Kind::kStructure: return DecodeStructure(shape, json, Position::kElement, slot);
    case Kind::kList:
    case Kind::kMap:
    case Kind::kAttributeValue:
    case Kind::kAttributeMap: return DecodeMember(shape, json, slot);
    default: return DecodeScalar(shape, json, slot);
  }
}

bool Decoder::DecodeStructure(const ShapeDesc& shape, dom::element json, Position position, void* out) {
  dom::object object;
  if (json.get(object) != simdjson::SUCCESS) {
    if (json.is_array()) return values_.Fail(fmt::format(messages::kUnrecognizedClass, shape.java_type));
    return values_.Fail(
        std::string(position == Position::kMember ? messages::kUnexpectedFieldType : messages::kUnexpectedValueType));
  }
  std::memset(out, 0, shape.size);  // every field type is absent when all zero
  for (dom::key_value_pair field : object) {
    for (const MemberDesc& member : shape.members) {
      if (member.name != field.key) continue;
      if (!field.value.is_null() &&
          !DecodeMember(*member.shape, field.value, static_cast<char*>(out) + member.offset)) {
        return Unwind("{}.", member.path_name);
      }
      break;
    }
  }
  return true;
}

bool Decoder::DecodeList(const ShapeDesc& shape, dom::element json, void* field) {
  dom::array array;
  if (json.get(array) != simdjson::SUCCESS) {
    return values_.Fail(
        std::string(json.is_object() ? messages::kUnexpectedStructure : messages::kUnexpectedFieldType));
  }
  const size_t count = array.size();
  char* elements = count == 0 ? nullptr : static_cast<char*>(arena_.Allocate(count * shape.size));
  if (elements != nullptr) std::memset(elements, 0, count * shape.size);
  char* next = elements;
  for (dom::element element : array) {
    if (!DecodeElement(*shape.element, element, next)) return Unwind("{}.member.", (next - elements) / shape.size + 1);
    next += shape.size;
  }
  *static_cast<RawList*>(field) = {elements, count, true};
  return true;
}

// Of entries with equal keys keeps the last, as JSON parsers do. Returns how many are left.
size_t DropRepeatedKeys(char* entries, size_t count, size_t stride) {
  auto key = [&](size_t index) -> std::string_view& {
    return *reinterpret_cast<std::string_view*>(entries + index * stride);
  };
  std::vector<uint32_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<uint32_t>(i);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  std::vector<bool> dropped(count, false);
  for (size_t i = 1; i < count; ++i) {
    if (key(order[i - 1]) == key(order[i])) dropped[order[i - 1]] = true;
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (dropped[i]) continue;
    if (kept != i) std::memcpy(entries + kept * stride, entries + i * stride, stride);
    ++kept;
  }
  return kept;
}

bool HasRepeatedKeys(const char* entries, size_t count, size_t stride) {
  if (count > 16) return true;  // cheaper to sort than to compare all with all
  auto key = [&](size_t index) { return *reinterpret_cast<const std::string_view*>(entries + index * stride); };
  for (size_t i = 1; i < count; ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (key(i) == key(j)) return true;
    }
  }
  return false;
}

bool Decoder::DecodeMap(const ShapeDesc& shape, dom::element json, void* field) {
  dom::object object;
  if (json.get(object) != simdjson::SUCCESS) {
    if (json.is_array()) return values_.Fail(fmt::format(messages::kUnrecognizedCollection, shape.java_type));
    return values_.Fail(std::string(messages::kUnexpectedFieldType));
  }
  size_t count = object.size();
  char* entries = count == 0 ? nullptr : static_cast<char*>(arena_.Allocate(count * shape.size));
  if (entries != nullptr) std::memset(entries, 0, count * shape.size);
  char* next = entries;
  for (dom::key_value_pair pair : object) {
    *reinterpret_cast<std::string_view*>(next) = pair.key;  // MapOf<T>::Entry starts with its key
    if (!DecodeElement(*shape.element, pair.value, next + shape.value_offset)) return Unwind("{}.member.", pair.key);
    next += shape.size;
  }
  if (HasRepeatedKeys(entries, count, shape.size)) count = DropRepeatedKeys(entries, count, shape.size);
  *static_cast<RawList*>(field) = {entries, count, true};
  return true;
}

model::ApiError Decoder::Failure() {
  if (!null_path_) return std::move(values_.failure());
  null_path_->pop_back();  // the dot behind the last step
  std::string message(messages::kOneValidationError);
  message += "Value null";
  fmt::format_to(std::back_inserter(message), messages::kConstraintFailed, *null_path_);
  message += messages::kMustNotBeNull;
  return model::ValidationException(std::move(message));
}

// Whether lists and maps are nested that many levels or more. Looks no deeper.
bool IsNested(dom::element json, int levels) {
  dom::array array;
  dom::object object;
  const bool is_array = json.get(array) == simdjson::SUCCESS;
  if (!is_array && json.get(object) != simdjson::SUCCESS) return false;
  if (levels <= 1) return true;
  if (is_array) {
    for (dom::element element : array)
      if (IsNested(element, levels - 1)) return true;
    return false;
  }
  for (dom::key_value_pair field : object)
    if (IsNested(field.value, levels - 1)) return true;
  return false;
}

}  // namespace

model::ApiResult<void> DecodeRequest(const OperationSchema& schema, dom::element root, Arena& arena,
                                     DecodeErrors& errors, void* out, NumberForm numbers) {
  Decoder decoder(arena, *schema.wording, errors, numbers);
  if (!decoder.DecodeStructure(*schema.input, root, Position::kElement, out)) return decoder.Failure();
  if (errors.too_deep() != 0 && IsNested(root, model::kDeepBody)) errors.NoteDeepBody();
  return {};
}

model::ApiError InvalidExpressionValue(const model::Wording& wording, const AttributeMap& values) {
  assert(values.first_error);
  if (!wording.names_bad_values) return *values.first_error;
  return model::ValidationException(fmt::format(messages::kAttributeMapInvalidValue, "ExpressionAttributeValues",
                                                values.first_error->message, values.first_error_key));
}

}  // namespace armature::wire
