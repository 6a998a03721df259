// SigningKeys: what secrets give for a day, Region and service, so that a request is signed with it and not with the
// secret: four HMACs saved.
//
// A bounded table of one thread: no lock, nothing shared. Kept under the AccessKey's serial number, which no other key
// ever has: a key that was changed or removed is never found again, and its entry is overwritten in time. Only what a
// right signature was made with is kept, so that nobody can push out the entries of others by guessing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/codec/sha256.h"

namespace armature::auth {

class SigningKeys {
 public:
  static constexpr size_t kSlots = 256;

  // Null if it is not kept. `scope` is a credential's: "20130609/us-east-1/dynamodb/aws4_request". Good until Keep.
  const HmacSha256* Find(uint64_t key_serial, std::string_view scope) const;
  // In the place of whatever has its slot.
  void Keep(uint64_t key_serial, std::string_view scope, const HmacSha256& key);

  static SigningKeys& OfThisThread();

 private:
  struct Slot {
    uint64_t key_serial = 0;
    std::string scope;
    std::optional<HmacSha256> key;  // none: nothing is kept here
  };
  using Slots = std::array<Slot, kSlots>;

  std::unique_ptr<Slots> slots_;  // made when there is something to keep
};

}  // namespace armature::auth
