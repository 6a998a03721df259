#include "api/transact/transaction_outcome.h"

#include <algorithm>

#include "base/log.h"
#include "model/item_codec.h"
#include "table/capacity.h"

namespace armature::api {

using model::ApiResult;

model::ApiError WhyCancelled(std::span<const table::ItemWrite> writes,
                             const std::function<CancellationReason(size_t)>& reason_of) {
  const auto is_named = [](std::string_view name) {
    return [name](const table::ItemWrite& write) { return write.failure && write.failure->name == name; };
  };
  for (const auto& write : writes) {
    if (write.failure && !is_named("ValidationException")(write) &&
        !is_named("ItemCollectionSizeLimitExceededException")(write))
      return *write.failure;
  }
  const auto invalid = std::find_if(writes.begin(), writes.end(), is_named("ValidationException"));
  if (invalid != writes.end())
    return CancelledByValidation(static_cast<size_t>(invalid - writes.begin()), writes.size(), *invalid->failure);
  std::vector<CancellationReason> reasons;
  for (size_t i = 0; i < writes.size(); ++i) reasons.push_back(reason_of(i));
  return TransactionCanceledException(reasons);
}

Task<ApiResult<std::vector<ConsumedCapacity>>> ReplayCapacity(RequestContext& context,
                                                              std::span<const TransactedItem> items) {
  std::vector<ConsumedCapacity> consumed;
  for (const auto& item : items) {
    table::ItemRead read;
    read.table = item.table;
    read.key = item.key;
    ARMATURE_CO_CHECK_OK(co_await context.services.reads.Get(read));
    size_t size = 0;
    if (read.found) {
      auto decoded = model::DecodeItemSize(read.record());
      if (!decoded) {
        LogError("table {}: an item cannot be read: {}", item.table_name, decoded.error().ToString());
        co_return model::FromStatus(decoded.error());
      }
      size = *decoded;
    }
    CapacityOf(consumed, item.table_name).table_units += kTransactionFactor * table::ReadUnits(size, true);
  }
  co_return consumed;
}

std::string TokenId(const RequestContext& context, std::string_view space, std::string_view token) {
  std::string id(context.account);
  id.push_back('\0');
  id.append(context.region).push_back('\0');
  if (!space.empty()) id.append(space).push_back('\0');
  id.append(token);
  return id;
}

}  // namespace armature::api
