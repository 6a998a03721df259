#include "storage/rocksdb/commit_writer.h"

#include <chrono>
#include <string>
#include <thread>

#include <rocksdb/db.h>

#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/write_batches.h"

namespace armature::storage {

void CommitWriter::AddSyncedNote(rocksdb::WriteBatch& batch) {
  thread_local std::string buffer;
  if (const std::string_view note = store_.marks().TakeNote(buffer); !note.empty()) batch.PutLogData(ToSlice(note));
}

Status CommitWriter::CheckOwners(Parts parts) const {
  if (store_.is_closed()) return OpenStore::Closed();
  for (const auto& part : parts)
    if (Status status = store_.partitions.Check(part.partition, part.epoch); !status.ok()) return status;
  return {};
}

void CommitWriter::WriteGroup(std::span<const CommitGroup::Member> members) {
  rocksdb::WriteBatch& batch = EmptyBatch();
  AddSyncedNote(batch);
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  rocksdb::Status written;
  Status full;
  Sequence sequence = 0;
  {
    ReadLock owners(store_.partitions.mutex());
    full = store_.CheckSpace();
    for (const auto& member : members) {
      *member.status = full.ok() ? CheckOwners(member.parts()) : full;
      if (member.status->ok()) Translate(member.parts(), batch);
    }
    if (!store_.is_closed()) {
      if (batch.Count() != 0) written = store_.db().Write(options, &batch);
      if (written.ok() && !store_.waits_for_sync()) full = store_.CheckLog();
      // Not a commit's own number but one not before it: whoever waits for it waits for the commit too.
      sequence = store_.db().GetLatestSequenceNumber();
    }
  }
  for (const auto& member : members) {
    if (!member.status->ok()) {
      member.done->Finish();
    } else if (written.IsIncomplete()) {
      slow_writer_.Post([this, member] { member.Finish(WriteSlowly(member.parts(), *member.sequence)); });
    } else if (!written.ok() || !full.ok()) {
      member.Finish(written.ok() ? full : FromRocksDb(written));
    } else {
      commits_.Add();
      *member.sequence = sequence;
      member.done->Finish();
    }
  }
}

Status CommitWriter::WriteSlowly(Parts parts, Sequence& sequence) {
  rocksdb::WriteBatch& batch = EmptyBatch();
  Translate(parts, batch);
  MutexLock slow(store_.slow_mutex);
  {
    ReadLock owners(store_.partitions.mutex());
    if (Status status = CheckOwners(parts); !status.ok()) return status;
  }
  // While RocksDB has stopped writes for a flush or a compaction, wait here and not in its Write: on a full disk
  // the flush waits for space, and the writer must be told instead of waiting with it.
  uint64_t is_stopped = 0;
  while (!store_.is_closed() && store_.db().GetIntProperty(rocksdb::DB::Properties::kIsWriteStopped, &is_stopped) &&
         is_stopped != 0) {
    if (Status full = store_.CheckSpace(); !full.ok()) return full;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (Status full = store_.CheckSpace(); !full.ok()) return full;
  const auto status = store_.db().Write(rocksdb::WriteOptions(), &batch);
  if (!status.ok()) return FromRocksDb(status);
  if (Status full = store_.waits_for_sync() ? Status() : store_.CheckLog(); !full.ok()) return full;
  commits_.Add();
  sequence = store_.db().GetLatestSequenceNumber();
  return {};
}

}  // namespace armature::storage
