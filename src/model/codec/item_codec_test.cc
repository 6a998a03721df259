#include "model/codec/item_codec.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "base/hybrid_clock.h"
#include "base/random.h"
#include "model/item_size.h"

namespace armature::model {
namespace {

constexpr size_t kHeader = 5;

Number Num(std::string_view text) { return Number::Parse(text).value(); }

std::string Record(Item item) {
  std::string out;
  EncodeItem(item, ItemSize(item), out);
  return out;
}

bool SameItem(Item a, Item b) { return Value::Map(a) == Value::Map(b); }

std::string Hex(std::string_view bytes) {
  std::string text;
  for (char c : bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<uint8_t>(c));
  return text;
}

std::string Encoded(const Value& value) {
  std::string out;
  EncodeValue(value, out);
  return out;
}

// A record with a valid checksum over whatever body it is given.
std::string Sealed(std::string_view body) {
  std::string record(1, static_cast<char>(kItemRecordVersion));
  AppendBigEndian(record, static_cast<uint32_t>(XXH3_64bits(body.data(), body.size())));
  return record.append(body);
}

Value RandomValue(RandomSource& random, Arena& arena, int depth) {
  const auto text = [&] {
    std::string bytes(random.Below(8) == 0 ? random.Below(300) : random.Below(20), '\0');
    random.FillBytes(bytes);
    return arena.Copy(bytes);
  };
  const auto strings = [&] {
    auto members = arena.NewArray<std::string_view>(1 + random.Below(20));
    for (size_t i = 0; i < members.size(); ++i) members[i] = arena.Copy(fmt::format("{:03}{}", i, text()));
    return members;
  };
  switch (static_cast<Type>(random.Below(depth > 3 ? 8 : 10))) {
    case Type::kS: return Value::String(text());
    case Type::kB: return Value::Binary(text());
    case Type::kN:
      return Value::OfNumber(Number::FromInt(static_cast<int64_t>(random.NextU64() >> random.Below(64))), arena);
    case Type::kBool: return Value::Bool(random.Below(2) == 1);
    case Type::kNull: return Value::Null();
    case Type::kSS: return Value::StringSet(strings());
    case Type::kBS: return Value::BinarySet(strings());
    case Type::kNS: {
      auto members = arena.NewArray<Number>(1 + random.Below(20));
      for (size_t i = 0; i < members.size(); ++i)
        members[i] = Number::FromInt(static_cast<int64_t>(i * 1000 + random.Below(1000)));
      return Value::NumberSet(members);
    }
    case Type::kL: {
      auto elements = arena.NewArray<Value>(random.Below(20));
      for (Value& element : elements) element = RandomValue(random, arena, depth + 1);
      return Value::List(elements);
    }
    case Type::kM: {
      auto entries = arena.NewArray<MapEntry>(random.Below(20));
      for (size_t i = 0; i < entries.size(); ++i)
        entries[i] = {arena.Copy(fmt::format("name{:02}", i)), RandomValue(random, arena, depth + 1)};
      return Value::Map(entries);
    }
  }
  return {};
}

Item RandomItem(RandomSource& random, Arena& arena) {
  auto entries = arena.NewArray<MapEntry>(1 + random.Below(12));
  for (size_t i = 0; i < entries.size(); ++i)
    entries[i] = {arena.Copy(fmt::format("attribute{:02}", i)), RandomValue(random, arena, 1)};
  return entries;
}

// The worked examples of docs/design/formats.md.
TEST(ItemCodec, BytesAsDocumented) {
  Arena arena;
  const auto number = [&](std::string_view text) { return Encoded(Value::OfNumber(Num(text), arena)); };
  EXPECT_EQ(Hex(Encoded(Value::String("ab"))), "20 61 62");
  EXPECT_EQ(Hex(Encoded(Value::String("0123456789abcdef"))), "f0 10 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66");
  EXPECT_EQ(Hex(Encoded(Value::Binary("\xFF"))), "12 ff");
  EXPECT_EQ(Hex(Encoded(Value::Bool(false))), "03");
  EXPECT_EQ(Hex(Encoded(Value::Bool(true))), "13");
  EXPECT_EQ(Hex(Encoded(Value::Null())), "04");
  EXPECT_EQ(Hex(number("0")), "01 00");
  EXPECT_EQ(Hex(number("5")), "01 01 05");
  EXPECT_EQ(Hex(number("-1234")), "01 82 d2 04");
  EXPECT_EQ(Hex(number("1000")), "01 21 06 01");
  EXPECT_EQ(Hex(number("12.5")), "01 21 01 7d");
  EXPECT_EQ(Hex(number("1e125")), "01 21 fa 01 01");
  const std::string_view strings[] = {"a", "bc"};
  EXPECT_EQ(Hex(Encoded(Value::StringSet(strings))), "25 01 61 02 62 63");
  const Number numbers[] = {Num("1"), Num("2")};
  EXPECT_EQ(Hex(Encoded(Value::NumberSet(numbers))), "26 01 01 01 02");
  const Value elements[] = {Value::String("x"), Value::Null()};
  EXPECT_EQ(Hex(Encoded(Value::List(elements))), "28 10 78 04");
  const MapEntry entries[] = {{"k", Value::Bool(true)}};
  EXPECT_EQ(Hex(Encoded(Value::Map(entries))), "19 01 6b 13");

  const MapEntry item[] = {{"id", Value::String("a")}, {"n", Value::OfNumber(Num("5"), arena)}};
  EXPECT_EQ(Hex(Record(item)), "02 59 e3 a5 05 00 06 02 02 69 64 10 61 01 6e 01 01 05");
  std::string stamped;
  EncodeItem(item, ItemSize(item), stamped, {.write_time = HybridTime{1'700'000'000'000} << 16 | 3});
  EXPECT_EQ(Hex(stamped), "02 22 27 5f a4 01 01 8b cf e5 68 00 00 03 06 02 02 69 64 10 61 01 6e 01 01 05");
}

TEST(ItemCodec, StampsAreKeptAndMakeNoOtherItem) {
  const MapEntry item[] = {{"id", Value::String("a")}}, other[] = {{"id", Value::String("b")}};
  const auto stamped = [](Item of, RecordStamp stamp) {
    std::string out;
    EncodeItem(of, ItemSize(of), out, stamp);
    return out;
  };
  for (const RecordStamp stamp : {RecordStamp{}, RecordStamp{7, 0}, RecordStamp{0, 300}, RecordStamp{UINT64_MAX, 1}}) {
    const std::string record = stamped(item, stamp);
    EXPECT_EQ(StampOf(record), stamp);
    Arena arena;
    auto decoded = DecodeItem(record, arena);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_TRUE(SameItem(decoded->item, item));
    EXPECT_EQ(*DecodeItemSize(record), ItemSize(item));
    EXPECT_EQ(PeekItemSize(record), ItemSize(item));
    EXPECT_TRUE(HaveSameItem(record, Record(item)));
    EXPECT_FALSE(HaveSameItem(record, stamped(other, stamp)));
    EXPECT_FALSE(HaveSameItem(record, {}));
    for (size_t size = 0; size < record.size(); ++size) {
      EXPECT_FALSE(HaveSameItem(record, std::string_view(record).substr(0, size)));
      static_cast<void>(StampOf(std::string_view(record).substr(0, size)));
      EXPECT_LE(PeekItemSize(std::string_view(record).substr(0, size)), ItemSize(item));
    }
  }
  EXPECT_TRUE(HaveSameItem({}, {}));
}

TEST(ItemCodec, FlagsOfTheFutureAreRefused) {
  Arena arena;
  for (const char flags : {'\x04', '\x80', '\xff'}) {
    const auto decoded = DecodeItem(Sealed(std::string(1, flags) + std::string("\x00\x00", 2)), arena);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().code(), StatusCode::kFormat);
  }
}

TEST(ItemCodec, RandomItemsRoundTrip) {
  SeededRandom random(1);
  for (int i = 0; i < 500; ++i) {
    Arena arena;
    const Item item = RandomItem(random, arena);
    const std::string record = Record(item);
    auto decoded = DecodeItem(record, arena);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_TRUE(SameItem(decoded->item, item));
    EXPECT_EQ(decoded->item_size, ItemSize(item));
    EXPECT_EQ(*DecodeItemSize(record), ItemSize(item));
  }
}

TEST(ItemCodec, EmptyItemRoundTrips) {
  Arena arena;
  auto decoded = DecodeItem(Record({}), arena);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_TRUE(decoded->item.empty());
}

TEST(ItemCodec, AppendsAfterWhatIsThere) {
  Arena arena;
  const MapEntry item[] = {{"id", Value::String("a")}};
  std::string out = "prefix";
  EncodeItem(item, ItemSize(item), out);
  EXPECT_TRUE(DecodeItem(std::string_view(out).substr(6), arena).has_value());
}

TEST(ItemCodec, AnyFlippedBitIsFound) {
  Arena arena;
  const MapEntry item[] = {{"id", Value::String("abc")}, {"ok", Value::Bool(true)}};
  const std::string record = Record(item);
  for (size_t i = 0; i < record.size() * 8; ++i) {
    std::string flipped = record;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    auto decoded = DecodeItem(flipped, arena);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().code(), i < 8 ? StatusCode::kFormat : StatusCode::kCorruption);
    EXPECT_FALSE(DecodeItemSize(flipped).has_value());
  }
  for (size_t size = 0; size < record.size(); ++size)
    EXPECT_EQ(DecodeItem(std::string_view(record).substr(0, size), arena).error().code(), StatusCode::kCorruption);
}

