// SharedLibrary: a library that is loaded when it is first wanted, because linking it would cost every start of the
// program milliseconds and memory (docs/adr/0011).
//
// Never unloaded: what it registers to run at exit must not dangle. Used by whoever has a table of its functions.
#pragma once

#include <string>

#include <dlfcn.h>

namespace armature {

class SharedLibrary {
 public:
  // By its name as the linker knows it: "libcurl.so.4".
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    if (handle_) return;
    const char* const reason = dlerror();
    error_ = std::string("cannot load ") + name + ": " + (reason ? reason : "unknown reason");
  }

  // False if the library, or a function that was looked for, is not there.
  bool is_whole() const { return error_.empty(); }
  const std::string& error() const { return error_; }

  template <class Function>
  void Find(const char* function_name, Function& function) {
    if (!handle_) return;
    function = reinterpret_cast<Function>(dlsym(handle_, function_name));
    if (!function) error_ = std::string("there is no ") + function_name;
  }

 private:
  void* const handle_;
  std::string error_;  // why it cannot be used; empty: it can
};

}  // namespace armature
