// MemoryFile: a file in memory that has a path, for code that reads files.
//
// Belongs to one thread. Test support only; not linked into the server.
#pragma once

#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace armature {

class MemoryFile {
 public:
  explicit MemoryFile(const char* name)
      : descriptor_(memfd_create(name, MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Makes `text` all that it holds.
  bool Write(std::string_view text) const {
    return ftruncate(descriptor_, 0) == 0 &&
           pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  }
  const std::string& path() const { return path_; }

 private:
  const int descriptor_;
  const std::string path_;
};

}  // namespace armature
