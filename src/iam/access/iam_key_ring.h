// IamKeyRing: the keys of IAM's users, roots and sessions, for the Verifier.
//
// Every thread keeps what it has found, until something in IAM changes: then it looks everything up anew, so that a
// change is in force with the next request of every connection. A session is opened from its token; whether those
// behind it are still there is looked up with every change too. Thread-safe, takes no lock while nothing changes. Used
// by server/.
#pragma once

#include <memory>
#include <string_view>

#include "auth/key_ring.h"
#include "iam/sessions/session.h"
#include "iam/store/directory.h"
#include "iam/store/usage.h"

namespace armature::iam {

class IamKeyRing final : public auth::KeyRing {
 public:
  IamKeyRing(Directory& directory, UsageTable& usage);

  bool is_empty() const override { return directory_.is_untouched(); }
  std::shared_ptr<const auth::AccessKey> Find(std::string_view access_key_id,
                                              std::string_view session_token) const override;
  uint64_t generation() const override { return directory_.version(); }
  void NoteUse(const auth::AccessKey& key, std::string_view region, std::string_view service,
               int64_t now_millis) const override;

 private:
  struct ThreadCache;

  ThreadCache& CacheOfThread() const;
  std::shared_ptr<const auth::AccessKey> MakeKey(const Snapshot& state, std::string_view access_key_id) const;
  std::shared_ptr<const auth::AccessKey> MakeSessionKey(const Snapshot& state, std::string_view access_key_id,
                                                        std::string_view session_token) const;

  Directory& directory_;
  UsageTable& usage_;
  const uint64_t serial_;  // tells rings apart
};

}  // namespace armature::iam
