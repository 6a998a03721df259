// Trigger files: any bytes are functions, destinations and triggers, or an error of one line that names the file.
//
// Input: a TOML file. It is read twice, and says the same twice; a trigger that was read can be stored and comes back.
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "base/fuzz_check.h"
#include "triggers/mapping.h"
#include "triggers/trigger_file.h"

namespace armature::triggers {
namespace {

// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("triggers.toml", 0)) {
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  void Write(std::string_view text) const {
    Require(ftruncate(descriptor_, 0) == 0, "the file can be emptied");
    Require(pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()), "and written");
  }
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

Status Read(const std::string& path, TriggerConfig& config) {
  return ReadTriggerFile(path, "123456789012", "us-east-1", config);
}

void Check(std::string_view text) {
  static const MemoryFile file;
  file.Write(text);
  TriggerConfig config;
  const Status status = Read(file.path(), config);
  TriggerConfig again;
  const Status status_again = Read(file.path(), again);
  Require(status.ok() == status_again.ok() && status.message() == status_again.message(), "a file says one thing");
  if (!status.ok()) {
    Require(status.message().find('\n') == std::string::npos, "an error has one line");
    Require(status.message().find(file.path()) != std::string::npos, "which names the file");
    return;
  }
  Require(config.functions.size() == again.functions.size() && config.triggers.size() == again.triggers.size(),
          "a file defines the same");
  // What is refused here is never stored.
  if (!CheckTriggers(config).ok()) return;
  for (const Mapping& trigger : config.triggers) {
    const std::string record = EncodeMapping(trigger);
    const auto stored = DecodeMapping(record);
    Require(stored && EncodeMapping(*stored) == record, "a trigger can be stored");
    (void)FindDestination(config, trigger.on_failure);
  }
}

}  // namespace
}  // namespace armature::triggers

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  armature::triggers::Check(armature::FuzzText(data, size));
  return 0;
}
