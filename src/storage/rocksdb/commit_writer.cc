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

Status CommitWriter::CheckParts(std::span<const CommitManyOp::Part> parts) const {
  if (store_.is_closed()) return OpenStore::Closed();
  for (const auto& part : parts) {
    if (Status status = CheckAlive(part.partition); !status.ok()) return status;
    if (Status status = CheckBatch(*part.partition, *part.batch); !status.ok()) return status;
  }
  return {};
}

void CommitWriter::WriteGroup(std::span<CommitGroup::Member> members) {
  rocksdb::WriteBatch& batch = EmptyBatch();
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  rocksdb::Status written;
  Status full;
  Mark mark = 0;
  {
    MutexLock order(order_);
    ReadLock owners(store_.partitions.mutex());
    AddSyncedNote(batch);
    full = store_.CheckSpace();
    NumberedParts numbers;
    for (auto& member : members) {
      *member.status = full.ok() ? CheckParts(member.parts()) : full;
      if (member.status->ok()) numbers.Translate(member.parts(), batch);
    }
    numbers.Append(batch);
    if (!store_.is_closed()) {
      if (batch.Count() != 0) written = store_.db().Write(options, &batch);
      if (written.ok()) numbers.Keep();
      if (written.ok() && !store_.waits_for_sync()) full = store_.CheckLog();
      // Not a commit's own number but one not before it: whoever waits for it waits for the commit too.
      mark = store_.db().GetLatestSequenceNumber();
    }
  }
  for (auto& member : members) {
    if (!member.status->ok()) {
      member.done->Finish();
    } else if (written.IsIncomplete()) {
      slow_writer_.Post([this, member]() mutable { member.Finish(WriteSlowly(member.parts(), *member.mark)); });
    } else if (!written.ok() || !full.ok()) {
      member.Finish(written.ok() ? full : FromRocksDb(written));
    } else {
      commits_.Add();
      *member.mark = mark;
      member.Finish(Status());
    }
  }
}

// RocksDB would make the writer wait: because it writes faster than is compacted, or because writes are stopped for a
// flush. It is tried again and again, and not left to wait in RocksDB, where it would keep its place in the order from
// others, and on a full disk wait for ever: it must be told instead.
Status CommitWriter::WriteSlowly(Parts parts, Mark& mark) {
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    if (Status full = store_.CheckSpace(); !full.ok()) return full;
    rocksdb::WriteBatch& batch = EmptyBatch();
    NumberedParts numbers;
    MutexLock order(order_);
    ReadLock owners(store_.partitions.mutex());
    if (Status status = CheckParts(parts); !status.ok()) return status;
    numbers.Translate(parts, batch);
    numbers.Append(batch);
    const auto status = store_.db().Write(options, &batch);
    if (status.IsIncomplete()) continue;
    if (!status.ok()) return FromRocksDb(status);
    numbers.Keep();
    if (Status full = store_.waits_for_sync() ? Status() : store_.CheckLog(); !full.ok()) return full;
    commits_.Add();
    mark = store_.db().GetLatestSequenceNumber();
    return {};
  }
}

}  // namespace armature::storage
