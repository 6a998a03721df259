// BatchExecuteStatement: up to 25 statements that each read or write one item, each by itself.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/handlers.h"
#include "api/item/distinct_items.h"
#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "api/partiql/bound_statement.h"
#include "api/partiql/select_plan.h"
#include "api/partiql/select_read.h"
#include "api/partiql/statement_write.h"
#include "api/reply_cost.h"
#include "model/messages/items.h"
#include "model/messages/partiql.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiError;
using model::ApiResult;
using model::ValidationException;
using partiql::StatementKind;
namespace messages = model::messages;

namespace {

// One statement of the batch, and what became of it.
struct Member {
  const wire::BatchStatementRequest* request = nullptr;
  BoundStatement bound;
  partiql::WriteTarget target;  // of reads: the key only
  std::optional<ApiError> error;
  bool has_run = false;
  std::unique_ptr<table::ItemRead> read;  // of reads: `item` points into it
  std::optional<model::Item> item;
  ConsumedCapacity consumed;
};

// The code of an error inside a reply that is none.
std::string ShortCode(const ApiError& error) {
  if (error.name == "ValidationException") return "ValidationError";
  if (error.name == "ThrottlingException") return "ThrottlingError";
  constexpr std::string_view kSuffix = "Exception";
  const std::string_view name = error.name;
  return std::string(name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name);
}

ApiResult<void> BindMember(const RequestContext& context, Member& member) {
  ARMATURE_CHECK_OK(CheckParameterValues(member.request->Parameters));
  ARMATURE_CHECK_OK(
      BindStatement(context, *member.request->Statement, member.request->Parameters, member.bound,
                    {.return_on_failure = member.request->ReturnValuesOnConditionCheckFailure.value_or({})}));
  if (member.bound.statement->kind == StatementKind::kExists)
    return ValidationException(std::string(messages::kPartiqlExistsOutsideTransaction));
  if (!member.bound.table) return model::ResourceNotFoundException(std::string(messages::kResourceNotFound));
  return {};
}

ApiResult<void> FindItem(const RequestContext& context, Member& member) {
  const model::KeySchema& schema = member.bound.table->key_schema();
  if (member.bound.statement->is_read()) {
    bool is_mistyped = false;
    ARMATURE_TRY(member.target.key, KeyOfSelect(member.bound, context.arena, &is_mistyped));
    if (is_mistyped) return ValidationException(std::string(messages::kKeyDoesNotMatchSchema));
    if (member.target.key.empty()) return ValidationException(std::string(messages::kPartiqlBatchKey));
    return CheckKeyValues(schema, member.target.key);
  }
  ARMATURE_TRY(member.target, TargetOf(member.bound, context.arena));
  ARMATURE_CHECK_OK(CheckKeyValues(schema, member.target.key));
  return CheckChanges(member.bound, member.target);
}

// Faults of the batch as a whole.
ApiResult<void> CheckTogether(const std::vector<Member>& members) {
  bool has_read = false;
  bool has_write = false;
  for (const Member& member : members) {
    if (!member.bound.statement) continue;
    (member.bound.statement->is_read() ? has_read : has_write) = true;
  }
  if (has_read && has_write) return ValidationException(std::string(messages::kPartiqlBatchMixed));
  return {};
}

ApiResult<void> CheckItemsOnce(const std::vector<Member>& members) {
  DistinctItems seen;
  for (const Member& member : members) {
    if (member.error) continue;
    if (!seen.Add(member.bound.table->id(), member.target.key))
      return ValidationException(std::string(messages::kDuplicateItemKeys));
  }
  return {};
}

Task<ApiResult<void>> Read(RequestContext& context, Member& member) {
  const bool is_consistent = member.request->ConsistentRead.value_or(false);
  member.read = std::make_unique<table::ItemRead>();
  table::ItemRead& read = *member.read;
  read.table = member.bound.table.get();
  read.key = member.target.key;
  const table::ReadView view = context.services.reads.ViewFor(is_consistent);
  read.at = view.at;
  read.is_consistent = is_consistent;
  ARMATURE_CO_CHECK_OK(co_await context.services.reads.Get(read));
  ARMATURE_CO_TRY(member.item, DecodeSelected(member.bound, read.found, read.record(), context.arena));
  member.has_run = true;
  member.consumed.table_units = read.read_units;
  co_return ApiResult<void>{};
}

Task<ApiResult<void>> WriteAll(RequestContext& context, std::vector<Member>& members) {
  std::vector<Member*> valid;
  for (Member& member : members)
    if (!member.error) valid.push_back(&member);
  const auto writes = std::make_unique<table::ItemWrite[]>(valid.size());
  for (size_t i = 0; i < valid.size(); ++i) FillWrite(valid[i]->bound, valid[i]->target, context.arena, writes[i]);
  const std::span<table::ItemWrite> all(writes.get(), valid.size());
  auto executed = co_await context.services.writes.ExecuteBatch(all, context.arena);
  for (size_t i = 0; i < valid.size(); ++i) {
    Member& member = *valid[i];
    const table::ItemWrite& write = writes[i];
    member.has_run = true;
    if (write.failure) {
      member.error = *write.failure;
    } else if (!executed) {
      member.error = executed.error();
    } else if (!write.condition_held) {
      member.error = ConditionFailure(member.bound, write, {});
    } else {
      const model::Item returned = ReturnedItem(member.bound, write, context.arena);
      // The images live in the write, which does not outlive this function.
      if (!returned.empty()) member.item = model::DeepCopy(model::Value::Map(returned), context.arena).map();
    }
    member.consumed.AddWrite(write);
    // The names of indexes belong to the write's schema, which the statement's own may not be any more.
    for (auto& index : member.consumed.indexes) index.name = context.arena.Copy(index.name);
  }
  co_return ApiResult<void>{};
}

void WriteMember(JsonWriter& json, const Member& member) {
  json.BeginObject();
  if (member.error) {
    json.Key("Error");
    json.BeginObject();
    json.Member("Code", ShortCode(*member.error));
    json.Member("Message", member.error->message);
    json.EndObject();
  }
  // A statement that did not come as far as its table does not name it.
  if (!member.error || member.has_run) json.Member("TableName", member.bound.statement->table);
  if (!member.error && member.item) WriteItemMember(json, "Item", *member.item);
  json.EndObject();
}

}  // namespace

