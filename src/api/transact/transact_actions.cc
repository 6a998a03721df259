#include "api/transact/transact_actions.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/item/distinct_items.h"
#include "api/item/key_checks.h"
#include "api/table_lookup.h"
#include "api/transact/cancellation.h"
#include "base/bytes.h"
#include "model/codec/item_codec.h"
#include "model/item_size.h"
#include "model/messages/items.h"
#include "table/index/index_changes.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
using Kind = TransactAction::Kind;

namespace {

constexpr size_t kMaxRequestBytes = 4 << 20;

template <class Request>
ApiResult<TransactAction> MakeAction(Kind kind, const Request& request, const model::Wording& wording, Arena& arena) {
  TransactAction action;
  action.kind = kind;
  action.table_name = *request.TableName;
  if constexpr (requires { request.Item; }) action.attributes = &request.Item;
  else action.attributes = &request.Key;
  if constexpr (requires { request.UpdateExpression; }) action.update = request.UpdateExpression;
  action.condition = request.ConditionExpression;
  action.return_on_failure = request.ReturnValuesOnConditionCheckFailure;
  action.names = &request.ExpressionAttributeNames;
  action.values = &request.ExpressionAttributeValues;

  const ExpressionParameters expressions(request, wording);
  ARMATURE_CHECK_OK(expressions.CheckParameters());
  // What is wrong with an item is told before what is wrong with its condition, what is wrong with a key afterwards.
  if (kind == Kind::kPut) {
    if (action.attributes->first_error) return *action.attributes->first_error;
    action.item_size = model::ItemSize(action.attributes->item());
    if (action.item_size > model::kMaxItemBytes)
      return ValidationException(std::string(model::messages::kItemTooLarge));
  }
  ARMATURE_TRY(action.bound, expressions.Bind(arena));
  if (action.attributes->first_error) return *action.attributes->first_error;
  return action;
}

ApiResult<TransactAction> MakeAction(const wire::TransactWriteItem& item, const model::Wording& wording, Arena& arena) {
  const int count =
      (item.Put != nullptr) + (item.Update != nullptr) + (item.Delete != nullptr) + (item.ConditionCheck != nullptr);
  if (count == 0) return ValidationException(std::string(model::messages::kTransactNoAction));
  if (count != 1) return ValidationException(std::string(model::messages::kTransactOneActionEach));
  if (item.Put) return MakeAction(Kind::kPut, *item.Put, wording, arena);
  if (item.Update) return MakeAction(Kind::kUpdate, *item.Update, wording, arena);
  if (item.Delete) return MakeAction(Kind::kDelete, *item.Delete, wording, arena);
  return MakeAction(Kind::kCheck, *item.ConditionCheck, wording, arena);
}

size_t PayloadBytes(const TransactAction& action) {
  return action.kind == Kind::kPut
             ? action.item_size
             : model::ItemSize(action.attributes->item()) + model::ItemSize(action.values->item());
}

// An empty index key in a put or update is a fault of the request, other than one of a wrong type.
ApiResult<void> CheckNoEmptyIndexKey(const TransactAction& action) {
  const auto schema = action.table->schema();
  if (action.bound.update)
    return table::CheckIndexKeyLiterals(*schema, *action.bound.update, table::LiteralFaults::kEmpty);
  if (action.kind != Kind::kPut) return {};
  for (const auto& index : schema->indexes()) {
    const auto check = [&](const std::vector<model::KeyAttribute>& attributes) -> ApiResult<void> {
      for (const auto& attribute : attributes) {
        const model::Value* value = model::FindAttribute(action.attributes->item(), attribute.name);
        if (!value || attribute.type == model::Type::kN || !value->is(attribute.type) || !value->str().empty())
          continue;
        return ValidationException(fmt::format(model::messages::kIndexKeyEmpty,
                                               attribute.type == model::Type::kS ? "string" : "binary", index.def->name,
                                               attribute.name));
      }
      return {};
    };
    ARMATURE_CHECK_OK(check(index.keyspace.key.hash));
    ARMATURE_CHECK_OK(check(index.keyspace.key.range));
  }
  return {};
}

// What cancels the transaction in the name of this action.
ApiResult<void> CheckTypesAndPaths(const TransactAction& action) {
  const auto& schema = action.table->key_schema();
  const model::Item attributes = action.attributes->item();
  ARMATURE_CHECK_OK(action.kind == Kind::kPut ? CheckItemKeyTypes(schema, attributes)
                                              : CheckKeyTypes(schema, attributes));
  if (action.bound.update) {
    ARMATURE_CHECK_OK(
        table::CheckIndexKeyLiterals(*action.table->schema(), *action.bound.update, table::LiteralFaults::kMistyped));
    ARMATURE_CHECK_OK(CheckUpdatePaths(*action.table->schema(), *action.bound.update));
    ARMATURE_CHECK_OK(CheckUpdateLeavesKey(schema, *action.bound.update));
  }
  if (action.bound.condition) ARMATURE_CHECK_OK(CheckKeyPaths(*action.table->schema(), action.bound.condition->paths));
  return {};
}

// Members are authorised as the operations they are, not as the transaction.
std::string_view IamActionOf(Kind kind) {
  switch (kind) {
    case Kind::kPut: return "dynamodb:PutItem";
    case Kind::kUpdate: return "dynamodb:UpdateItem";
    case Kind::kDelete: return "dynamodb:DeleteItem";
    case Kind::kCheck: return "dynamodb:ConditionCheckItem";
  }
  return {};
}

bool HasKeyOfRightTypes(const TransactAction& action) {
  const auto& schema = action.table->key_schema();
  const model::Item attributes = action.attributes->item();
  return (action.kind == Kind::kPut ? CheckItemKeyTypes(schema, attributes) : CheckKeyTypes(schema, attributes))
      .has_value();
}

}  // namespace

