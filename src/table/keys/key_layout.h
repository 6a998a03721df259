// Key layout: where in a partition a thing lies.
//
//   of the house, in the system partition   kind | …
//   of a table                              space | hash, 8 bytes | partition key | sort key
//
// The hash of the partition key spreads items and gives Scan its order; items of one partition key lie together in sort
// order. Byte by byte in docs/design/formats.md. Pure; used by table/, workers/, triggers/,
// iam/ and server/.
#pragma once

#include <string>
#include <string_view>

#include "model/table_def.h"
#include "model/value.h"
#include "storage/engine.h"

namespace armature::table {

// What a key of a table's partition belongs to (storage/partition.h): a hash, or from 0x80 on the partition itself.
enum class Space : uint8_t {
  kItems = 0x10,
  kCollectionSizes = 0x11,  // of tables with local indexes: bytes by partition key
  kIntents = 0x12,          // what transactions have announced to do with an item, see txn/intent.h
  kIndexNotes = 0x13,       // of items whose rows in global indexes have to follow, see index/index_note.h
  kLocalIndexes = 0x20,
  kGlobalIndex = 0x30,     // alone in the partitions of the index
  kExpiry = 0x50,          // of tables with Time to Live: items by when they expire, see expiry.h
  kJournal = 0x90,         // change records by position, see lanes/record_codec.h
  kJournalCursors = 0x91,  // how far readers of the journal are
};

// The key of a table's own record in the catalogue, and the range of all of them.
void AppendCatalogKey(std::string_view account, std::string_view region, std::string_view table_name, std::string& out);
std::string CatalogKey(std::string_view account, std::string_view region, std::string_view table_name);
storage::KeyRange CatalogRange();
// The name in such a key; whatever there is of it in a damaged one.
std::string_view NameInCatalogKey(std::string_view key);
// The allocator of table ids.
std::string NextTableIdKey();
// The record of a transaction's client token, and the entry under which it is found when it has expired. `token_id` is
// whatever tells tokens apart.
std::string TokenKey(std::string_view token_id);
std::string TokenExpiryKey(int64_t expires_millis, std::string_view token_id);
// The expiry entries up to and including `now_millis`; the token of such an entry's key.
storage::KeyRange ExpiredTokenRange(int64_t now_millis);
std::string_view TokenOfExpiryKey(std::string_view expiry_key);
// The record that makes a transaction of several partitions done, and the range of all of them.
std::string TransactionKey(std::string_view transaction_id);
storage::KeyRange TransactionRange();
// How far an index that is being built or removed has got, and the range of all such records.
std::string IndexBuildKey(uint64_t table_id, uint32_t index_id);
storage::KeyRange IndexBuildRange();
// How far the expiry rows of a table's existing items have got, and the range of all such records.
std::string ExpiryBuildKey(uint64_t table_id);
storage::KeyRange ExpiryBuildRange();
// The definition of a trigger (an event source mapping), and the range of all of them.
std::string TriggerKey(std::string_view uuid);
storage::KeyRange TriggerRange();
// What a table's journal is made of, and the range of all such records.
std::string JournalStateKey(uint64_t table_id);
storage::KeyRange JournalStateRange();
// A record of IAM's: of an account's entity, by its kind and id (iam/store); of none, about all of them. And the range
// of all of these.
std::string IamKey(std::string_view account, char kind, std::string_view id);
std::string IamKey();
storage::KeyRange IamRange();
// When an access key or a role was last used, by its id, and the range of all such records.
std::string IamUsageKey(std::string_view id);
storage::KeyRange IamUsageRange();
// A list of attributes' names that DAX clients know by a number, by its place among all of them; and the range of them.
std::string DaxListKey(uint64_t place);
storage::KeyRange DaxListRange();
// A record of DAX's control plane (dax/control/state_codec.h), by its own key, and the range of all of them.
std::string DaxControlKey(std::string_view key);
storage::KeyRange DaxControlRange();
// The definition of a deleted table whose streams are still readable, and the range of all of them.
std::string DeletedTableKey(uint64_t table_id);
storage::KeyRange DeletedTableRange();

// What a change record's key begins with, and the key, with the number of its commit in the partition.
std::string_view JournalSpace();
std::string JournalRowKey(storage::Sequence position);
// Where a reader of the journal is in a lane, and the range of all its lanes.
std::string JournalCursorKey(std::string_view reader, uint64_t lane);
storage::KeyRange JournalCursorRange(std::string_view reader);
// All that belongs to hashes: everything but the journal and its readers.
storage::KeyRange AllOfHashes();
// The same key in another space: where an item's intent and note lie, and back.
std::string InSpace(Space space, std::string_view item_key);
// The hash of the partition key in an item's storage key.
uint64_t HashOfItemKey(std::string_view item_key);

// The storage key of an item. REQUIRES: `key` holds every key attribute with its type. Returns the size of `out` up to
// the end of the partition key.
size_t AppendItemKey(const model::KeySchema& schema, model::Item key, std::string& out);

// Where the size of an item collection is kept. `partition_key` is the front part of the storage key of one of its
// items.
std::string CollectionSizeKey(std::string_view partition_key);

// Hash of the encoded partition key; also what a scan segment and a partition divide.
uint64_t PartitionHash(std::string_view encoded_partition_key);

}  // namespace armature::table
