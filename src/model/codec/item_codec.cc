#include "model/codec/item_codec.h"

#include <algorithm>
#include <new>

#include <xxhash.h>

#include "model/item_size.h"

namespace armature::model {

namespace {

// The on-disk type codes are the values of Type; the high nibble of the tag byte holds a small length or count.
static_assert(static_cast<int>(Type::kS) == 0 && static_cast<int>(Type::kN) == 1 && static_cast<int>(Type::kB) == 2 &&
              static_cast<int>(Type::kBool) == 3 && static_cast<int>(Type::kNull) == 4 &&
              static_cast<int>(Type::kSS) == 5 && static_cast<int>(Type::kNS) == 6 &&
              static_cast<int>(Type::kBS) == 7 && static_cast<int>(Type::kL) == 8 && static_cast<int>(Type::kM) == 9);

constexpr size_t kLengthFollows = 15;  // in the high nibble: a varint with the length comes next
constexpr size_t kHeaderBytes = 1 + sizeof(uint32_t);

// Deeper than any item can be (32 levels); keeps a crafted record from exhausting the stack.
constexpr int kMaxDecodeDepth = 64;

uint32_t Checksum(std::string_view bytes) { return static_cast<uint32_t>(XXH3_64bits(bytes.data(), bytes.size())); }

void AppendTag(std::string& out, Type type, size_t length) {
  const auto code = static_cast<uint8_t>(type);
  if (length < kLengthFollows) {
    AppendByte(out, static_cast<uint8_t>(code | length << 4));
  } else {
    AppendByte(out, static_cast<uint8_t>(code | kLengthFollows << 4));
    AppendVarint(out, length);
  }
}

void AppendEntries(std::span<const MapEntry> entries, std::string& out) {
  for (const MapEntry& entry : entries) {
    AppendLengthPrefixed(out, entry.name);
    EncodeValue(entry.value, out);
  }
}

// Decodes values under a budget: every element takes at least one byte, so that nested counts, each plausible by
// itself, cannot together reserve more than a small multiple of the record.
class ValueDecoder {
 public:
  ValueDecoder(ByteReader& reader, Arena& arena) : reader_(reader), arena_(arena), budget_(reader.remaining()) {}

  bool Decode(Value* value, int depth) {
    const uint8_t tag = reader_.Byte();
    size_t length = tag >> 4;
    if (length == kLengthFollows) length = reader_.Varint();
    if (!reader_.ok()) return false;
    switch (static_cast<Type>(tag & 15)) {
      case Type::kS: *value = Value::String(reader_.Bytes(length)); return reader_.ok();
      case Type::kB: *value = Value::Binary(reader_.Bytes(length)); return reader_.ok();
      case Type::kBool: *value = Value::Bool(length != 0); return length <= 1;
      case Type::kNull: *value = Value::Null(); return length == 0;
      case Type::kN: {
        auto* number = arena_.New<Number>();
        *value = Value::PointingTo(number);
        return length == 0 && Number::Decode(reader_, number);
      }
      case Type::kSS: return DecodeStrings(length, &Value::StringSet, value);
      case Type::kBS: return DecodeStrings(length, &Value::BinarySet, value);
      case Type::kNS: return DecodeNumbers(length, value);
      case Type::kL: return depth < kMaxDecodeDepth && DecodeList(length, depth, value);
      case Type::kM: {
        std::span<const MapEntry> entries;
        if (depth >= kMaxDecodeDepth || !DecodeEntries(length, depth + 1, &entries)) return false;
        *value = Value::Map(entries);
        return true;
      }
    }
    return false;
  }

  bool DecodeEntries(size_t count, int depth, std::span<const MapEntry>* entries) {
    MapEntry* first = Reserve<MapEntry>(count);
    if (first == nullptr) return false;
    for (size_t i = 0; i < count; ++i) {
      auto* entry = new (first + i) MapEntry{reader_.LengthPrefixed(), Value()};
      if (!Decode(&entry->value, depth)) return false;
    }
    *entries = {first, count};
    return true;
  }

