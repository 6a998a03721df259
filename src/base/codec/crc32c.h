// CRC-32C (Castagnoli), as RocksDB's logs carry it.
//
// Pure. By the processor's own instruction where it has one.
#pragma once

#include <cstdint>
#include <string_view>

namespace armature {

// Of what `crc` is of, followed by `bytes`; 0 is the checksum of nothing.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes);
inline uint32_t Crc32c(std::string_view bytes) { return ExtendCrc32c(0, bytes); }

}  // namespace armature
