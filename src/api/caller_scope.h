// CallerScope: whose tables a request means.
//
// Usually every caller belongs to one account, and the Region of the signature chooses the set of tables. DynamoDB
// Local knows two other ways, and software relies on both: a set for each access key id and Region, and one set for
// all. Pure. Asked by the dispatcher for every request.
#pragma once

#include <string_view>

#include "auth/sigv4.h"
#include "base/arena.h"

namespace armature::api {

enum class TableSharing {
  kPerRegion,        // one account for everybody
  kPerKeyAndRegion,  // each access key id is an account
  kOneForAll,        // the server's own account and Region, whatever a signature says
};

struct CallerScope {
  std::string_view account;
  std::string_view region;
};

// `account` and `region` are the server's. The result points to them, into the credential or into the arena.
CallerScope ScopeOf(TableSharing sharing, std::string_view account, std::string_view region,
                    const auth::Credential& credential, Arena& arena);

// The account that stands for an access key id: the id itself if it has an account's form, else twelve digits made of
// it. Tables are stored under it, so it must never change.
std::string_view AccountOfKey(std::string_view access_key_id, Arena& arena);

}  // namespace armature::api
