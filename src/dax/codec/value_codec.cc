#include "dax/codec/value_codec.h"

#include <optional>
#include <vector>

#include "base/codec/base64.h"
#include "dax/codec/number_codec.h"
#include "model/item_size.h"
#include "model/messages/expressions.h"
#include "model/messages/items.h"
#include "model/messages/requests.h"
#include "wire/set_faults.h"

namespace armature::dax {

namespace messages = model::messages;
using model::Value;

namespace {

// So many elements are believed to come when they are announced.
constexpr uint64_t kBelieved = 256;

class ValueDecoder {
 public:
  ValueDecoder(CborReader& reader, Arena& arena, const model::Wording& wording)
      : reader_(reader), arena_(arena), wording_(wording) {}

  Value Decode(int depth);
  // The first of the faults that were met.
  std::optional<model::ApiError>& fault() { return fault_; }

 private:
  Value Number(model::ApiResult<model::Number> number);
  Value Tagged();
  Value List(int depth);
  Value Map(int depth);
  Value StringSet();
  Value BinarySet();
  Value NumberSet();

  void Note(model::ApiError error) {
    if (!fault_) fault_ = std::move(error);
  }
  void Note(std::string_view message) { Note(model::ValidationException(std::string(message))); }

  // `read` fills one element.
  template <class T, class Read>
  std::span<T> Collect(CborReader::Items items, Read read);
  template <class Read>
  std::vector<wire::SetMember> MembersAsSent(CborReader members, Read read);

