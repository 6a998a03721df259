#include "api/transact/cancellation.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/json_writer.h"
#include "model/messages/items.h"

namespace armature::api {

namespace {
// These exceptions model their text as "Message".
model::ApiError Make(std::string_view name, std::string message) {
  model::ApiError error;
  error.family = model::ErrorFamily::kDynamoDb;
  error.name = name;
  error.message = std::move(message);
  error.capital_message = true;
  return error;
}
}  // namespace

model::ApiError TransactionCanceledException(std::span<const CancellationReason> reasons) {
  std::vector<std::string_view> codes;
  std::string json_text;
  JsonWriter json(json_text);
  json.BeginArray();
  for (const auto& reason : reasons) {
    codes.push_back(reason.code);
    json.BeginObject();
    if (!reason.item_json.empty()) {
      json.Key("Item");
      json.Raw(reason.item_json);
    }
    json.Member("Code", reason.code);
    if (!reason.message.empty()) json.Member("Message", reason.message);
    json.EndObject();
  }
  json.EndArray();
  model::ApiError error =
      Make("TransactionCanceledException", fmt::format(model::messages::kTransactionCancelled, fmt::join(codes, ", ")));
  error.extra_json_members = "\"CancellationReasons\":" + json_text;
  return error;
}

model::ApiError CancelledByValidation(size_t index, size_t count, const model::ApiError& error) {
  std::vector<CancellationReason> reasons(count);
  reasons[index].code = "ValidationError";
  reasons[index].message = error.message;
  return TransactionCanceledException(reasons);
}

model::ApiError TransactionInProgressException() {
  return Make("TransactionInProgressException", std::string(model::messages::kTransactionInProgress));
}

model::ApiError IdempotentParameterMismatchException() {
  return Make("IdempotentParameterMismatchException", std::string(model::messages::kIdempotentMismatch));
}

}  // namespace armature::api
