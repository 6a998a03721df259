// Connections of DAX clients, cut into messages.
//
// Input: a byte for how long the pieces are, a byte for how long a message may be, then what follows the handshake. The
// pieces give the same messages as the whole; a message is values and nothing else; bounds hold.
#include <string>
#include <vector>

#include "base/testing/fuzz_check.h"
#include "dax/codec/cbor.h"
#include "dax/codec/frame.h"

namespace armature::dax {
namespace {

constexpr std::string_view kHandshake("\x67J7yne5G\x00\xf6\xa0\x00", 12);

struct Cut {
  std::vector<std::string_view> messages;
  std::string_view reason;

  bool operator==(const Cut&) const = default;
};

Cut CutUp(std::string_view bytes, size_t piece, size_t most) {
  Cut cut;
  FrameScanner scanner(most);
  size_t there = 0;
  while (true) {
    const Frame frame = scanner.Scan(bytes.substr(0, there));
    if (frame.state == FrameState::kMalformed) {
      cut.reason = frame.reason;
      return cut;
    }
    if (frame.state == FrameState::kWhole) {
      Require(frame.length > 0 && frame.length <= std::min(there, most), "a message is within its bounds");
      cut.messages.push_back(bytes.substr(0, frame.length));
      bytes.remove_prefix(frame.length);
      there -= frame.length;
      scanner.Next();
      continue;
    }
    if (there == bytes.size()) return cut;
    there = std::min(there + piece, bytes.size());
  }
}

void Check(const std::string& bytes, size_t piece, size_t most) {
  const Cut whole = CutUp(bytes, bytes.size(), most);
  Require(CutUp(bytes, piece, most) == whole, "pieces give what the whole gives");
  Require(CutUp(bytes, 1, most) == whole, "and so do bytes");
  for (const std::string_view message : whole.messages) {
    CborReader reader(message);
    while (reader.ok() && !reader.at_end()) reader.Skip();
    Require(reader.ok(), "a message is values");
  }
}

}  // namespace
}  // namespace armature::dax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes = armature::FuzzText(data + 2, size - 2);
  const size_t most = 16 + size_t{data[1]} * 32;
  armature::dax::Check(std::string(armature::dax::kHandshake) + std::string(bytes), 1 + data[0] % 32, most);
  armature::dax::Check(std::string(bytes), 1 + data[0] % 32, most);
  return 0;
}
