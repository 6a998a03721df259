#include "table/keys/key_layout.h"

#include <algorithm>

#include <xxhash.h>

#include "base/bytes.h"
#include "model/codec/key_codec.h"

namespace armature::table {

namespace {
constexpr char kCatalogKind = 'T';
constexpr char kCounterKind = 'N';
constexpr char kTokenKind = 'I';
constexpr char kTokenExpiryKind = 'E';
constexpr char kIndexBuildKind = 'B';
constexpr char kExpiryBuildKind = 'L';
constexpr char kTriggerKind = 'G';
constexpr char kJournalStateKind = 'J';
constexpr char kDeletedTableKind = 'D';
constexpr char kTransactionKind = 'X';
constexpr char kIamKind = 'A';
constexpr char kIamUsageKind = 'l';
constexpr char kDaxKind = 'd';
constexpr char kDaxListKind = 'a';
constexpr char kDaxControlKind = 'C';
}  // namespace

void AppendCatalogKey(std::string_view account, std::string_view region, std::string_view table_name,
                      std::string& out) {
  // A NUL cannot occur in the parts, and sorts below every character of them: tables come in name order.
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
    const size_t end = key.find('\0', 1);
    if (end == std::string_view::npos) return key.substr(std::min<size_t>(1, key.size()));
    key.remove_prefix(end);  // the next part, again behind one byte
  }
  return key.substr(1);
}

storage::KeyRange CatalogRange() { return {{kCatalogKind}, {kCatalogKind + 1}}; }

std::string NextTableIdKey() { return {kCounterKind}; }

std::string TokenKey(std::string_view token_id) {
  std::string key{kTokenKind};
  key.append(token_id);
  return key;
}

std::string TokenExpiryKey(int64_t expires_millis, std::string_view token_id) {
  std::string key{kTokenExpiryKind};
  AppendBigEndian(key, static_cast<uint64_t>(expires_millis));
  key.append(token_id);
  return key;
}

storage::KeyRange ExpiredTokenRange(int64_t now_millis) {
  return {{kTokenExpiryKind}, TokenExpiryKey(now_millis + 1, {})};
}

std::string_view TokenOfExpiryKey(std::string_view expiry_key) { return expiry_key.substr(1 + sizeof(uint64_t)); }

std::string IndexBuildKey(uint64_t table_id, uint32_t index_id) {
  std::string key{kIndexBuildKind};
  AppendBigEndian(key, table_id);
  AppendBigEndian(key, index_id);
  return key;
}

storage::KeyRange IndexBuildRange() { return {{kIndexBuildKind}, {kIndexBuildKind + 1}}; }

std::string ExpiryBuildKey(uint64_t table_id) {
  std::string key{kExpiryBuildKind};
  AppendBigEndian(key, table_id);
  return key;
}

storage::KeyRange ExpiryBuildRange() { return {{kExpiryBuildKind}, {kExpiryBuildKind + 1}}; }

std::string TriggerKey(std::string_view uuid) {
  std::string key{kTriggerKind};
  key.append(uuid);
  return key;
}

storage::KeyRange TriggerRange() { return {{kTriggerKind}, {kTriggerKind + 1}}; }

std::string JournalStateKey(uint64_t table_id) {
  std::string key{kJournalStateKind};
  AppendBigEndian(key, table_id);
  return key;
}

storage::KeyRange JournalStateRange() { return {{kJournalStateKind}, {kJournalStateKind + 1}}; }

std::string IamKey(std::string_view account, char kind, std::string_view id) {
  std::string key{kIamKind};
  key.append(account).push_back(kind);
  key.append(id);
  return key;
}

std::string IamKey() { return {kIamKind}; }

// Accounts are digits: their records end before the first letter.
storage::KeyRange IamRange() { return {{kIamKind}, {kIamKind, '9' + 1}}; }

std::string IamUsageKey(std::string_view id) {
  std::string key{kIamKind, kIamUsageKind};
  key.append(id);
  return key;
}

storage::KeyRange IamUsageRange() { return {{kIamKind, kIamUsageKind}, {kIamKind, kIamUsageKind + 1}}; }

std::string DaxListKey(uint64_t place) {
  std::string key{kDaxKind, kDaxListKind};
  AppendBigEndian(key, place);
  return key;
}

storage::KeyRange DaxListRange() { return {{kDaxKind, kDaxListKind}, {kDaxKind, kDaxListKind + 1}}; }
std::string DaxControlKey(std::string_view key) { return kDaxControlKind + std::string(key); }

storage::KeyRange DaxControlRange() { return {{kDaxControlKind}, {kDaxControlKind + 1}}; }

std::string DeletedTableKey(uint64_t table_id) {
  std::string key{kDeletedTableKind};
  AppendBigEndian(key, table_id);
  return key;
}

storage::KeyRange DeletedTableRange() { return {{kDeletedTableKind}, {kDeletedTableKind + 1}}; }

std::string TransactionKey(std::string_view transaction_id) {
  std::string key{kTransactionKind};
  key.append(transaction_id);
  return key;
}

storage::KeyRange TransactionRange() { return {{kTransactionKind}, {kTransactionKind + 1}}; }

std::string InSpace(Space space, std::string_view item_key) {
  std::string key(item_key);
  key.front() = static_cast<char>(space);
  return key;
}

std::string_view JournalSpace() {
  static constexpr char kSpace = static_cast<char>(Space::kJournal);
  return {&kSpace, 1};
}

std::string JournalRowKey(storage::Sequence position) {
  std::string key(JournalSpace());
  AppendBigEndian(key, position);
  return key;
}

std::string JournalCursorKey(std::string_view reader, uint64_t lane) {
  std::string key = JournalCursorRange(reader).begin;
  AppendBigEndian(key, lane);
  return key;
}

storage::KeyRange JournalCursorRange(std::string_view reader) {
  std::string begin(1, static_cast<char>(Space::kJournalCursors));
  begin.append(reader);
  std::string end = begin;
  begin.push_back('\0');  // ends the name: no name contains it
  end.push_back('\1');
  return {std::move(begin), std::move(end)};
}

storage::KeyRange AllOfHashes() { return {std::string(1, static_cast<char>(Space::kItems)), std::string(1, '\x7f')}; }

uint64_t HashOfItemKey(std::string_view item_key) { return ReadBigEndian<uint64_t>(item_key.data() + 1); }

uint64_t PartitionHash(std::string_view encoded_partition_key) {
  return XXH3_64bits(encoded_partition_key.data(), encoded_partition_key.size());
}

size_t AppendItemKey(const model::KeySchema& schema, model::Item key, std::string& out) {
  out.reserve(out.size() + 80);  // enough for most keys
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

std::string CollectionSizeKey(std::string_view partition_key) {
  std::string key(1, static_cast<char>(Space::kCollectionSizes));
  key.append(partition_key.substr(1));  // without the space of the items
  return key;
}

}  // namespace armature::table