 private:
  // Memory for `count` elements, not initialised; null when the record cannot hold so many.
  template <class T>
  T* Reserve(size_t count) {
    if (count > budget_) return nullptr;
    budget_ -= count;
    return static_cast<T*>(arena_.Allocate(sizeof(T) * count, alignof(T)));
  }

  bool DecodeStrings(size_t count, Value (*make)(std::span<const std::string_view>), Value* value) {
    auto* first = Reserve<std::string_view>(count);
    if (first == nullptr) return false;
    for (size_t i = 0; i < count; ++i) new (first + i) std::string_view(reader_.LengthPrefixed());
    *value = make({first, count});
    return reader_.ok();
  }

  bool DecodeNumbers(size_t count, Value* value) {
    auto* first = Reserve<Number>(count);
    if (first == nullptr) return false;
    for (size_t i = 0; i < count; ++i)
      if (!Number::Decode(reader_, new (first + i) Number())) return false;
    *value = Value::NumberSet({first, count});
    return true;
  }

  bool DecodeList(size_t count, int depth, Value* value) {
    auto* first = Reserve<Value>(count);
    if (first == nullptr) return false;
    for (size_t i = 0; i < count; ++i)
      if (!Decode(new (first + i) Value(), depth + 1)) return false;
    *value = Value::List({first, count});
    return true;
  }

