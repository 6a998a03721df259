#include "dax/node/execution.h"

#include <utility>

#include "dax/node/parts/error_reply.h"
#include "dax/translate/json_error.h"

namespace armature::dax {

std::vector<std::string_view> Execution::ActionsOf(const ParsedRequest& request) {
  switch (request.method) {
    case Method::kEndpoints: return {"dax:Endpoints"};
    case Method::kDefineKeySchema: return {"dax:DefineKeySchema"};
    case Method::kDefineAttributeListId: return {"dax:DefineAttributeListId"};
    case Method::kDefineAttributeList: return {"dax:DefineAttributeList"};
    case Method::kGetItem: return {"dax:GetItem"};
    case Method::kPutItem: return {"dax:PutItem"};
    case Method::kUpdateItem: return {"dax:UpdateItem"};
    case Method::kDeleteItem: return {"dax:DeleteItem"};
    case Method::kQuery: return {"dax:Query"};
    case Method::kScan: return {"dax:Scan"};
    case Method::kBatchGetItem: return {"dax:BatchGetItem"};
    case Method::kBatchWriteItem: return {"dax:BatchWriteItem"};
    case Method::kTransactGetItems: return {"dax:GetItem"};
    case Method::kTransactWriteItems: break;
    case Method::kAuthorizeConnection: return {};
  }
  std::vector<std::string_view> actions;
  const auto add = [&actions, &request](int64_t action, std::string_view name) {
    for (const RequestItem& item : request.items)
      if (item.action == action) return actions.push_back(name);
  };
  add(2, "dax:PutItem");
  add(7, "dax:DeleteItem");
  add(9, "dax:UpdateItem");
  add(12, "dax:ConditionCheckItem");
  return actions;
}

bool Execution::Authorize() {
  if (!cluster_.asks_for_permission(call_)) return true;
  for (const std::string_view action : ActionsOf(call_.request)) {
    const model::ApiResult<void> allowed = cluster_.Authorize(call_, action);
    if (allowed) continue;
    AppendApiError(allowed.error(), call_.reply);
    return false;
  }
  return true;
}

bool Execution::AnswerAtOnce() {
  const ParsedRequest& request = call_.request;
  switch (request.method) {
    case Method::kEndpoints: return Endpoints(), true;
    case Method::kDefineAttributeList: return FindAttributeList();
    case Method::kGetItem:
    case Method::kQuery:
    case Method::kScan: break;
    default: return false;
  }
  if (request.options.consistent_read.value_or(false)) return false;
  const bool is_item = request.method == Method::kGetItem;
  if (is_item && request.options.projection) return false;
  const TableSchemaPtr schema = services_.schemas.Find(call_.scope, request.table);
  if (!schema) return false;
  call_.is_looked_up = true;
  return is_item ? FindItem(*schema) : FindPage(*schema);
}

Task<void> Execution::Answer() {
  switch (call_.request.method) {
    case Method::kDefineKeySchema: return DefineKeySchema();
    case Method::kDefineAttributeListId: return DefineAttributeListId();
    case Method::kGetItem: return GetItem();
    case Method::kPutItem:
    case Method::kUpdateItem:
    case Method::kDeleteItem: return WriteItem();
    case Method::kQuery:
    case Method::kScan: return Page();
    case Method::kBatchGetItem: return BatchGetItem();
    case Method::kBatchWriteItem: return BatchWriteItem();
    case Method::kTransactWriteItems: return TransactWriteItems();
    case Method::kTransactGetItems:
    case Method::kEndpoints:
    case Method::kDefineAttributeList:
    case Method::kAuthorizeConnection: break;
  }
  return PassThrough();
}

// --- What they share

Task<bool> Execution::FindSchemas() {
  for (const std::string_view table : TablesOf(call_.request)) {
    auto schema = co_await services_.schemas.Get(call_.scope, table);
    if (!schema) {
      Fail(schema.error());
      co_return false;
    }
    schemas_.push_back(*std::move(schema));
  }
  co_return true;
}

Task<std::optional<std::string>> Execution::Ask(const JsonRequestOptions& options) {
  auto request = WriteJsonRequest(call_.request, schemas_, lists_, call_.arena, options);
  if (!request) {
    AppendApiError(request.error(), call_.reply);
    co_return std::nullopt;
  }
  co_return co_await Send(request->operation, request->body);
}

Task<std::optional<std::string>> Execution::Send(std::string_view operation, std::string_view json) {
  BackendReply reply = co_await services_.backend.Call(operation, json, call_.scope);
  if (reply) co_return std::move(reply).value();
  failure_ = std::move(reply).error();
  // One of its tables may have been made anew meanwhile, with another key; the others keep what is cached of them.
  if (failure_->name == "ResourceNotFoundException")
    for (const std::string_view table : TablesOf(call_.request)) services_.schemas.Doubt(call_.scope, table);
  Fail(*failure_);
  // It tells of items.
  if (failure_->name == "TransactionCanceledException") co_await Settle();
  co_return std::nullopt;
}

bool Execution::Tell(std::string_view reply_json, ReplyItems& items, const JsonRequestOptions& options) {
  const ReplyContext context{.request = call_.request,
                             .schemas = schemas_,
                             .lists = lists_,
                             .arena = call_.arena,
                             .return_values = options.return_values};
  const auto told = AppendReply(call_.reply, reply_json, context, items);
  if (!told) AppendApiError(told.error(), call_.reply);
  return told.has_value();
}

Task<void> Execution::PassThrough() {
  if (!co_await FindSchemas()) co_return;
  const auto reply = co_await Ask();
  if (!reply) co_return;
  ReplyItems items;
  Tell(*reply, items);
  co_await Settle();
}

void Execution::Fail(const BackendError& error) {
  if (call_.request.method == Method::kDefineKeySchema && error.name == "ResourceNotFoundException")
    return AppendNoSuchTable(error, call_.reply);
  AppendErrorReply(call_.reply, error, schemas_, lists_, call_.arena);
}

Task<bool> Execution::Settle() {
  const Status settled = co_await services_.lists.Settled();
  if (settled.ok()) co_return true;
  call_.reply.clear();
  // What was written must not be repeated by clients, as it may not be the same a second time.
  if (is_written_) AppendFailure(call_.reply);
  else AppendOverload(call_.reply);
  co_return false;
}

}  // namespace armature::dax
