// The buffers that OpenSSL takes for the records of a message and gives back behind it: kept by each thread for the
// next.
//
// A stream holds none between messages (tls_stream.h), so each message takes two of some 17 KB. The allocator has no
// list for pieces of that size and searches for them every time. Here each thread keeps a few. They go with the thread.
// In builds with a sanitizer nothing is kept, so that it sees each use of what was given back.
#pragma once

#include <cstddef>

namespace armature::net {

// Gives OpenSSL the allocator below. To be called before OpenSSL has taken any memory: later it is too late, and
// nothing changes.
void KeepRecordBuffers();

// Everything that is no buffer for records is the system's as before.
void* AllocateOrTakeBuffer(size_t size);
void FreeOrKeepBuffer(void* memory);

}  // namespace armature::net