  CborReader& reader_;
  Arena& arena_;
  const model::Wording& wording_;
  std::optional<model::ApiError> fault_;
};

template <class T, class Read>
std::span<T> ValueDecoder::Collect(CborReader::Items items, Read read) {
  if (!items.is_indefinite && items.left <= kBelieved) {
    const std::span<T> elements = arena_.NewArray<T>(items.left);
    for (size_t i = 0; reader_.Next(items); ++i) read(elements[i]);
    return elements;
  }
  std::vector<T> elements;
  while (reader_.Next(items)) {
    T element{};
    read(element);
    elements.push_back(element);
  }
  return arena_.Copy(elements);
}

Value ValueDecoder::Decode(int depth) {
  if (depth > model::kMaxNestingLevels) {
    Note(messages::kNestingTooDeep);
    reader_.Skip();
    return {};
  }
  switch (reader_.Peek()) {
    case CborKind::kText: return Value::String(reader_.Text(arena_));
    case CborKind::kBytes: return Value::Binary(reader_.Bytes(arena_));
    case CborKind::kUnsigned:
    case CborKind::kNegative:
    case CborKind::kFloat: return Number(DecodeNumber(reader_, wording_.numbers));
    case CborKind::kTrue:
    case CborKind::kFalse: return Value::Bool(reader_.Bool());
    case CborKind::kNull: return reader_.TakeNull(), Value::Null();
    case CborKind::kArray: return List(depth);
    case CborKind::kMap: return Map(depth);
    case CborKind::kTag: return Tagged();
    case CborKind::kBreak:
    case CborKind::kNothing: break;
  }
  reader_.Fail();
  return {};
}

Value ValueDecoder::Number(model::ApiResult<model::Number> number) {
  if (number) return Value::OfNumber(*number, arena_);
  Note(std::move(number).error());
  return {};
}

Value ValueDecoder::Tagged() {
  const uint64_t tag = reader_.Tag();
  switch (tag) {
    case kStringSetTag: return StringSet();
    case kNumberSetTag: return NumberSet();
    case kBinarySetTag: return BinarySet();
    default: return Number(DecodeTaggedNumber(tag, reader_, wording_.numbers));
  }
}

Value ValueDecoder::List(int depth) {
  return Value::List(Collect<Value>(reader_.Array(), [&](Value& element) { element = Decode(depth + 1); }));
}

Value ValueDecoder::Map(int depth) {
  const auto entries = Collect<model::MapEntry>(reader_.Map(), [&](model::MapEntry& entry) {
    entry.name = reader_.Text(arena_);
    entry.value = Decode(depth + 1);
    if (entry.name.empty())
      Note(wording_.has_prefix_for_empty_name ? messages::kEmptyNameInItem : messages::kEmptyAttributeName);
  });
  return Value::Map(model::SortMap(entries));
}

// Once more, in the order of the request, which the sorted set has lost.
template <class Read>
std::vector<wire::SetMember> ValueDecoder::MembersAsSent(CborReader members, Read read) {
  std::vector<wire::SetMember> sent;
  for (CborReader::Items items = members.Array(); members.Next(items);) sent.push_back(read(members));
  return sent;
}

Value ValueDecoder::StringSet() {
  const CborReader sent = reader_;
  const auto members =
      Collect<std::string_view>(reader_.Array(), [&](std::string_view& member) { member = reader_.Text(arena_); });
  if (!reader_.ok()) return {};
  if (members.empty()) Note(messages::kEmptyStringSet);
  if (!model::SortStringSet(members)) {
    const auto read = [&](CborReader& reader) {
      const std::string_view text = reader.Text(arena_);
      return wire::SetMember{text, text};
    };
    Note(wire::DuplicatesInStringSet(MembersAsSent(sent, read), wording_.sets));
  }
  return Value::StringSet(members);
}

Value ValueDecoder::BinarySet() {
  const CborReader sent = reader_;
  const auto members =
      Collect<std::string_view>(reader_.Array(), [&](std::string_view& member) { member = reader_.Bytes(arena_); });
  if (!reader_.ok()) return {};
  if (members.empty()) Note(messages::kEmptyBinarySet);
  if (!model::SortStringSet(members)) {
    const auto read = [&](CborReader& reader) {
      const std::string_view bytes = reader.Bytes(arena_);
      std::string text;
      AppendBase64(text, bytes);
      return wire::SetMember{bytes, arena_.Copy(text)};
    };
    Note(wire::DuplicatesInBinarySet(MembersAsSent(sent, read), wording_.sets));
  }
  return Value::BinarySet(members);
}

Value ValueDecoder::NumberSet() {
  bool all_numbers = true;
  const auto members = Collect<model::Number>(reader_.Array(), [&](model::Number& member) {
    auto number = DecodeNumber(reader_, wording_.numbers);
    if (number) {
      member = *number;
    } else {
      all_numbers = false;
      Note(std::move(number).error());
    }
  });
  if (!reader_.ok()) return {};
  if (members.empty()) Note(messages::kEmptyNumberSet);
  if (all_numbers && !model::SortNumberSet(members)) Note(wire::DuplicatesInNumberSet(wording_.sets));
  return Value::NumberSet(members);
}

void AppendStrings(std::string& out, const Value& set) {
  const bool is_text = set.is(model::Type::kSS);
  AppendCborTag(out, is_text ? kStringSetTag : kBinarySetTag);
  AppendCborArrayHead(out, set.strings().size());
  for (const std::string_view member : set.strings())
    if (is_text) AppendCborText(out, member);
    else AppendCborBytes(out, member);
}

void AppendNumbers(std::string& out, std::span<const model::Number> numbers) {
  AppendCborTag(out, kNumberSetTag);
  AppendCborArrayHead(out, numbers.size());
  for (const model::Number& number : numbers) AppendNumber(out, number);
}

}  // namespace

model::ApiResult<Value> DecodeValue(CborReader& reader, Arena& arena, const model::Wording& wording) {
  ValueDecoder decoder(reader, arena, wording);
  const Value value = decoder.Decode(1);
  if (!reader.ok()) return MalformedCbor();
  if (decoder.fault()) return std::move(*decoder.fault());
  return value;
}

void AppendEntries(std::string& out, model::Item entries) {
  for (const model::MapEntry& entry : entries) {
    AppendCborText(out, entry.name);
    AppendValue(out, entry.value);
  }
}

void AppendValue(std::string& out, const Value& value) {
  switch (value.type()) {
    case model::Type::kS: return AppendCborText(out, value.str());
    case model::Type::kN: return AppendNumber(out, value.number());
    case model::Type::kB: return AppendCborBytes(out, value.str());
    case model::Type::kBool: return AppendCborBool(out, value.boolean());
    case model::Type::kNull: return AppendCborNull(out);
    case model::Type::kSS:
    case model::Type::kBS: return AppendStrings(out, value);
    case model::Type::kNS: return AppendNumbers(out, value.numbers());
    case model::Type::kL:
      AppendCborArrayHead(out, value.list().size());
      for (const Value& element : value.list()) AppendValue(out, element);
      return;
    case model::Type::kM: AppendCborMapHead(out, value.map().size()); return AppendEntries(out, value.map());
  }
}

}  // namespace armature::dax
