// Files of principals: any bytes are a seed, or an error of one line that names the file.
//
// Input: TOML or JSON. It is read twice, and says the same twice. What can be applied can be applied again and then
// changes nothing, and every record of it can be stored and comes back.
#include <string>

#include "base/random.h"
#include "base/testing/fuzz_check.h"
#include "iam/seed/seed_file.h"
#include "iam/store/record_codec.h"

namespace armature::iam {
namespace {

Result<Seed> Parse(std::string_view text) { return ParseSeed(text, "iam.toml", "123456789012"); }

void CheckRecords(const Snapshot& state) {
  SecretRandom random;
  static const MasterKeys keys = MasterKeys::Random(random);
  const RecordCodec codec(keys, random);
  Draft loaded(Snapshot(), 0, random);
  bool needs_sealing = false;
  const auto names = AllRecords(state);
  for (const RecordName& name : names) {
    std::string record;
    Require(codec.Encode(state, name, record), "there is a record of everything");
    Require(codec.Decode(name, record, loaded, needs_sealing).ok(), "a record comes back");
  }
  Require(!needs_sealing && AllRecords(loaded.state()) == names, "all of them");
}

void Check(std::string_view text) {
  const auto seed = Parse(text);
  const auto again = Parse(text);
  Require(seed.has_value() == again.has_value(), "a file says one thing");
  if (!seed) {
    Require(seed.error().message() == again.error().message(), "in the same words");
    Require(seed.error().message().find('\n') == std::string::npos, "an error has one line");
    Require(seed.error().message().starts_with("iam.toml: "), "which names the file");
    return;
  }
  SecretRandom random;
  Draft draft(Snapshot(), 1'700'000'000'000, random);
  if (const Status applied = ApplySeed(draft, *seed); !applied.ok()) {
    Require(applied.message().starts_with("iam.toml: line "), "an entry that is refused is named by its line");
    return;
  }
  CheckRecords(draft.state());
  Draft second(draft.state(), 1'700'000'000'000, random);
  Require(ApplySeed(second, *seed).ok(), "what was applied can be applied again");
  Require(second.touched().empty(), "and changes nothing then");
}

}  // namespace
}  // namespace armature::iam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  armature::iam::Check(armature::FuzzText(data, size));
  return 0;
}