  ByteReader& reader_;
  Arena& arena_;
  size_t budget_;
};

// Flags of a record. Others are not known yet: a record that has one is refused.
constexpr uint8_t kHasWriteTime = 0x01;
constexpr uint8_t kHasOrigin = 0x02;
constexpr uint8_t kKnownFlags = kHasWriteTime | kHasOrigin;

// What is in front of the item itself. REQUIRES: the record begins with a header.
std::string_view SkipStamp(std::string_view body, RecordStamp* stamp) {
  ByteReader reader(body);
  const uint8_t flags = reader.Byte();
  if (flags & kHasWriteTime) stamp->write_time = reader.BigEndian<uint64_t>();
  if (flags & kHasOrigin) stamp->origin = static_cast<uint32_t>(reader.Varint());
  return reader.ok() ? body.substr(body.size() - reader.remaining()) : std::string_view();
}

// Checks version, checksum and flags; the item itself is in `body`.
Status OpenRecord(std::string_view record, std::string_view* body) {
  if (record.empty()) return Status::Corruption("item record is empty");
  if (static_cast<uint8_t>(record[0]) != kItemRecordVersion)
    return Status::Format("item record has unknown version " + std::to_string(static_cast<uint8_t>(record[0])));
  if (record.size() < kHeaderBytes) return Status::Corruption("item record is cut short");
  *body = record.substr(kHeaderBytes);
  if (ReadBigEndian<uint32_t>(record.data() + 1) != Checksum(*body))
    return Status::Corruption("item record does not match its checksum");
  if (!body->empty() && static_cast<uint8_t>(body->front()) & ~kKnownFlags)
    return Status::Format("item record has unknown flags");
  RecordStamp stamp;
  *body = SkipStamp(*body, &stamp);
  return Status::Ok();
}

}  // namespace

void EncodeValue(const Value& value, std::string& out) {
  switch (value.type()) {
    case Type::kS:
    case Type::kB:
      AppendTag(out, value.type(), value.str().size());
      out.append(value.str());
      return;
    case Type::kN:
      AppendTag(out, Type::kN, 0);
      value.number().Encode(out);
      return;
    case Type::kBool: AppendTag(out, Type::kBool, value.boolean() ? 1 : 0); return;
    case Type::kNull: AppendTag(out, Type::kNull, 0); return;
    case Type::kSS:
    case Type::kBS:
      AppendTag(out, value.type(), value.strings().size());
      for (std::string_view member : value.strings()) AppendLengthPrefixed(out, member);
      return;
    case Type::kNS:
      AppendTag(out, Type::kNS, value.numbers().size());
      for (const Number& member : value.numbers()) member.Encode(out);
      return;
    case Type::kL:
      AppendTag(out, Type::kL, value.list().size());
      for (const Value& element : value.list()) EncodeValue(element, out);
      return;
    case Type::kM:
      AppendTag(out, Type::kM, value.map().size());
      AppendEntries(value.map(), out);
      return;
  }
}

bool DecodeValue(ByteReader& reader, Arena& arena, Value* value, int depth) {
  return ValueDecoder(reader, arena).Decode(value, depth);
}

void EncodeItem(Item item, size_t item_size, std::string& out, RecordStamp stamp) {
  const size_t start = out.size();
  // One growth for most items: the size counts names and values; tags and lengths add a few bytes each.
  // A size that is no item's (of a record that was made up) reserves no more than an item's.
  out.reserve(start + kHeaderBytes + 20 + std::min(item_size, kMaxItemBytes) + 4 * item.size());
  AppendByte(out, kItemRecordVersion);
  out.append(sizeof(uint32_t), '\0');  // the checksum, once the rest is known
  AppendByte(out, static_cast<uint8_t>((stamp.write_time ? kHasWriteTime : 0) | (stamp.origin ? kHasOrigin : 0)));
  if (stamp.write_time) AppendBigEndian(out, stamp.write_time);
  if (stamp.origin) AppendVarint(out, stamp.origin);
  AppendVarint(out, item_size);
  AppendVarint(out, item.size());
  AppendEntries(item, out);
  const uint32_t checksum = Checksum(std::string_view(out).substr(start + kHeaderBytes));
  for (size_t i = 0; i < sizeof(checksum); ++i) out[start + 1 + i] = static_cast<char>(checksum >> (24 - 8 * i));
}

Result<DecodedItem> DecodeItem(std::string_view record, Arena& arena) {
  std::string_view body;
  if (Status status = OpenRecord(record, &body); !status.ok()) return status;
  ByteReader reader(body);
  DecodedItem decoded;
  decoded.item_size = reader.Varint();
  const size_t count = reader.Varint();
  if (!reader.ok() || !ValueDecoder(reader, arena).DecodeEntries(count, 0, &decoded.item) || !reader.at_end())
    return Status::Corruption("item record is malformed");
  return decoded;
}

Result<size_t> DecodeItemSize(std::string_view record) {
  std::string_view body;
  if (Status status = OpenRecord(record, &body); !status.ok()) return status;
  ByteReader reader(body);
  const size_t item_size = reader.Varint();
  if (!reader.ok()) return Status::Corruption("item record is malformed");
  return item_size;
}

size_t PeekItemSize(std::string_view record) {
  if (record.size() <= kHeaderBytes || static_cast<uint8_t>(record[0]) != kItemRecordVersion) return 0;
  RecordStamp stamp;
  ByteReader reader(SkipStamp(record.substr(kHeaderBytes), &stamp));
  const size_t item_size = reader.Varint();
  return reader.ok() ? std::min(item_size, kMaxItemBytes) : 0;
}

RecordStamp StampOf(std::string_view record) {
  RecordStamp stamp;
  if (record.size() <= kHeaderBytes || static_cast<uint8_t>(record[0]) != kItemRecordVersion) return stamp;
  return SkipStamp(record.substr(kHeaderBytes), &stamp).empty() ? RecordStamp() : stamp;
}

bool HaveSameItem(std::string_view a, std::string_view b) {
  if (a.size() <= kHeaderBytes || b.size() <= kHeaderBytes) return a == b;
  RecordStamp stamp;
  return SkipStamp(a.substr(kHeaderBytes), &stamp) == SkipStamp(b.substr(kHeaderBytes), &stamp);
}

}  // namespace armature::model
