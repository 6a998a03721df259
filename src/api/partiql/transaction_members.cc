#include "api/partiql/transaction_members.h"

#include <unordered_set>

#include <fmt/format.h>

#include "api/item/key_checks.h"
#include "api/partiql/select_plan.h"
#include "api/partiql/statement_write.h"
#include "api/transact/cancellation.h"
#include "base/bytes.h"
#include "model/codec/item_codec.h"
#include "model/messages/items.h"
#include "model/messages/partiql.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiError;
using model::ApiResult;
using model::ValidationException;
using partiql::Returning;
using partiql::StatementKind;
namespace messages = model::messages;

namespace {

constexpr size_t kMaxRequestBytes = 4 << 20;

ApiError OfMember(size_t index, const ApiError& error) {
  if (error.name != "ValidationException") return error;
  return ValidationException(fmt::format(messages::kPartiqlTransactionMember, index, error.message));
}

ApiError Invalid(std::string_view text) { return ValidationException(std::string(text)); }

ApiResult<std::vector<TransactionMember>> BindMembers(const RequestContext& context,
                                                      const wire::ExecuteTransactionInput& request) {
  for (const auto& statement : request.TransactStatements)
    ARMATURE_CHECK_OK(CheckParameterValues(statement.Parameters));
  std::vector<TransactionMember> members(request.TransactStatements.size());
  bool has_read = false;
  bool has_write = false;
  size_t bytes = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].request = &request.TransactStatements[i];
    const auto& statement = *members[i].request;
    const StatementUse use{.return_on_failure = statement.ReturnValuesOnConditionCheckFailure.value_or({}),
                           .enclosing_operation = "ExecuteTransaction"};
    const auto bound = BindStatement(context, *statement.Statement, statement.Parameters, members[i].bound, use);
    if (!bound) return OfMember(i, bound.error());
    (members[i].bound.statement->is_read() ? has_read : has_write) = true;
    bytes += members[i].bound.item_size;
  }
  if (has_read && has_write) return Invalid(messages::kPartiqlTransactionMixed);
  if (bytes > kMaxRequestBytes) return Invalid(messages::kTransactRequestTooLarge);
  return members;
}

// Finds the item of a statement. Faults of the request are errors; what only cancels the transaction goes to `reason`.
ApiResult<void> FindItem(const RequestContext& context, TransactionMember& member, CancellationReason& reason) {
  const auto cancel = [&](std::string_view message) {
    reason.code = "ValidationError";
    reason.message = message;
    return ApiResult<void>{};
  };
  const partiql::Statement& statement = *member.bound.statement;
  if (statement.returning != Returning::kNothing) return Invalid(messages::kPartiqlTransactionReturning);
  if (!statement.index.empty())
    return Invalid(statement.is_read() ? messages::kPartiqlTransactionIndex : messages::kPartiqlExistsOnIndex);
  if (statement.is_read()) {
    bool is_mistyped = false;
    ARMATURE_TRY(member.target.key, KeyOfSelect(member.bound, context.arena, &is_mistyped));
    if (is_mistyped) return cancel(messages::kKeyDoesNotMatchSchema);
    if (member.target.key.empty()) return Invalid(messages::kPartiqlTransactionKey);
    return {};
  }
  if (statement.kind == StatementKind::kExists) {
    auto target = partiql::FindWriteTarget(member.bound.where, member.bound.table->key_schema(),
                                           partiql::WriteForm::kExists, context.arena);
    if (!target || !target->condition) return Invalid(messages::kPartiqlExistsCondition);
  }
  auto target = TargetOf(member.bound, context.arena);
  if (!target)
    return cancel(statement.kind == StatementKind::kInsert ? std::string_view(target.error().message)
                                                           : messages::kKeyDoesNotMatchSchema);
  member.target = *target;
  return {};
}

ApiResult<void> CheckKeys(const std::vector<TransactionMember>& members) {
  std::unordered_set<std::string> seen;
  for (size_t i = 0; i < members.size(); ++i) {
    const TransactionMember& member = members[i];
    auto checked = CheckKeyValues(member.bound.table->key_schema(), member.target.key);
    if (!checked) return OfMember(i, checked.error());
    std::string id = std::to_string(member.bound.table->id());
    id.push_back(' ');
    model::EncodeItem(member.target.key, 0, id);
    if (!seen.insert(std::move(id)).second) return Invalid(messages::kTransactSameItemTwice);
  }
  return {};
}

}  // namespace

ApiResult<std::vector<TransactionMember>> CheckMembers(const RequestContext& context,
                                                       const wire::ExecuteTransactionInput& request) {
  ARMATURE_TRY(auto members, BindMembers(context, request));
  std::vector<CancellationReason> reasons(members.size());
  bool is_cancelled = false;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!members[i].bound.table) {
      reasons[i].code = "ResourceNotFound";
      reasons[i].message = messages::kResourceNotFound;
    } else if (auto found = FindItem(context, members[i], reasons[i]); !found) {
      return OfMember(i, found.error());
    }
    is_cancelled = is_cancelled || reasons[i].code != "None";
  }
  if (is_cancelled) return TransactionCanceledException(reasons);
  ARMATURE_CHECK_OK(CheckKeys(members));
  for (size_t i = 0; i < members.size(); ++i) {
    if (auto checked = CheckChanges(members[i].bound, members[i].target); !checked)
      return CancelledByValidation(i, members.size(), checked.error());
  }
  return members;
}

std::string CanonicalStatements(const wire::ExecuteTransactionInput& request) {
  std::string out;
  for (const auto& statement : request.TransactStatements) {
    AppendLengthPrefixed(out, *statement.Statement);
    AppendVarint(out, statement.Parameters.size());
    for (const auto& parameter : statement.Parameters) model::EncodeValue(*parameter, out);
    AppendLengthPrefixed(out, statement.ReturnValuesOnConditionCheckFailure.value_or({}));
  }
  return out;
}

}  // namespace armature::api