Task<ApiResult<void>> BatchExecuteStatement(RequestContext& context, const wire::BatchExecuteStatementInput& request) {
  std::vector<Member> members(request.Statements.size());
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].request = &request.Statements[i];
    if (auto bound = BindMember(context, members[i]); !bound) members[i].error = std::move(bound).error();
  }
  ARMATURE_CO_CHECK_OK(CheckTogether(members));
  bool is_write = false;
  for (Member& member : members) {
    if (member.error) continue;
    is_write = !member.bound.statement->is_read();
    member.consumed.table_name = member.bound.statement->table;
    if (auto found = FindItem(context, member); !found) member.error = std::move(found).error();
  }
  ARMATURE_CO_CHECK_OK(CheckItemsOnce(members));
  if (is_write) {
    ARMATURE_CO_CHECK_OK(co_await WriteAll(context, members));
  } else {
    for (Member& member : members) {
      if (member.error) continue;
      if (auto read = co_await Read(context, member); !read) member.error = std::move(read).error();
    }
  }

  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Responses");
  json.BeginArray();
  std::vector<ConsumedCapacity> consumed;
  for (const Member& member : members) {
    WriteMember(json, member);
    if (member.has_run) consumed.push_back(member.consumed);
  }
  json.EndArray();
  WriteConsumedCapacities(json, request.ReturnConsumedCapacity, consumed);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
