// FaultHouse: what a process has over its engine, and requests to it as JSON. For the tests of faults.
//
// What a request goes through is the server's own pipeline. Reborn over the same store, it is a restart.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/request_context.h"
#include "auth/accept_any.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "front/pipeline.h"
#include "storage/engine.h"
#include "table/catalog.h"
#include "table/journal/journal.h"
#include "table/read/read_path.h"
#include "table/txn/token_store.h"
#include "table/write/write_path.h"
#include "workers/index_backfill.h"
#include "workers/ttl/ttl_setup.h"

namespace armature::api {

struct FaultReply {
  enum class Kind {
    kOk,
    kRefused,  // an error that says that nothing was done: a failed condition, a bad request
    kUnknown,  // an error of the server: done or not done
  };
  Kind kind = Kind::kOk;
  std::string body;   // when ok
  std::string error;  // "Name: message" otherwise
};

class FaultHouse {
 public:
  // `clock`: another than the system's.
  FaultHouse(storage::Engine& engine, Metrics& metrics, const Clock* clock = nullptr);

  Status Load();
  // An exception of the operation leaves this. `begin` and `end` are called where the request's own work begins and
  // ends.
  using Hook = void (*)();
  FaultReply Call(std::string_view operation, std::string_view json, std::function<void()> begin = nullptr,
                  Hook end = nullptr);

  // What the house's threads would do by and by, until there is nothing left to do.
  Status DoBackgroundWork();

  storage::Engine& engine() { return services_.engine; }
  table::Catalog& catalog() { return catalog_; }
  table::WritePath& writes() { return writes_; }
  table::Journal& journal() { return journal_; }

 private:
  struct Hooks;
  Task<model::ApiResult<void>> Run(const net::HttpRequest& request, Arena& arena, std::string& body,
                                   const Hooks& hooks);

  SystemClock system_clock_;
  const Clock& clock_;
  SeededRandom random_{1};
  table::Catalog catalog_;
  table::ReadPath reads_;
  table::WritePath writes_;
  table::Journal journal_;
  table::TokenStore tokens_;
  workers::IndexBackfill index_backfill_;
  workers::TtlSetup ttl_setup_;
  Services services_;
  const auth::AcceptAnyVerifier verifier_{"123456789012"};
  const front::Pipeline pipeline_{{.region = "us-east-1"}, services_, verifier_};
};

}  // namespace armature::api
