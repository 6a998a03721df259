// Trigger files: any bytes are functions, destinations and triggers, or an error of one line that names the file.
//
// Input: a TOML file. It is read twice, and says the same twice; a trigger that was read can be stored and comes back.
#include <string>

#include "base/testing/fuzz_check.h"
#include "base/testing/memory_file.h"
#include "triggers/mappings/mapping.h"
#include "triggers/mappings/trigger_file.h"

namespace armature::triggers {
namespace {

Status Read(const std::string& path, TriggerConfig& config) {
  return ReadTriggerFile(path, "123456789012", "us-east-1", config);
}

void Check(std::string_view text) {
  static const MemoryFile file("triggers.toml");
  Require(file.Write(text), "the file can be written");
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
