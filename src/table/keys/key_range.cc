#include "table/keys/key_range.h"

#include "base/bytes.h"
#include "model/codec/key_codec.h"
#include "table/keys/key_layout.h"

namespace armature::table {

using expr::ConditionOp;
using expr::KeyPredicate;

namespace {

// The bytes all rows of the partition share.
std::string PartitionPrefix(const Keyspace& keyspace, const expr::KeyQuery& query) {
  std::string key;
  for (const KeyPredicate& predicate : query.hash) model::AppendKeyValue(*predicate.value, key);
  std::string prefix = keyspace.prefix;
  AppendBigEndian(prefix, PartitionHash(key));
  return prefix + key;
}

std::string With(const std::string& prefix, const model::Value& value) {
  std::string key = prefix;
  model::AppendKeyValue(value, key);
  return key;
}

storage::KeyRange RangeOf(const std::string& prefix, const KeyPredicate& predicate) {
  switch (predicate.op) {
    case ConditionOp::kLess: return {prefix, With(prefix, *predicate.value)};
    case ConditionOp::kLessEqual: return {prefix, PrefixEnd(With(prefix, *predicate.value))};
    case ConditionOp::kGreater: return {PrefixEnd(With(prefix, *predicate.value)), PrefixEnd(prefix)};
    case ConditionOp::kGreaterEqual: return {With(prefix, *predicate.value), PrefixEnd(prefix)};
    case ConditionOp::kBetween: return {With(prefix, *predicate.value), PrefixEnd(With(prefix, *predicate.upper))};
    case ConditionOp::kBeginsWith: {
      std::string begin = prefix;
      model::AppendKeyPrefix(predicate.value->str(), begin);
      std::string end = PrefixEnd(begin);
      return {std::move(begin), std::move(end)};
    }
    default: {
      std::string begin = With(prefix, *predicate.value);
      std::string end = PrefixEnd(begin);
      return {std::move(begin), std::move(end)};
    }
  }
}

}  // namespace

storage::KeyRange PartitionRange(const Keyspace& keyspace, const expr::KeyQuery& query) {
  std::string prefix = PartitionPrefix(keyspace, query);
  std::string end = PrefixEnd(prefix);
  return {std::move(prefix), std::move(end)};
}

storage::KeyRange QueryRange(const Keyspace& keyspace, const expr::KeyQuery& query) {
  std::string prefix = PartitionPrefix(keyspace, query);
  if (query.range.empty()) {
    std::string end = PrefixEnd(prefix);
    return {std::move(prefix), std::move(end)};
  }
  // All but the last predicate on the sort key are equalities: they only lengthen the prefix.
  for (const KeyPredicate& predicate : query.range.first(query.range.size() - 1))
    model::AppendKeyValue(*predicate.value, prefix);
  return RangeOf(prefix, query.range.back());
}

bool Contains(const storage::KeyRange& range, std::string_view key) {
  return key >= range.begin && (range.end.empty() || key < range.end);
}

void StartAfter(std::string_view row_key, bool is_reverse, storage::KeyRange& range) {
  if (is_reverse) {
    if (range.end.empty() || row_key < range.end) range.end = row_key;
    return;
  }
  std::string next(row_key);
  next.push_back('\0');  // the first key there can be behind row_key
  if (next > range.begin) range.begin = std::move(next);
}

}  // namespace armature::table
