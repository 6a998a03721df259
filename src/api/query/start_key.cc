#include "api/query/start_key.h"

#include <vector>

#include <fmt/format.h>

#include "api/item/key_checks.h"
#include "expr/bind/check_operands.h"
#include "model/messages/expressions.h"
#include "model/messages/items.h"
#include "table/keys/key_range.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
namespace messages = model::messages;

namespace {

model::ApiError Invalid(std::string_view text) { return ValidationException(std::string(text)); }
model::ApiError InvalidBecause(std::string_view reason) {
  return ValidationException(fmt::format(messages::kStartKeyInvalidBecause, reason));
}

bool HasExactly(const table::Keyspace& keyspace, model::Item key) {
  bool has_all = key.size() == keyspace.attribute_count();
  keyspace.ForEachAttribute(
      [&](const model::KeyAttribute& attribute) { has_all = has_all && model::FindAttribute(key, attribute.name); });
  return has_all;
}

ApiResult<void> CheckAttributes(const model::KeySchema& schema, model::Item key) {
  for (const auto* attributes : {&schema.hash, &schema.range}) {
    for (const auto& attribute : *attributes) {
      if (!model::FindAttribute(key, attribute.name)->is(attribute.type))
        return Invalid(messages::kKeyDoesNotMatchSchema);
    }
  }
  return CheckKeyValues(schema, key);
}

std::string RowKey(const ReadTarget& target, model::Item key) {
  std::string row_key;
  table::AppendRowKey(target.keyspace(), key, row_key);
  return row_key;
}

// Whether a row meets the condition on the sort key, whatever partition it is in.
bool MeetsRange(const ReadTarget& target, const expr::KeyQuery& query, model::Item key, std::string_view row_key) {
  std::vector<expr::KeyPredicate> hash(query.hash.begin(), query.hash.end());
  for (auto& predicate : hash) predicate.value = model::FindAttribute(key, predicate.attribute);
  return table::Contains(table::QueryRange(target.keyspace(), {.hash = hash, .range = query.range}), row_key);
}

}  // namespace

ApiResult<void> CheckStartKeyValues(const ReadRequest& request) {
  if (!request.start_key.first_error) return {};
  if (request.is_query) return *request.start_key.first_error;
  return InvalidBecause(request.start_key.first_error->message);
}

ApiResult<void> CheckStartKey(const ReadRequest& request, const ReadTarget& target) {
  if (!request.start_key) return {};
  const model::Item key = request.start_key.item();
  if (!request.is_query && !target.index) {
    if (!CheckKey(target.table->key_schema(), key)) return Invalid(messages::kStartKeyInvalid);
    return {};
  }
  if (!HasExactly(target.keyspace(), key)) return Invalid(messages::kStartKeyInvalid);
  ARMATURE_CHECK_OK(CheckAttributes(target.keyspace().key, key));
  if (auto fits = CheckAttributes(target.table->key_schema(), key); !fits) return InvalidBecause(fits.error().message);
  return {};
}

bool SelectsOneItem(const ReadTarget& target, const expr::KeyQuery& query) {
  if (target.index || query.range.size() != target.table->key_schema().range.size()) return false;
  return query.range.empty() || query.range.back().op == expr::ConditionOp::kEqual;
}

ApiResult<void> StartQuery(const ReadRequest& request, const ReadTarget& target, const expr::KeyQuery& query,
                           bool is_reverse, storage::KeyRange& range) {
  if (!request.start_key) return {};
  const model::Item key = request.start_key.item();
  const std::string row_key = RowKey(target, key);
  const bool is_in_partition = table::Contains(table::PartitionRange(target.keyspace(), query), row_key);
  if (query.range.empty()) {
    if (!is_in_partition) return Invalid(messages::kStartKeyOutsideQuery);
  } else {
    if (!MeetsRange(target, query, key, row_key)) return Invalid(messages::kStartKeyOutsideRange);
    if (!is_in_partition) return Invalid(messages::kStartKeyOfSingleRow);  // AWS's words for this case too
  }
  if (SelectsOneItem(target, query)) {
    if (!query.range.empty()) return Invalid(messages::kStartKeyOfSingleRow);
    return ValidationException(
        fmt::format(messages::kStartKeyOfHashTable, key.front().name, expr::FormatScalar(key.front().value)));
  }
  table::StartAfter(row_key, is_reverse, range);
  return {};
}

ApiResult<void> StartScan(const ReadRequest& request, const ReadTarget& target, uint64_t segment, uint64_t total,
                          storage::KeyRange& range) {
  if (!request.start_key) return {};
  const std::string row_key = RowKey(target, request.start_key.item());
  if (!table::Contains(range, row_key))
    return InvalidBecause(fmt::format(messages::kStartKeyOfOtherSegment, total, segment));
  table::StartAfter(row_key, false, range);
  return {};
}

}  // namespace armature::api
