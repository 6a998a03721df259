// CRC-32 (the one of zlib and of x-amz-crc32), quick on short bodies.
//
// Every reply carries one, so it is computed by carry-less multiplication where the processor can, by zlib elsewhere.
// Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace armature::wire {

uint32_t Crc32(std::string_view bytes);
// zlib's own, for processors without the instruction and for the test that compares the two.
uint32_t PortableCrc32(std::string_view bytes, uint32_t crc = 0);

}  // namespace armature::wire
