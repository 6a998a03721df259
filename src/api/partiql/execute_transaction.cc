// ExecuteTransaction: up to 100 statements, all reads or all writes, all or nothing.
#include <memory>
#include <vector>

#include "api/handlers.h"
#include "api/partiql/select_read.h"
#include "api/partiql/statement_write.h"
#include "api/partiql/transaction_members.h"
#include "api/transact/transaction.h"
#include "model/messages/partiql.h"

namespace armature::api {

using model::ApiResult;
using partiql::StatementKind;
namespace messages = model::messages;

namespace {

using Members = std::vector<TransactionMember>;

Task<ApiResult<void>> ReadAll(RequestContext& context, const wire::ExecuteTransactionInput& request,
                              const Members& members) {
  std::vector<TransactedRead> reads;
  reads.reserve(members.size());
  for (const auto& [text, bound, target] : members)
    reads.push_back({bound.statement->table, bound.table.get(), target.key});
  const ShowItem show = [&](size_t i, model::Item item) {
    return SelectedAttributes(members[i].bound, item, context.arena);
  };
  co_return co_await ReadTransaction(context, reads, show, request.ReturnConsumedCapacity);
}

CancellationReason WhyNot(const TransactionMember& member, const table::ItemWrite& write) {
  if (write.failure || write.condition_held || member.bound.statement->kind != StatementKind::kInsert)
    return ReasonOf(write, member.request->ReturnValuesOnConditionCheckFailure);
  return {.code = "DuplicateItem", .message = std::string(messages::kPartiqlDuplicateItem), .item_json = {}};
}

Task<ApiResult<void>> WriteAll(RequestContext& context, const wire::ExecuteTransactionInput& request,
                               const Members& members) {
  const auto writes = std::make_unique<table::ItemWrite[]>(members.size());
  std::vector<NamedWrite> named;
  named.reserve(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    FillWrite(members[i].bound, members[i].target, context.arena, writes[i]);
    named.push_back({members[i].bound.statement->table, &writes[i]});
  }
  const WriteTransaction transaction{.writes = {writes.get(), members.size()},
                                     .named = named,
                                     .token_space = "partiql",
                                     .token = request.ClientRequestToken,
                                     .parameters = [&] { return CanonicalStatements(request); },
                                     .reason_of = [&](size_t i) { return WhyNot(members[i], writes[i]); }};
  ARMATURE_CO_TRY(const auto outcome, co_await RunTransaction(context, transaction));

  JsonWriter json(context.body);
  json.BeginObject();
  // Writes have nothing to say, but say so.
  json.Key("Responses");
  json.BeginArray();
  json.EndArray();
  outcome.WriteCapacity(json, request.ReturnConsumedCapacity);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace

Task<ApiResult<void>> ExecuteTransaction(RequestContext& context, const wire::ExecuteTransactionInput& request) {
  ARMATURE_CO_TRY(const auto members, CheckMembers(context, request));
  if (members.front().bound.statement->is_read()) co_return co_await ReadAll(context, request, members);
  co_return co_await WriteAll(context, request, members);
}

}  // namespace armature::api
