// What a machine can be short of and get back: space on the disk, file descriptors, memory of the kernel. Pure.
#pragma once

#include <cerrno>
#include <cstring>
#include <string_view>

#include <rocksdb/io_status.h>

#include "base/result.h"

namespace armature::storage {

enum class Shortage { kNone, kSpace, kDescriptors, kMemory };

// RocksDB keeps only ENOSPC apart; of other errors it keeps the system's text.
inline Shortage ShortageOf(const rocksdb::Status& status) {
  if (status.ok()) return Shortage::kNone;
  if (status.IsNoSpace()) return Shortage::kSpace;
  if (!status.IsIOError() || status.getState() == nullptr) return Shortage::kNone;
  const std::string_view text = status.getState();
  if (text.ends_with(std::strerror(EDQUOT))) return Shortage::kSpace;
  if (text.ends_with(std::strerror(EMFILE)) || text.ends_with(std::strerror(ENFILE))) return Shortage::kDescriptors;
  if (text.ends_with(std::strerror(ENOMEM))) return Shortage::kMemory;
  return Shortage::kNone;
}

// What is told to whoever is refused meanwhile.
inline Status ShortageStatus(Shortage shortage) {
  switch (shortage) {
    case Shortage::kNone: break;
    case Shortage::kSpace: return Status::NoSpace("the disk is full");
    case Shortage::kDescriptors: return Status::Unavailable("no file descriptor is left");
    case Shortage::kMemory: return Status::Unavailable("the system is out of memory");
  }
  return {};
}

}  // namespace armature::storage
