#include "api/faults/fault_house.h"

#include "base/memory/arena.h"
#include "front/testing/call_testing.h"

namespace armature::api {

FaultHouse::FaultHouse(storage::Engine& engine, Metrics& metrics, const Clock* clock)
    : clock_(clock ? *clock : system_clock_),
      catalog_(engine, clock_, 0),
      reads_(engine),
      writes_(engine, clock_),
      journal_(engine, clock_, catalog_, metrics),
      tokens_(engine, clock_),
      index_backfill_(engine, clock_, catalog_, writes_, metrics),
      ttl_setup_(engine, clock_, catalog_, writes_, metrics),
      services_{engine, catalog_, reads_, writes_, tokens_, journal_, clock_, random_} {
  catalog_.AddListener(index_backfill_);
  catalog_.AddListener(ttl_setup_);
}

Status FaultHouse::Load() {
  if (Status status = RunBlocking(catalog_.Load()); !status.ok()) return status;
  if (Status status = RunBlocking(journal_.Load()); !status.ok()) return status;
  if (Status status = RunBlocking(writes_.KeepHouse(catalog_.AllTables())); !status.ok()) return status;
  if (Status status = RunBlocking(index_backfill_.Load()); !status.ok()) return status;
  return RunBlocking(ttl_setup_.Load());
}

Status FaultHouse::DoBackgroundWork() {
  if (Status status = RunBlocking(catalog_.RunDueTransitions()); !status.ok()) return status;
  if (Status status = RunBlocking(writes_.KeepHouse(catalog_.AllTables())); !status.ok()) return status;
  if (Status status = RunBlocking(journal_.KeepHouse()); !status.ok()) return status;
  while (RunBlocking(index_backfill_.Step())) {}
  while (RunBlocking(ttl_setup_.Step())) {}
  return Status::Ok();
}

struct FaultHouse::Hooks {
  std::function<void()> begin;
  Hook end;
};

Task<model::ApiResult<void>> FaultHouse::Run(const net::HttpRequest& request, Arena& arena, std::string& body,
                                             const Hooks& hooks) {
  struct AtEnd {
    Hook end;
    ~AtEnd() {
      if (end) end();
    }
  };
  const AtEnd at_end{hooks.end};
  if (hooks.begin) hooks.begin();
  co_return co_await front::CallLocally(pipeline_, request, arena, body);
}

FaultReply FaultHouse::Call(std::string_view operation, std::string_view json, std::function<void()> begin, Hook end) {
  const Hooks hooks{std::move(begin), end};
  Arena arena;
  FaultReply reply;
  const front::LocalRequest request(operation, json, "us-east-1");
  const auto done = RunBlocking(Run(request.http(), arena, reply.body, hooks));
  if (done) return reply;
  reply.kind = done.error().http_status >= 500 ? FaultReply::Kind::kUnknown : FaultReply::Kind::kRefused;
  reply.error = done.error().name + ": " + done.error().message;
  return reply;
}

}  // namespace armature::api