ApiResult<std::vector<TransactAction>> MakeActions(const wire::TransactWriteItemsInput& request,
                                                   const model::Wording& wording, Arena& arena) {
  std::vector<TransactAction> actions;
  size_t bytes = 0;
  for (const auto& item : request.TransactItems) {
    ARMATURE_TRY(auto action, MakeAction(item, wording, arena));
    bytes += PayloadBytes(action);
    actions.push_back(std::move(action));
  }
  if (bytes > kMaxRequestBytes) return ValidationException(std::string(model::messages::kTransactRequestTooLarge));
  return actions;
}

ApiResult<void> CheckActions(const RequestContext& context, const wire::TransactWriteItemsInput& request,
                             std::vector<TransactAction>& actions) {
  for (auto& action : actions) {
    const auto touch = [&](AccessDetails& details) {
      details.Item(action.attributes->item());
      details.Expressions(action.bound);
      details.Returns(request);
      // What a failed condition shows is what a policy can forbid.
      details.out.return_values = action.return_on_failure.value_or("NONE");
      details.out.enclosing_operation = "TransactWriteItems";
    };
    ARMATURE_TRY(action.table, FindDataTable(context, action.table_name, touch, IamActionOf(action.kind)));
  }
  // First the faults of the request as a whole, then those of single actions.
  DistinctItems seen;
  for (auto& action : actions) {
    if (!HasKeyOfRightTypes(action)) continue;
    const auto& schema = action.table->key_schema();
    action.key = ExtractKey(schema, action.attributes->item(), context.arena);
    ARMATURE_CHECK_OK(CheckKeyValues(schema, action.key));
    ARMATURE_CHECK_OK(CheckNoEmptyIndexKey(action));
    if (!seen.Add(action.table->id(), action.key))
      return ValidationException(std::string(model::messages::kTransactSameItemTwice));
  }
  for (size_t i = 0; i < actions.size(); ++i) {
    if (auto checked = CheckTypesAndPaths(actions[i]); !checked)
      return CancelledByValidation(i, actions.size(), checked.error());
  }
  return {};
}

// The bytes of an action, about.
constexpr size_t kUsualParameters = 256;

std::string CanonicalParameters(std::span<const TransactAction> actions) {
  std::string out;
  out.reserve(actions.size() * kUsualParameters);
  const auto append = [&](const wire::Opt<std::string_view>& text) {
    AppendByte(out, text ? 1 : 0);
    if (text) AppendLengthPrefixed(out, *text);
  };
  for (const auto& action : actions) {
    AppendByte(out, static_cast<uint8_t>(action.kind));
    AppendLengthPrefixed(out, action.table_name);
    model::EncodeValue(model::Value::Map(action.attributes->item()), out);
    append(action.condition);
    append(action.update);
    append(action.return_on_failure);
    std::vector<std::pair<std::string_view, std::string_view>> names;
    for (const auto& entry : *action.names) names.emplace_back(entry.key, entry.value);
    std::sort(names.begin(), names.end());
    AppendVarint(out, names.size());
    for (const auto& [name, attribute] : names) {
      AppendLengthPrefixed(out, name);
      AppendLengthPrefixed(out, attribute);
    }
    model::EncodeValue(model::Value::Map(action.values->item()), out);
  }
  return out;
}

}  // namespace armature::api
