// The stored form of IAM's entities: JSON with a version, described in docs/design/formats.md.
//
// Secrets stand in it sealed with the master key, bound to their record and their access key: moved to another record
// they do not open. What cannot be read back whole is Corruption (or Format, of a newer version): nothing is guessed.
// Pure but for the nonces. Internal to iam/store.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/keys/master_keys.h"
#include "base/random.h"
#include "base/result.h"
#include "iam/entities/entities.h"
#include "iam/state/draft.h"

namespace armature::iam {

class RecordCodec {
 public:
  RecordCodec(const MasterKeys& keys, RandomSource& random) : keys_(keys), random_(random) {}

  // The record of that name as it is in the state, into `record`; false: there is none.
  bool Encode(const Snapshot& state, const RecordName& name, std::string& record) const;

  // Into the draft. `needs_sealing` becomes true if a secret is sealed with another key than the one in use.
  Status Decode(const RecordName& name, std::string_view record, Draft& draft, bool& needs_sealing) const;

 private:
  struct Sealing;

  const MasterKeys& keys_;
  RandomSource& random_;
};

// Those that there are.
std::set<RecordName> AllRecords(const Snapshot& state);

std::string KeyOf(const RecordName& name);
// Corruption: no key of ours.
Result<RecordName> ParseRecordKey(std::string_view key);

// The record that says with which master key secrets are sealed here: there is one as soon as there was a secret.
std::string EncodeKeyCheck(const MasterKeys& keys);
// The fingerprint.
Result<std::string> DecodeKeyCheck(std::string_view record);

}  // namespace armature::iam
