// What a command that serves asks of the system before it does anything else, and how it speaks of its addresses.
//
// Called once, on the main thread, before there are others. Used by server/ only.
#pragma once

#include <cstdint>
#include <string>

#include <signal.h>

namespace armature::server {

// The signals that ask for an orderly end, and with `reloads` the one that asks to read files again, kept away from
// every thread but the one that waits for them.
sigset_t BlockSignals(bool reloads);

// Connections and table files each take a descriptor; the usual soft limit of 1024 is for programs that use select.
void RaiseDescriptorLimit();

// Blocks of megabytes (bodies, answers) go back to the system when they are freed. Left to itself glibc learns from the
// first of them to keep what follows, up to 64 MiB for each thread that ever had one. Told a limit, it would also hand
// back every 128 KiB at the end of its heap, and an answer of a megabyte would have its pages zeroed anew each time.
void GiveLargeBlocksBack();

// Only programs on this machine reach it.
bool IsLoopback(const std::string& host);

// For a ready line: IPv6 addresses stand in brackets.
std::string UrlOf(const char* scheme, const std::string& host, uint16_t port);

}  // namespace armature::server
