#include "table/journal/pending_records.h"

#include "table/key_layout.h"

namespace armature::table {

void PendingRecords::Add(Table& table, std::string_view item_key, const RawChange& change, storage::Batch& batch) {
  // Equal items have equal records: attributes and sets are sorted and numbers have one form.
  if (change.old_record == change.new_record) return;
  TableJournal& journal = table.journal();
  const auto slot = journal.Take(HashOfItemKey(table.prefix(), item_key));
  if (!slot) return;

  thread_local std::string key, record;
  key.clear();
  record.clear();
  AppendJournalRowKey(table.prefix(), slot->lane, slot->position, key);
  EncodeChange(change, slot->images, slot->created_millis, record);
  batch.Put(key, record);
  const Taken taken{&journal, slot->position, key.size() + record.size()};
  if (first_.journal) rest_.push_back(taken);
  else first_ = taken;
}

void PendingRecords::Settle(storage::Sequence sequence) {
  if (!first_.journal) return;
  first_.journal->GiveBack(first_.position, sequence, first_.bytes);
  for (const Taken& taken : rest_) taken.journal->GiveBack(taken.position, sequence, taken.bytes);
  first_ = {};
  rest_.clear();
}

}  // namespace armature::table
