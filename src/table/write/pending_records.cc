#include "table/write/pending_records.h"

#include "model/codec/item_codec.h"
#include "table/keys/key_layout.h"

namespace armature::table {

void PendingRecords::Add(Table& table, const RawChange& change, int64_t created_millis, storage::Batch& batch) {
  if (model::HaveSameItem(change.old_record, change.new_record)) return;
  journal_ = &table.journal();
  thread_local std::string record;
  record.clear();
  EncodeChange(change, journal_->wanted(), created_millis, record);
  batch.PutNumbered(JournalSpace(), record);
  ++count_;
  bytes_ += record.size();
}

}  // namespace armature::table
