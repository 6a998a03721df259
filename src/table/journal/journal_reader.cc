#include "table/journal/journal_reader.h"

#include <algorithm>

#include <xxhash.h>

#include "base/bytes.h"
#include "storage/delete_rows.h"
#include "storage/engine_calls.h"
#include "table/keys/key_layout.h"
#include "table/lanes/record_codec.h"
#include "table/system_records.h"

namespace armature::table {

namespace {

Position PositionOf(std::string_view row_key) {
  return ReadBigEndian<Position>(row_key.data() + row_key.size() - sizeof(Position));
}

Status DecodeRows(const Table& table, const storage::ScanOp& scan, model::Images images, Arena& arena,
                  std::vector<model::ChangeRecord>& records) {
  records.reserve(scan.rows.size());
  // Kept: the definition may be replaced meanwhile.
  const auto def = table.def();
  const std::string& uuid = def->uuid;
  for (const auto& row : scan.rows) {
    auto record = DecodeChange(row.value, table.key_schema(), images, arena);
    if (!record) return record.error();
    record->position = PositionOf(row.key);
    const XXH128_hash_t id = XXH3_128bits_withSeed(uuid.data(), uuid.size(), record->position);
    record->event_id[0] = id.high64;
    record->event_id[1] = id.low64;
    records.push_back(*record);
  }
  return Status::Ok();
}

}  // namespace

// What was committed below the horizon must be in the view that is read.
Task<Status> JournalReader::AwaitHorizon(const Table& table, storage::Mark mark) {
  const auto partition = table.partitions().Find(kJournalHash);
  if (mark <= engine_.DurableUpTo(partition->handle())) co_return Status::Ok();
  co_return co_await storage::AwaitDurable(engine_, partition->handle(), mark);
}

Task<Result<JournalPage>> JournalReader::Read(const Table& table, LaneId lane_id, Position from, ReadLimits limits,
                                              model::Images images, Arena& arena) {
  const TableJournal& journal = table.journal();
  JournalPage page;
  for (;;) {
    const auto state = journal.state();
    const Lane* lane = state->FindLane(lane_id);
    if (!lane) co_return Status::NotFound("no such lane");
    const TableJournal::Horizon horizon = journal.horizon();
    const Position start = std::max(from, lane->trimmed);
    const Position end = lane->is_open() ? horizon.position : std::min(horizon.position, lane->end);
    page.was_trimmed = start != from;
    page.next = std::max(start, end);
    page.is_caught_up = true;
    if (start < end) {
      if (Status status = co_await AwaitHorizon(table, horizon.mark); !status.ok()) co_return status;
      const std::string begin_key = JournalRowKey(lane_id, start);
      const std::string end_key = JournalRowKey(lane_id, end);
      page.rows = std::make_unique<storage::ScanOp>();
      storage::ScanOp& scan = *page.rows;
      scan.begin = begin_key;
      scan.end = end_key;
      scan.limit_rows = limits.records;
      scan.limit_bytes = limits.bytes;
      if (Status status = co_await ScanIn(engine_, table.partitions(), kJournalHash, scan); !status.ok())
        co_return status;
      // Trimming is announced before it is done: if it is not announced now, the scan has seen all there was.
      const auto after = journal.state();
      const Lane* lane_after = after->FindLane(lane_id);
      if (!lane_after || lane_after->trimmed > start) continue;
      if (Status status = DecodeRows(table, scan, images, arena, page.records); !status.ok()) co_return status;
      if (scan.has_more) {
        page.next = page.records.back().position + 1;
        page.is_caught_up = false;
      }
    }
    page.is_done = page.is_caught_up && !lane->is_open() && horizon.position >= lane->end;
    co_return page;
  }
}

// A life that stored no record begins, after the next crash, where it began before: what it had given out and not
// stored is given out again, and a reader sent behind that would miss it.
Task<Result<Position>> JournalReader::DurableLatest(const Table& table) {
  const TableJournal::Horizon horizon = table.journal().horizon();
  if (Status status = co_await AwaitHorizon(table, horizon.mark); !status.ok()) co_return status;
  co_return horizon.position;
}

// --- cursors

Task<Result<std::vector<JournalReader::Cursor>>> JournalReader::LoadCursors(const Table& table, std::string reader) {
  const storage::KeyRange range = JournalCursorRange(reader);
  storage::ScanOp scan;
  scan.begin = range.begin;
  scan.end = range.end;
  if (Status status = co_await ScanIn(engine_, table.partitions(), kJournalHash, scan); !status.ok()) co_return status;
  std::vector<Cursor> cursors;
  for (const auto& row : scan.rows) {
    if (row.value.size() != sizeof(Position) || row.key.size() != range.begin.size() + sizeof(LaneId))
      co_return Status::Corruption("a cursor of a journal is damaged");
    cursors.push_back(
        {ReadBigEndian<LaneId>(row.key.data() + range.begin.size()), ReadBigEndian<Position>(row.value.data())});
  }
  co_return cursors;
}

Task<Status> JournalReader::CommitToTable(const Table& table, const storage::Batch& batch) {
  for (;;) {
    const auto partition = table.partitions().Find(kJournalHash);
    storage::CommitManyOp::Part part{&partition->handle(), &batch};
    Status status = co_await CommitDurably(engine_, {&part, 1});
    if (status.code() != StatusCode::kFenced) co_return status;
    status = co_await table.partitions().LookAgain(engine_, partition);
    if (!status.ok()) co_return status;
  }
}

Task<Status> JournalReader::StoreCursors(const Table& table, std::string reader, std::vector<Cursor> cursors) {
  storage::Batch batch;
  for (const Cursor& cursor : cursors) {
    const std::string key = JournalCursorKey(reader, cursor.lane);
    std::string value;
    AppendBigEndian(value, cursor.next);
    if (cursor.next == 0) batch.Delete(key);
    else batch.Put(key, value);
  }
  if (batch.empty()) co_return Status::Ok();
  co_return co_await CommitToTable(table, batch);
}

Task<Status> JournalReader::RemoveCursors(const Table& table, std::string reader) {
  const storage::KeyRange range = JournalCursorRange(reader);
  for (;;) {
    const auto partition = table.partitions().Find(kJournalHash);
    Status status = co_await storage::DeleteRows(engine_, partition->handle(), range);
    if (status.code() != StatusCode::kFenced) co_return status;
    status = co_await table.partitions().LookAgain(engine_, partition);
    if (!status.ok()) co_return status;
  }
}

}  // namespace armature::table
