// Configuration files: any bytes are options, or an error of one line; no file shows the help or ends well without any.
//
// Input: a TOML file. It is read twice, and says the same twice; flags behind it win.
#include <string>

#include "base/testing/fuzz_check.h"
#include "base/testing/memory_file.h"
#include "server/parts/options.h"

namespace armature::server {
namespace {

// What can be added to a time.
bool IsSpan(int64_t millis) { return millis >= 0 && millis <= int64_t{1} << 40; }

void Check(std::string_view text) {
  static const MemoryFile file("armature.toml");
  Require(file.Write(text), "the file can be written");
  const ParsedOptions parsed = ParseServeOptions({"--config", file.path()});
  const ParsedOptions again = ParseServeOptions({"--config", file.path()});
  Require(parsed.text == again.text && parsed.exit_code == again.exit_code, "a file says one thing");
  if (!parsed.options) {
    Require(parsed.exit_code == 2, "without options it does not start");
    Require(parsed.text.find('\n') == parsed.text.size() - 1, "an error has one line");
    Require(parsed.text.starts_with("armature: " + file.path() + ": "), "which names the file");
    return;
  }
  const ServeOptions& options = *parsed.options;
  Require(options.threads >= 0 && options.sync_interval_millis > 0 && options.trigger_calls > 0 &&
              IsSpan(options.control_plane_delay_millis) && IsSpan(options.ttl_delay_millis) &&
              IsSpan(options.stream_shard_millis) && IsSpan(options.slow_request_millis) &&
              IsSpan(options.drain_seconds * 1000) && options.account.size() == 12,
          "what is accepted can be served with");
  const ParsedOptions ruled = ParseServeOptions({"--config", file.path(), "--port", "4321", "--region", "eu-west-3"});
  Require(ruled.options && ruled.options->port == 4321 && ruled.options->region == "eu-west-3", "flags win");
}

}  // namespace
}  // namespace armature::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  armature::server::Check(armature::FuzzText(data, size));
  return 0;
}
