#include "table/keys/key_layout.h"

#include <algorithm>

#include <xxhash.h>

#include "base/bytes.h"
#include "model/codec/key_codec.h"

namespace armature::table {

namespace {
constexpr char kSystemByte = 0x01;
constexpr char kTableByte = 0x02;
constexpr char kCatalogKind = 'T';
constexpr char kStatsKind = 'S';
constexpr char kCounterKind = 'N';
constexpr char kCleanStopKind = 'C';
constexpr char kTokenKind = 'I';
constexpr char kTokenExpiryKind = 'E';
constexpr char kIndexBuildKind = 'B';
constexpr char kExpiryBuildKind = 'L';
constexpr char kTriggerKind = 'G';
constexpr char kJournalStateKind = 'J';
constexpr char kDeletedTableKind = 'D';
}  // namespace

std::string TablePrefix(uint64_t table_id) {
  std::string prefix;
  AppendBigEndian(prefix, table_id);
  prefix[0] = kTableByte;  // ids stay below 2^56
  return prefix;
}

storage::KeyRange TableRange(uint64_t table_id) { return {TablePrefix(table_id), TablePrefix(table_id + 1)}; }

void AppendCatalogKey(std::string_view account, std::string_view region, std::string_view table_name,
                      std::string& out) {
  // A NUL cannot occur in the parts, and sorts below every character of them: tables come in name order.
  out.push_back(kSystemByte);
  out.push_back(kCatalogKind);
  out.append(account).push_back('\0');
  out.append(region).push_back('\0');
  out.append(table_name);
}

std::string CatalogKey(std::string_view account, std::string_view region, std::string_view table_name) {
  std::string key;
  AppendCatalogKey(account, region, table_name, key);
  return key;
}

std::string_view NameInCatalogKey(std::string_view key) {
  for (int parts = 0; parts < 2; ++parts) {
    const size_t end = key.find('\0', 2);
    if (end == std::string_view::npos) return key.substr(std::min<size_t>(2, key.size()));
    key.remove_prefix(end - 1);  // the next part, again behind two bytes
  }
  return key.substr(2);
}

storage::KeyRange CatalogRange() { return {{kSystemByte, kCatalogKind}, {kSystemByte, kCatalogKind + 1}}; }

std::string TableStatsKey(uint64_t table_id) {
  std::string key{kSystemByte, kStatsKind};
  AppendBigEndian(key, table_id);
  return key;
}

std::string NextTableIdKey() { return {kSystemByte, kCounterKind}; }

std::string TokenKey(std::string_view token_id) {
  std::string key{kSystemByte, kTokenKind};
  key.append(token_id);
  return key;
}

std::string TokenExpiryKey(int64_t expires_millis, std::string_view token_id) {
  std::string key{kSystemByte, kTokenExpiryKind};
  AppendBigEndian(key, static_cast<uint64_t>(expires_millis));
  key.append(token_id);
  return key;
}

storage::KeyRange ExpiredTokenRange(int64_t now_millis) {
  return {{kSystemByte, kTokenExpiryKind}, TokenExpiryKey(now_millis + 1, {})};
}

std::string_view TokenOfExpiryKey(std::string_view expiry_key) { return expiry_key.substr(2 + sizeof(uint64_t)); }

std::string IndexBuildKey(uint64_t table_id, uint32_t index_id) {
  std::string key{kSystemByte, kIndexBuildKind};
  AppendBigEndian(key, table_id);
  AppendBigEndian(key, index_id);
  return key;
}

storage::KeyRange IndexBuildRange() { return {{kSystemByte, kIndexBuildKind}, {kSystemByte, kIndexBuildKind + 1}}; }

std::string ExpiryBuildKey(uint64_t table_id) {
  std::string key{kSystemByte, kExpiryBuildKind};
  AppendBigEndian(key, table_id);
  return key;
}

storage::KeyRange ExpiryBuildRange() { return {{kSystemByte, kExpiryBuildKind}, {kSystemByte, kExpiryBuildKind + 1}}; }

std::string TriggerKey(std::string_view uuid) {
  std::string key{kSystemByte, kTriggerKind};
  key.append(uuid);
  return key;
}

storage::KeyRange TriggerRange() { return {{kSystemByte, kTriggerKind}, {kSystemByte, kTriggerKind + 1}}; }

std::string JournalStateKey(uint64_t table_id) {
  std::string key{kSystemByte, kJournalStateKind};
  AppendBigEndian(key, table_id);
  return key;
}

storage::KeyRange JournalStateRange() {
  return {{kSystemByte, kJournalStateKind}, {kSystemByte, kJournalStateKind + 1}};
}

std::string DeletedTableKey(uint64_t table_id) {
  std::string key{kSystemByte, kDeletedTableKind};
  AppendBigEndian(key, table_id);
  return key;
}

storage::KeyRange DeletedTableRange() {
  return {{kSystemByte, kDeletedTableKind}, {kSystemByte, kDeletedTableKind + 1}};
}

void AppendJournalRowKey(std::string_view table_prefix, uint64_t lane, uint64_t position, std::string& out) {
  out.append(table_prefix);
  out.push_back(static_cast<char>(Space::kJournal));
  AppendBigEndian(out, lane);
  AppendBigEndian(out, position);
}

std::string JournalRowKey(std::string_view table_prefix, uint64_t lane, uint64_t position) {
  std::string key;
  AppendJournalRowKey(table_prefix, lane, position, key);
  return key;
}

std::string JournalCursorKey(std::string_view table_prefix, std::string_view reader, uint64_t lane) {
  std::string key = JournalCursorRange(table_prefix, reader).begin;
  AppendBigEndian(key, lane);
  return key;
}

storage::KeyRange JournalCursorRange(std::string_view table_prefix, std::string_view reader) {
  std::string begin(table_prefix);
  begin.push_back(static_cast<char>(Space::kJournalCursors));
  begin.append(reader);
  std::string end = begin;
  begin.push_back('\0');  // ends the name: no name contains it
  end.push_back('\1');
  return {std::move(begin), std::move(end)};
}

std::vector<storage::KeyRange> RangesWithoutJournal(uint64_t table_id) {
  const storage::KeyRange all = TableRange(table_id);
  std::string journal_begin = all.begin, journal_end = all.begin;
  journal_begin.push_back(static_cast<char>(Space::kJournal));
  journal_end.push_back(static_cast<char>(Space::kJournalCursors) + 1);
  return {{all.begin, std::move(journal_begin)}, {std::move(journal_end), all.end}};
}

uint64_t HashOfItemKey(std::string_view table_prefix, std::string_view item_key) {
  return ReadBigEndian<uint64_t>(item_key.data() + table_prefix.size() + 1);
}

std::string CleanStopKey() { return {kSystemByte, kCleanStopKind}; }

uint64_t PartitionHash(std::string_view encoded_partition_key) {
  return XXH3_64bits(encoded_partition_key.data(), encoded_partition_key.size());
}

size_t AppendItemKey(std::string_view table_prefix, const model::KeySchema& schema, model::Item key, std::string& out) {
  out.reserve(out.size() + 80);  // enough for most keys
  out.append(table_prefix);
  out.push_back(static_cast<char>(Space::kItems));
  const size_t hash_at = out.size();
  out.append(sizeof(uint64_t), '\0');
  for (const auto& attribute : schema.hash) model::AppendKeyValue(*model::FindAttribute(key, attribute.name), out);
  const uint64_t hash = PartitionHash(std::string_view(out).substr(hash_at + sizeof(uint64_t)));
  for (size_t i = 0; i < sizeof(uint64_t); ++i) out[hash_at + i] = static_cast<char>(hash >> (56 - 8 * i));
  const size_t partition_end = out.size();
  for (const auto& attribute : schema.range) model::AppendKeyValue(*model::FindAttribute(key, attribute.name), out);
  return partition_end;
}

std::string CollectionSizeKey(std::string_view table_prefix, std::string_view partition_key) {
  std::string key(table_prefix);
  key.push_back(static_cast<char>(Space::kCollectionSizes));
  key.append(partition_key.substr(table_prefix.size() + 1));  // without the space of the items
  return key;
}

}  // namespace armature::table
