// Large arrays on huge pages.
//
// RocksDB's memtable is a skip list spread over tens of megabytes: each step of a search is another page, and with 4
// KiB pages (two translations of each, in a virtual machine) the page walks were a tenth of a PutItem. Where the kernel
// gives huge pages only to those who ask (transparent_hugepage = madvise), somebody has to ask, and RocksDB allocates
// its arena with a plain new[]. So this replaces operator new[] of the whole program: arrays of at least one huge page
// are aligned to huge pages and advised; all others come from malloc as ever. Everything is freed with free().
#pragma once

#include <cstddef>

namespace armature {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// From now on, for the whole program. Does nothing in a build with sanitizers, which bring their own new[].
void PutLargeArraysOnHugePages();

}  // namespace armature
