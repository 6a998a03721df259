#include "table/write/pending_records.h"

#include "model/codec/item_codec.h"
#include "table/keys/key_layout.h"

namespace armature::table {

void PendingRecords::Add(Table& table, std::string_view item_key, const RawChange& change, storage::Batch& batch) {
  if (model::HaveSameItem(change.old_record, change.new_record)) return;
  TableJournal& journal = table.journal();
  // Its entry first: a slot that nobody would give back holds up every reader of the journal.
  Taken& taken = first_.journal ? rest_.emplace_back() : first_;
  const auto slot = journal.Take(HashOfItemKey(item_key));
  if (!slot) return;
  taken = {&journal, slot->position, 0};

  thread_local std::string key, record;
  key.clear();
  record.clear();
  AppendJournalRowKey(slot->lane, slot->position, key);
  EncodeChange(change, slot->images, slot->created_millis, record);
  batch.Put(key, record);
  taken.bytes = key.size() + record.size();
}

void PendingRecords::Settle(storage::Mark mark) {
  if (!first_.journal) return;
  first_.journal->GiveBack(first_.position, mark, first_.bytes);
  for (const Taken& taken : rest_)
    if (taken.journal) taken.journal->GiveBack(taken.position, mark, taken.bytes);
  first_ = {};
  rest_.clear();
}

}  // namespace armature::table