TEST(ItemCodec, MutatedBodiesWithAValidChecksumAreDecodedOrRefused) {
  SeededRandom random(7);
  size_t accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    Arena source, arena;
    std::string body = Record(RandomItem(random, source)).substr(kHeader);
    for (uint64_t k = random.Below(4) + 1; k > 0; --k) {
      const size_t at = random.Below(body.size());
      switch (random.Below(4)) {
        case 0: body[at] = static_cast<char>(random.NextU64()); break;
        case 1: body.resize(at + 1); break;
        case 2: body.insert(at, 1, static_cast<char>(random.NextU64())); break;
        default: body[at] = '\xFF'; break;
      }
    }
    const std::string record = Sealed(body);
    auto decoded = DecodeItem(record, arena);
    ASSERT_LE(arena.bytes_reserved(), Arena::kFirstBlockBytes + 4 * 64 * record.size());
    if (!decoded.has_value()) continue;
    ++accepted;
    // Whatever was accepted can be walked.
    (void)ItemSize(decoded->item);
    EXPECT_FALSE(Record(decoded->item).empty());
  }
  EXPECT_GT(accepted, 0u);
}

TEST(ItemCodec, CountsBeyondTheRecordAreRefusedWithoutReservingMemory) {
  Arena arena;
  std::string body;
  AppendByte(body, 0);
  AppendVarint(body, 10);
  AppendVarint(body, uint64_t{1} << 60);
  EXPECT_FALSE(DecodeItem(Sealed(body), arena).has_value());

  // Lists in lists, each claiming as many elements as bytes are left.
  const size_t size = 100'000;
  std::string nested;
  for (int level = 0; level < 60; ++level) {
    AppendByte(nested, 0xF8);
    AppendVarint(nested, size / 2);
  }
  nested.resize(size, '\x04');
  ByteReader reader(nested);
  Value value;
  EXPECT_FALSE(DecodeValue(reader, arena, &value));
  EXPECT_LE(arena.bytes_reserved(), 64 * size);
}

TEST(ItemCodec, ASizeThatIsNoItemsReservesNoMemory) {
  // A record may say anything of its size, and is encoded again with what it said.
  std::string record;
  EncodeItem({}, SIZE_MAX / 2, record);
  EXPECT_LE(record.capacity(), 2 * kMaxItemBytes);
  EXPECT_EQ(*DecodeItemSize(record), SIZE_MAX / 2);
}

TEST(ItemCodec, DepthIsBounded) {
  Arena arena;
  const auto nested = [](size_t levels) { return std::string(levels, '\x18') + '\x04'; };  // lists of one
  const std::string deepest_item = nested(kMaxNestingLevels - 1);
  ByteReader fine(deepest_item);
  Value value;
  EXPECT_TRUE(DecodeValue(fine, arena, &value));
  EXPECT_EQ(NestingLevels(value), kMaxNestingLevels);
  const std::string endless = nested(1'000'000);
  ByteReader deep(endless);
  EXPECT_FALSE(DecodeValue(deep, arena, &value));
}

}  // namespace
}  // namespace armature::model
