#include "api/faults/store_audit.h"

#include <set>

#include <fmt/format.h>

#include "base/bytes.h"
#include "model/codec/item_codec.h"
#include "model/codec/table_def_codec.h"
#include "table/index/index_changes.h"
#include "table/keys/key_layout.h"

namespace armature::api {

using table::AppendItemKey;
using table::CollectionSizeKey;
using table::Table;

namespace {

// Keys that requests of the tests may have touched, besides those of the items that are there.
constexpr std::string_view kPartitionKeys[] = {"a", "b", "c", "d", "p", "q", "t", "u", "bs", "none", "probe"};
constexpr std::string_view kSortKeys[] = {"1", "2", "3", "new", "t", "s", "x", "probe"};

// The first difference of two maps in words; empty: there is none.
std::string Difference(const std::map<std::string, std::string>& stored,
                       const std::map<std::string, std::string>& expected) {
  for (const auto& [key, value] : expected) {
    const auto it = stored.find(key);
    if (it == stored.end()) return fmt::format("a row of space {:#x} is missing", static_cast<uint8_t>(key[0]));
    if (it->second != value) return fmt::format("a row of space {:#x} is another", static_cast<uint8_t>(key[0]));
  }
  for (const auto& [key, value] : stored)
    if (!expected.contains(key)) return fmt::format("a row of space {:#x} is nobody's", static_cast<uint8_t>(key[0]));
  return {};
}

}  // namespace

StoreAudit::Rows StoreAudit::ReadRows(const storage::OpenPartition& partition, const storage::KeyRange& range) {
  storage::ScanOp scan;
  scan.partition = &partition;
  scan.begin = range.begin;
  scan.end = range.end;
  scan.at.view = storage::View::kLatest;
  house_.engine().Scan(scan);
  Rows rows;
  for (const auto& row : scan.rows) rows.emplace(row.key, row.value);
  return rows;
}

std::string StoreAudit::Run() {
  LookAgain();
  if (std::string problem = CheckDefinitions(); !problem.empty()) return problem;
  if (std::string problem = CheckPartitions(); !problem.empty()) return problem;
  if (std::string problem = CheckHalfDone(); !problem.empty()) return problem;
  for (const auto& table : house_.catalog().AllTables())
    if (std::string problem = CheckTable(*table); !problem.empty())
      return fmt::format("table {}: {}", table->def()->name, problem);
  return {};
}

// A split that failed once it was stored leaves partitions that have died. Whoever comes to one is refused and looks
// for what is in its place; so does this.
void StoreAudit::LookAgain() {
  for (const auto& table : house_.catalog().AllTables()) {
    const auto partitions = table->partitions().list();
    for (const auto& partition : *partitions) {
      if (partition->handle().is_alive()) continue;
      const Status status = RunBlocking(table->partitions().LookAgain(house_.engine(), partition));
      if (!status.ok()) return;  // the checks tell
    }
  }
}

std::string StoreAudit::CheckDefinitions() {
  const Rows stored = ReadRows(house_.engine().system(), table::CatalogRange());
  const Rows buried = ReadRows(house_.engine().system(), table::DeletedTableRange());
  Rows journals = ReadRows(house_.engine().system(), table::JournalStateRange());
  const auto check_journal = [&](Table& table) -> std::string {
    const auto it = journals.find(table::JournalStateKey(table.id()));
    const std::string in_use = table::EncodeJournalState(*table.journal().state());
    const bool is_same = it == journals.end() ? in_use == table::EncodeJournalState({}) : it->second == in_use;
    if (it != journals.end()) journals.erase(it);
    return is_same ? "" : fmt::format("the journal of {} is stored otherwise than it is in use", table.def()->name);
  };
  size_t live = 0;
  for (const auto& table : house_.catalog().AllTables()) {
    ++live;
    const auto def = table->def();
    const auto it = stored.find(table::CatalogKey(def->account, def->region, def->name));
    if (it == stored.end()) return fmt::format("table {} is not stored", def->name);
    if (it->second != model::EncodeTableDef(*def)) return fmt::format("table {} is stored otherwise", def->name);
    if (std::string problem = check_journal(*table); !problem.empty()) return problem;
    for (const auto& index : def->indexes)
      if (index.status != model::ResourceStatus::kActive)
        return fmt::format("index {} of {} is left as it is", index.name, def->name);
    if (def->ttl.status == model::TtlStatus::kEnabling || def->ttl.status == model::TtlStatus::kDisabling)
      return fmt::format("Time to Live of {} is left as it is", def->name);
  }
  if (stored.size() != live) return "a table is stored, and not in use";
  const auto deleted = house_.catalog().DeletedTables();
  if (buried.size() != deleted.size()) return "deleted tables are not those that are stored";
  for (const auto& table : deleted) {
    if (!buried.contains(table::DeletedTableKey(table->id()))) return "a deleted table is not stored";
    if (std::string problem = check_journal(*table); !problem.empty()) return problem;
  }
  return journals.empty() ? "" : "a journal is nobody's";
}

std::string StoreAudit::CheckPartitions() {
  std::set<storage::PartitionId> expected{storage::kSystemPartition}, found;
  const auto expect_all = [&](const table::PartitionSet& partitions) {
    for (const auto& list : {partitions.list(), partitions.ended()})
      for (const auto& partition : *list) expected.insert(partition->id());
  };
  const auto expect = [&](const Table& table) {
    expect_all(table.partitions());
    const auto schema = table.schema();
    for (const auto& index : schema->indexes()) {
      if (index.is_global()) expect_all(*index.partitions);
    }
  };
  for (const auto& table : house_.catalog().AllTables()) expect(*table);
  // Of deleted ones only the journal is left.
  for (const auto& table : house_.catalog().DeletedTables()) expect_all(table->partitions());
  const auto partitions = RunBlocking(house_.engine().ListPartitions());
  for (const auto& info : *partitions) found.insert(info.id);
  found.insert(storage::kSystemPartition);
  return found == expected ? "" : "partitions are not those of the tables";
}

// Rows that stand for it in the partitions of tables are found with the tables.
std::string StoreAudit::CheckHalfDone() {
  if (!ReadRows(house_.engine().system(), table::TransactionRange()).empty()) return "a transaction was not finished";
  for (const auto& table : house_.catalog().AllTables()) {
    const auto partitions = table->partitions().list();
    for (const auto& partition : *partitions) {
      if (!partition->intents().empty()) return "an intent is remembered";
      if (!partition->notes().empty()) return "a note for indexes is remembered";
    }
  }
  return {};
}

std::string StoreAudit::Derive(Table& table, const Rows& items, Derived& derived) {
  const auto schema = table.schema();
  std::map<std::string, uint64_t> collections;
  for (const auto& [key, record] : items) {
    Arena arena;
    const auto decoded = model::DecodeItem(record, arena);
    if (!decoded) return "an item cannot be read";
    derived.counts[""] += {1, static_cast<int64_t>(decoded->item_size)};
    const auto expect_rows = [&](const std::string& global_index, const storage::Batch& batch) {
      batch.ForEach([&](storage::Batch::Kind, std::string_view row, std::string_view value) {
        derived.rows.emplace(global_index + std::string(row), value);
      });
    };
    for (const auto& index : schema->indexes()) {
      table::IndexCharge charge;
      storage::Batch batch;
      if (!AppendIndexEntry(index, decoded->item, arena, batch, charge)) continue;
      expect_rows(index.is_global() ? index.def->name : "", batch);
      derived.counts[index.def->name] += batch.counts().of(index.count_slot());
    }
    storage::Batch expiry;
    if (!schema->expiry_attribute().empty()) AppendExpiryChanges(*schema, key, nullptr, &decoded->item, expiry);
    expect_rows("", expiry);
    if (!schema->has_local_indexes()) continue;
    std::string item_key;
    const size_t partition_end = AppendItemKey(table.key_schema(), decoded->item, item_key);
    collections[CollectionSizeKey(std::string_view(item_key).substr(0, partition_end))] +=
        decoded->item_size + LocalEntriesSize(*schema, decoded->item, arena);
  }
  for (const auto& [key, size] : collections) AppendBigEndian(derived.rows[key], size);
  return {};
}

std::string StoreAudit::CheckTable(Table& table) {
  Rows items, derived_rows;
  const auto partitions = table.partitions().list();
  for (const auto& partition : *partitions) {
    for (auto& [key, value] : ReadRows(partition->handle(), table::AllOfHashes())) {
      const bool is_item = static_cast<table::Space>(key[0]) == table::Space::kItems;
      (is_item ? items : derived_rows).emplace(key, value);
    }
  }
  const auto schema = table.schema();
  for (const auto& index : schema->indexes()) {
    if (!index.is_global()) continue;
    const auto of_index = index.partitions->list();
    for (const auto& partition : *of_index)
      for (auto& [key, value] : ReadRows(partition->handle(), table::AllOfHashes()))
        derived_rows.emplace(index.def->name + key, value);
  }
  Derived derived;
  if (std::string problem = Derive(table, items, derived); !problem.empty()) return problem;
  if (std::string problem = Difference(derived_rows, derived.rows); !problem.empty()) return problem;
  if (std::string problem = CheckCounts(table, derived); !problem.empty()) return problem;
  if (std::string problem = CheckImages(table, items); !problem.empty()) return problem;
  return CheckJournal(table, items);
}

std::string StoreAudit::CheckCounts(Table& table, const Derived& derived) {
  const auto check = [&](const std::string& name, const storage::RowCount& counted) -> std::string {
    const auto it = derived.counts.find(name);
    const storage::RowCount there = it == derived.counts.end() ? storage::RowCount{} : it->second;
    if (counted == there) return {};
    return fmt::format("index '{}' counts {} rows of {} bytes and has {} of {}", name, counted.rows, counted.bytes,
                       there.rows, there.bytes);
  };
  if (std::string problem = check("", table.CountItems()); !problem.empty()) return problem;
  const auto schema = table.schema();
  for (const auto& index : schema->indexes())
    if (std::string problem = check(index.def->name, table.CountRows(index)); !problem.empty()) return problem;
  return {};
}

// Whoever writes next bases on what the write path remembers: that must be what is stored.
std::string StoreAudit::CheckImages(Table& table, const Rows& items) {
  const bool has_sort_key = !table.key_schema().range.empty();
  if (has_sort_key && table.key_schema().range[0].type != model::Type::kS) return {};  // none of ours
  for (const std::string_view partition_key : kPartitionKeys) {
    for (const std::string_view sort_key : kSortKeys) {
      Arena arena;
      const auto key = arena.NewArray<model::MapEntry>(has_sort_key ? 2 : 1);
      key[0] = {"pk", model::Value::String(partition_key)};
      if (has_sort_key) key[1] = {"sk", model::Value::String(sort_key)};
      table::ItemWrite check;
      check.kind = table::ItemWrite::Kind::kCheck;
      check.table = &table;
      check.key = key;
      check.wants_old_image = true;
      if (!RunBlocking(house_.writes().Execute(check, arena))) return "an item cannot be looked at";
      std::string storage_key, remembered;
      AppendItemKey(table.key_schema(), key, storage_key);
      if (check.old_exists) model::EncodeItem(check.old_item, check.old_size, remembered);
      const auto stored = items.find(storage_key);
      if (stored == items.end() ? check.old_exists : !model::HaveSameItem(remembered, stored->second))
        return fmt::format("item {} {} is remembered otherwise than it is stored", partition_key, sort_key);
      if (!has_sort_key) break;
    }
  }
  return {};
}

// Of a table whose stream tells everything.
std::string StoreAudit::CheckJournal(Table& table, const Rows& items) {
  const auto state = table.journal().state();
  const auto def = table.def();
  if (!def->stream.enabled || model::ImagesOfViewType(def->stream.view_type) != model::kBothImages) return {};
  Rows replica;
  for (const table::Lane& lane : state->lanes) {
    table::Position from = lane.first;
    for (bool has_more = true; has_more;) {
      Arena arena;
      const auto page = RunBlocking(house_.journal().Read(table, lane.id, from, {}, model::kBothImages, arena));
      if (!page) return "the journal cannot be read";
      for (const model::ChangeRecord& record : page->records) {
        std::string key, before, after;
        AppendItemKey(table.key_schema(), record.keys, key);
        if (record.has_old) model::EncodeItem(record.old_image, record.old_size, before);
        if (record.has_new) model::EncodeItem(record.new_image, record.new_size, after);
        const auto known = replica.find(key);
        if ((known == replica.end() ? std::string() : known->second) != before)
          return "a record of the journal does not fit on the one before";
        if (after.empty()) replica.erase(key);
        else replica[key] = after;
      }
      from = page->next;
      has_more = !page->is_caught_up;
    }
  }
  // The replica does not know when its items were written.
  const bool is_same = std::equal(replica.begin(), replica.end(), items.begin(), items.end(), [](auto& a, auto& b) {
    return a.first == b.first && model::HaveSameItem(a.second, b.second);
  });
  return is_same ? "" : "the replica made of the journal is not the table";
}

}  // namespace armature::api
