// Compressed bodies: hostile ones end in an error within the limit, and what we compress comes back.
//
// Input: a byte that chooses gzip or deflate, then a compressed body, which is also taken as a plain one.
#include <string>

#include "base/testing/fuzz_check.h"
#include "wire/envelope/compression.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using armature::Require;
  namespace wire = armature::wire;
  if (size == 0) return 0;
  constexpr size_t kLimit = 64 * 1024;
  constexpr size_t kPadding = 64;
  const wire::Coding coding = data[0] % 2 == 0 ? wire::Coding::kGzip : wire::Coding::kDeflate;
  const std::string_view body = armature::FuzzText(data + 1, size - 1);
  std::string out;
  const armature::Status status = wire::Inflate(coding, body, kLimit, kPadding, out);
  if (status.ok()) {
    Require(out.size() <= kLimit, "the limit holds");
    Require(out.capacity() >= out.size() + kPadding, "there is room behind");
  }
  std::string packed;
  std::string again;
  Require(wire::Deflate(coding, body, packed).ok(), "everything can be compressed");
  Require(wire::Inflate(coding, packed, kLimit, kPadding, again).ok() && again == body, "and comes back");
  if (!body.empty()) {
    Require(!wire::Inflate(coding, packed, body.size() - 1, kPadding, again).ok(), "one byte too many is refused");
  }
  return 0;
}
