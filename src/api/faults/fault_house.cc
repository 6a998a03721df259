#include "api/faults/fault_house.h"

#include "api/registry.h"
#include "base/arena.h"
#include "wire/decode.h"
#include "wire/json_document.h"
#include "wire/validate.h"

namespace armature::api {

FaultHouse::FaultHouse(storage::Engine& engine, Metrics& metrics)
    : catalog_(engine, clock_, 0),
      reads_(engine),
      writes_(engine),
      journal_(engine, clock_, catalog_, metrics),
      tokens_(engine, clock_),
      index_backfill_(engine, clock_, catalog_, writes_, metrics),
      ttl_setup_(engine, clock_, catalog_, writes_, metrics),
      services_{engine, catalog_, reads_, writes_, tokens_, clock_, random_, &index_backfill_} {
  services_.ttl_setup = &ttl_setup_;
  services_.journal = &journal_;
}

Status FaultHouse::Load() {
  if (Status status = RunBlocking(catalog_.Load()); !status.ok()) return status;
  return RunBlocking(journal_.Load());
}

struct FaultHouse::Hooks {
  std::function<void()> begin;
  Hook end;
};

Task<model::ApiResult<void>> FaultHouse::Run(std::string_view name, std::string_view json, RequestContext& context,
                                             const Hooks& hooks) {
  struct AtEnd {
    Hook end;
    ~AtEnd() {
      if (end) end();
    }
  };
  const AtEnd at_end{hooks.end};
  if (hooks.begin) hooks.begin();
  const wire::OperationSchema* schema = wire::FindOperation("DynamoDB_20120810", name);
  if (!schema) schema = wire::FindOperation("DynamoDBStreams_20120810", name);
  const Operation* operation = schema ? FindOperation(*schema) : nullptr;
  if (!operation) co_return model::UnknownOperationException();
  ARMATURE_CO_TRY(const auto document, wire::JsonDocument::Parse(json));
  wire::DecodeErrors errors;
  void* request = operation->make_request(context.arena);
  ARMATURE_CO_CHECK_OK(wire::DecodeRequest(*schema, document.root(), context.arena, errors, request));
  ARMATURE_CO_CHECK_OK(wire::ValidateRequest(*schema, errors.WordingOf(*schema), request));
  context.wording = &errors.WordingOf(*schema);
  co_return co_await operation->execute(context, request);
}

FaultReply FaultHouse::Call(std::string_view operation, std::string_view json, std::function<void()> begin, Hook end) {
  const Hooks hooks{std::move(begin), end};
  Arena arena;
  FaultReply reply;
  RequestContext context{services_, arena, "123456789012", "r-1", "localhost", clock_.NowMillis(), reply.body};
  const auto done = RunBlocking(Run(operation, json, context, hooks));
  if (done) return reply;
  reply.kind = done.error().http_status >= 500 ? FaultReply::Kind::kUnknown : FaultReply::Kind::kRefused;
  reply.error = done.error().name + ": " + done.error().message;
  return reply;
}

}  // namespace armature::api
