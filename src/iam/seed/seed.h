// Seed: accounts, users, groups, roles, policies and keys that somebody has written down.
//
// What the file says of an entity holds after every start: its policies, groups, boundary, tags and trust are those of
// the file, no more. Entities that it does not name, and keys that it does not name, are left alone. Applying the same
// seed again changes nothing and writes nothing. Read by seed_file.h.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "iam/entities/entities.h"
#include "iam/state/draft.h"
#include "iam/store/directory.h"

namespace armature::iam {

struct SeedEntry {
  std::string where;  // for errors: "line 7: user bob"
  std::string account;
  std::string name;
  std::string path = "/";
  Tags tags{};
};

struct SeedKey {
  std::string id;
  std::string secret;
  bool is_active = true;
};

struct SeedHolder : SeedEntry {
  std::map<std::string, std::string> inline_policies{};  // documents by name
  std::vector<std::string> attached{};                   // ARNs; or names, of the account's policies or AWS's
  std::string boundary{};                                // likewise
};

struct SeedUser : SeedHolder {
  std::vector<std::string> groups{};  // names
  std::vector<SeedKey> keys{};
};

struct SeedRole : SeedHolder {
  std::string trust{};
  std::string description{};
  int64_t max_session_seconds = 3600;
};

struct SeedPolicy : SeedEntry {
  std::string description{};
  std::string document{};
};

struct SeedProvider : SeedEntry {  // its name is its URL
  std::vector<std::string> client_ids{};
  std::vector<std::string> thumbprints{};
};

struct SeedAccount : SeedEntry {  // its name is its alias, if it has one
  std::vector<SeedKey> root_keys{};
};

struct Seed {
  std::vector<SeedAccount> accounts{};
  std::vector<SeedPolicy> policies{};
  std::vector<SeedHolder> groups{};
  std::vector<SeedUser> users{};
  std::vector<SeedRole> roles{};
  std::vector<SeedProvider> providers{};
};

// InvalidArgument says which entry is wrong, and why.
Status ApplySeed(Draft& draft, const Seed& seed);
// The same as one durable change, all or nothing.
Task<Status> ApplySeed(Directory& directory, const Seed& seed);

}  // namespace armature::iam
