// RequestContext: what every operation is given, and the only thing besides its request.
//
// Made by the front for one request, on one reactor. `Services` are the parts of the house that operations may
// use; they live as long as the server. Operations append their reply's JSON object to `body`.
#pragma once

#include <string>
#include <string_view>

#include "auth/access.h"
#include "auth/principal.h"
#include "base/clock.h"
#include "base/memory/arena.h"
#include "base/random.h"
#include "model/compatibility.h"
#include "model/wording.h"
#include "storage/engine.h"
#include "table/catalog.h"
#include "table/journal/journal.h"
#include "table/read/read_path.h"
#include "table/txn/token_store.h"
#include "table/write/write_path.h"

namespace armature::auth {
class AccessWitness;
class Authorizer;
}  // namespace armature::auth
namespace armature::policy {
class PrincipalDirectory;
}

namespace armature::api {

struct Services {
  storage::Engine& engine;
  table::Catalog& catalog;
  const table::ReadPath& reads;
  table::WritePath& writes;
  table::TokenStore& tokens;
  table::Journal& journal;
  const Clock& clock;
  RandomSource& random;
  const auth::Authorizer* authorizer = nullptr;  // null: everybody may do everything; see RequestContext
  // The users and roles there are; null: none are known, and policies may name anybody.
  const policy::PrincipalDirectory* principals = nullptr;
  bool allows_partiql_scans = true;  // SELECT statements may read a whole table or index
  bool shares_tables = false;        // one set of tables: ARNs of any account and Region mean it
  bool is_encrypted = false;         // everything that is stored is encrypted before it is written
  model::Compatibility compatibility{};
};

struct RequestContext {
  const Services& services;
  Arena& arena;
  // On whose behalf.
  const auth::Principal& caller;
  // Who is asked what the caller may do; null: he may do everything, as where there are no principals yet.
  const auth::Authorizer* authorizer = nullptr;
  // Who is told of everything that is touched or denied; null: nobody, as nearly always.
  auth::AccessWitness* witness = nullptr;
  // Whose tables: the account of the caller and the Region its signature is scoped to.
  std::string_view account;
  std::string_view region;
  // What the operation is called in policies: "dynamodb:GetItem".
  std::string_view iam_action;
  // The Host header: where this client reached us.
  std::string_view host;
  int64_t now_millis = 0;
  // For policies.
  auth::Circumstances circumstances{};
  std::string& body;
  // In whose words this request's faults are told.
  const model::Wording* wording = &model::kPlainWording;

  table::TableScope scope() const { return {account, region}; }
};

}  // namespace armature::api
