// CBOR of clients: skipped, and read as attribute values.
//
// Input: bytes. What is a value is written in one form, and reads the same from that; skipping and reading agree on
// where it ends; what was announced and is not there takes no memory.
#include <string>

#include "base/memory/arena.h"
#include "base/testing/fuzz_check.h"
#include "dax/codec/cbor.h"
#include "dax/codec/value_codec.h"

namespace armature::dax {
namespace {

void CheckValue(const model::Value& value) {
  Arena arena;
  std::string bytes;
  AppendValue(bytes, value);
  CborReader reader(bytes);
  const auto again = DecodeValue(reader, arena);
  Require(reader.ok() && reader.at_end(), "what was written is one value");
  Require(again.has_value() && *again == value, "and the same");
  std::string twice;
  AppendValue(twice, *again);
  Require(twice == bytes, "a value has one form");
}

void CheckBytes(std::string_view bytes) {
  CborReader values(bytes);
  CborReader skipped(bytes);
  Arena arena;
  while (values.ok() && !values.at_end()) {
    const size_t position = values.position();
    const auto value = DecodeValue(values, arena);
    skipped.Skip();
    if (!values.ok()) break;
    Require(values.position() > position, "reading goes forward");
    if (value) CheckValue(*value);
    // What is nested too deep for an item may be so for a reader, too.
    if (!value && !skipped.ok()) break;
    Require(skipped.ok() && skipped.position() == values.position(), "skipping ends where reading does");
  }
  // A byte may be a number, which takes 32 and stands in a value of 16; what is believed of counts comes on top.
  Require(arena.bytes_reserved() <= (size_t{1} << 20) + bytes.size() * 128, "memory is for what is there");
}

void CheckWalk(std::string_view bytes) {
  CborReader reader(bytes);
  Arena arena;
  for (size_t i = 0; reader.ok() && !reader.at_end(); ++i) {
    const CborKind kind = reader.Peek();
    const CborReader before = reader;
    switch (kind) {
      case CborKind::kText:
      case CborKind::kBytes: reader.BytesOrText(arena); break;
      case CborKind::kUnsigned: reader.Unsigned(); break;
      case CborKind::kNegative: reader.NegativeBits(); break;
      case CborKind::kFloat: reader.Float(); break;
      case CborKind::kTrue:
      case CborKind::kFalse: reader.Bool(); break;
      case CborKind::kNull: Require(reader.TakeNull(), "a null is taken"); break;
      default: reader.Raw(); break;
    }
    CborReader other = before;
    other.Skip();
    if (reader.ok()) Require(other.ok() && other.position() == reader.position(), "a taken value is a whole one");
  }
}

}  // namespace
}  // namespace armature::dax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = armature::FuzzText(data, size);
  armature::dax::CheckBytes(bytes);
  armature::dax::CheckWalk(bytes);
  return 0;
}
