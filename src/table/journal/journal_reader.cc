#include "table/journal/journal_reader.h"

#include <algorithm>
#include <map>

#include <xxhash.h>

#include "base/bytes.h"
#include "storage/delete_rows.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"
#include "table/lanes/record_codec.h"

namespace armature::table {

namespace {

Position PositionOf(std::string_view row_key) {
  return ReadBigEndian<Position>(row_key.data() + row_key.size() - sizeof(Position));
}

Status DecodeRows(const Table& table, storage::PartitionId partition, const storage::ScanOp& scan, model::Images images,
                  Arena& arena, std::vector<model::ChangeRecord>& records) {
  records.reserve(scan.rows.size());
  // An event's id is that of its table, partition and position.
  std::string source = table.def()->uuid;
  AppendBigEndian(source, partition);
  for (const auto& row : scan.rows) {
    auto record = DecodeChange(row.value, table.key_schema(), images, arena);
    if (!record) return record.error();
    record->partition = partition;
    record->position = PositionOf(row.key);
    const XXH128_hash_t id = XXH3_128bits_withSeed(source.data(), source.size(), record->position);
    record->event_id[0] = id.high64;
    record->event_id[1] = id.low64;
    records.push_back(*record);
  }
  return Status::Ok();
}

}  // namespace

std::vector<storage::PartitionId> PartitionsOf(const JournalState& state) {
  std::vector<storage::PartitionId> partitions;
  for (const Lane& lane : state.lanes)
    if (std::find(partitions.begin(), partitions.end(), lane.partition) == partitions.end())
      partitions.push_back(lane.partition);
  return partitions;
}

// --- in a partition, whichever handle it has at the moment

Task<Status> JournalReader::ScanPartition(const Table& table, storage::PartitionId id, storage::ScanOp& scan) {
  for (;;) {
    const auto partition = table.partitions().FindById(id);
    if (!partition) co_return Status::NotFound("the partition of a lane is gone");
    scan.partition = &partition->handle();
    Status status = co_await storage::Run(engine_, scan);
    if (status.code() != StatusCode::kFenced) co_return status;
    status = co_await table.partitions().LookAgain(engine_, partition);
    if (!status.ok()) co_return status;
    scan.done.Rearm();
  }
}

Task<Status> JournalReader::CommitToPartition(const Table& table, storage::PartitionId id,
                                              const storage::Batch& batch) {
  for (;;) {
    const auto partition = table.partitions().FindById(id);
    if (!partition) co_return Status::NotFound("the partition of a lane is gone");
    const auto committed = co_await CommitPatiently(engine_, partition->handle(), batch);
    Status status = committed ? Status::Ok() : committed.error();
    if (committed) status = co_await storage::AwaitDurable(engine_, partition->handle(), committed->mark);
    // What may have been done is done again: a cursor is where it is.
    if (!IsOfDead(status)) co_return status;
    status = co_await table.partitions().LookAgain(engine_, partition);
    if (!status.ok()) co_return status;
  }
}

Task<Status> JournalReader::DeleteFromPartition(const Table& table, storage::PartitionId id, storage::KeyRange rows) {
  for (;;) {
    const auto partition = table.partitions().FindById(id);
    if (!partition) co_return Status::NotFound("the partition of a lane is gone");
    Status status = co_await storage::DeleteRows(engine_, partition->handle(), rows);
    if (!IsOfDead(status)) co_return status;
    status = co_await table.partitions().LookAgain(engine_, partition);
    if (!status.ok()) co_return status;
  }
}

Task<Result<Position>> JournalReader::DurableEnd(const Table& table, storage::PartitionId id) {
  for (;;) {
    const auto partition = table.partitions().FindById(id);
    if (!partition) co_return Status::NotFound("the partition of a lane is gone");
    // In this order: the mark covers the number. What was there when the partition was opened is durable.
    const Position end = partition->records_end();
    const storage::Mark mark = partition->newest();
    if (mark <= engine_.DurableUpTo(partition->handle())) co_return end;
    Status status = co_await storage::AwaitDurable(engine_, partition->handle(), mark);
    if (status.ok()) co_return end;
    if (IsOfDead(status)) status = co_await table.partitions().LookAgain(engine_, partition);
    if (!status.ok()) co_return status;
  }
}

// --- records

Task<Result<JournalPage>> JournalReader::Read(const Table& table, LaneId lane_id, Position from, ReadLimits limits,
                                              model::Images images, Arena& arena) {
  const TableJournal& journal = table.journal();
  JournalPage page;
  for (;;) {
    const auto state = journal.state();
    const Lane* lane = state->FindLane(lane_id);
    if (!lane) co_return Status::NotFound("no such lane");
    if (lane->is_open() && journal.is_changing()) {
      const auto changed = co_await journal.change_latch().LockStripe(0);
      if (!journal.is_changing()) continue;
      page.next = from;
      page.is_caught_up = true;
      co_return page;
    }
    // A lane is closed at a position that is durable.
    Position end = lane->end;
    if (lane->is_open()) {
      const auto durable = co_await DurableEnd(table, lane->partition);
      if (!durable) co_return durable.error();
      end = *durable;
    }
    const Position start = std::max(from, lane->trimmed);
    page.was_trimmed = start != from;
    page.next = std::max(start, end);
    page.is_caught_up = true;
    if (start < end) {
      const std::string begin_key = JournalRowKey(start);
      const std::string end_key = JournalRowKey(end);
      page.rows = std::make_unique<storage::ScanOp>();
      storage::ScanOp& scan = *page.rows;
      scan.begin = begin_key;
      scan.end = end_key;
      scan.limit_rows = limits.records;
      scan.limit_bytes = limits.bytes;
      if (Status status = co_await ScanPartition(table, lane->partition, scan); !status.ok()) co_return status;
      // Trimming is announced before it is done: if it is not announced now, the scan has seen all there was. And where
      // a lane ends is decided after that is announced: if it is not announced now, it will be behind what was seen.
      const bool is_changing = lane->is_open() && journal.is_changing();
      const auto after = journal.state();
      const Lane* lane_after = after->FindLane(lane_id);
      if (is_changing || !lane_after || lane_after->trimmed > start || lane_after->end != lane->end) continue;
      Status decoded = DecodeRows(table, lane->partition, scan, images, arena, page.records);
      if (!decoded.ok()) co_return decoded;
      if (scan.has_more) {
        page.next = page.records.back().position + 1;
        page.is_caught_up = false;
      }
    }
    page.is_done = page.is_caught_up && !lane->is_open();
    co_return page;
  }
}

Task<Result<Position>> JournalReader::Latest(const Table& table, LaneId lane_id) {
  const auto state = table.journal().state();
  const Lane* lane = state->FindLane(lane_id);
  if (!lane) co_return Status::NotFound("no such lane");
  if (!lane->is_open()) co_return lane->end;
  const auto end = co_await DurableEnd(table, lane->partition);
  if (!end) co_return end.error();
  co_return std::max(*end, lane->first);
}

Position JournalReader::LatestNow(const Table& table, LaneId lane_id) const {
  const auto state = table.journal().state();
  const Lane* lane = state->FindLane(lane_id);
  if (!lane || !lane->is_open()) return lane ? lane->end : 0;
  const auto partition = table.partitions().FindById(lane->partition);
  return partition ? std::max(partition->records_end(), lane->first) : lane->first;
}

Task<Result<std::vector<LanePosition>>> JournalReader::LatestOfAll(const Table& table) {
  const auto state = table.journal().state();
  std::vector<LanePosition> latest;
  for (const Lane& lane : state->lanes) {
    if (!lane.is_open()) continue;
    const auto end = co_await DurableEnd(table, lane.partition);
    if (!end) co_return end.error();
    latest.push_back({lane.id, std::max(*end, lane.first)});
  }
  co_return latest;
}

// --- cursors

Task<Result<std::vector<JournalReader::Cursor>>> JournalReader::LoadCursors(const Table& table, std::string reader) {
  const storage::KeyRange range = JournalCursorRange(reader);
  const auto state = table.journal().state();
  std::vector<Cursor> cursors;
  for (const storage::PartitionId partition : PartitionsOf(*state)) {
    storage::ScanOp scan;
    scan.begin = range.begin;
    scan.end = range.end;
    if (Status status = co_await ScanPartition(table, partition, scan); !status.ok()) co_return status;
    for (const auto& row : scan.rows) {
      if (row.value.size() != sizeof(Position) || row.key.size() != range.begin.size() + sizeof(LaneId))
        co_return Status::Corruption("a cursor of a journal is damaged");
      cursors.push_back({ReadBigEndian<LaneId>(row.key.data() + range.begin.size()),
                         ReadBigEndian<Position>(row.value.data()), partition});
    }
  }
  co_return cursors;
}

Task<Status> JournalReader::StoreCursors(const Table& table, std::string reader, std::vector<Cursor> cursors) {
  const auto state = table.journal().state();
  std::map<storage::PartitionId, storage::Batch> batches;
  for (const Cursor& cursor : cursors) {
    // That of a lane which is forgotten by now is of no use to anybody, and goes with its partition at the latest.
    const Lane* const lane = state->FindLane(cursor.lane);
    if (!lane && (cursor.next != 0 || !table.partitions().FindById(cursor.partition))) continue;
    const std::string key = JournalCursorKey(reader, cursor.lane);
    std::string value;
    AppendBigEndian(value, cursor.next);
    storage::Batch& batch = batches[lane ? lane->partition : cursor.partition];
    if (cursor.next == 0) batch.Delete(key);
    else batch.Put(key, value);
  }
  for (const auto& [partition, batch] : batches)
    if (Status status = co_await CommitToPartition(table, partition, batch); !status.ok()) co_return status;
  co_return Status::Ok();
}

Task<Status> JournalReader::RemoveCursors(const Table& table, std::string reader) {
  const storage::KeyRange range = JournalCursorRange(reader);
  const auto state = table.journal().state();
  for (const storage::PartitionId partition : PartitionsOf(*state))
    if (Status status = co_await DeleteFromPartition(table, partition, range); !status.ok()) co_return status;
  co_return Status::Ok();
}

}  // namespace armature::table
