#include "workers/ttl/ttl_sweep.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "expr/bind/expression_set.h"
#include "storage/engine_calls.h"
#include "table/keys/expiry.h"
#include "workers/pace.h"

namespace armature::workers {

using std::chrono::milliseconds;

namespace {

// How soon an item that has expired is noticed.
constexpr milliseconds kPauseWhenIdle(500);
constexpr int64_t kRetryMillis = 60'000;
constexpr int64_t kRestsPerCpuTime = 9;

int64_t FloorSeconds(int64_t millis) { return millis >= 0 ? millis / 1000 : (millis - 999) / 1000; }

// True of an item that is expired: a number of the last five years. Other types are no match.
model::ApiResult<const expr::BoundCondition*> BindIsExpired(std::string_view attribute, int64_t now_seconds,
                                                            Arena& arena) {
  auto names = arena.NewArray<expr::NameBinding>(1);
  auto values = arena.NewArray<expr::ValueBinding>(2);
  names[0] = {"#ttl", arena.Copy(attribute)};
  const auto seconds = [&](int64_t value) {
    return model::Value::OfNumber(model::Number::FromInt(std::max<int64_t>(value, 0)), arena);
  };
  values[0] = {":oldest", seconds(now_seconds - TtlSweep::kFiveYearsSeconds)};
  values[1] = {":now", seconds(now_seconds)};
  expr::ExpressionSet expressions(arena, std::span<const expr::NameBinding>(names),
                                  std::span<const expr::ValueBinding>(values));
  return expressions.AddCondition(expr::ExpressionKind::kCondition, "#ttl BETWEEN :oldest AND :now");
}

}  // namespace

TtlSweep::TtlSweep(storage::Engine& engine, const Clock& clock, const table::Catalog& catalog, table::WritePath& writes,
                   Metrics& metrics, int64_t delay_millis, size_t items_per_portion)
    : engine_(engine),
      clock_(clock),
      catalog_(catalog),
      writes_(writes),
      metrics_(metrics),
      delay_millis_(delay_millis),
      items_per_portion_(items_per_portion),
      lag_seconds_(std::make_shared<std::atomic<int64_t>>(0)) {
  metrics.AddGauge("armature_ttl_lag_seconds", "For how long the next item to be deleted by TTL has been due",
                   [lag = lag_seconds_] { return static_cast<double>(lag->load()); });
}

Task<milliseconds> TtlSweep::Step() {
  const Pace pace(kRestsPerCpuTime);
  const int64_t now_seconds = FloorSeconds(clock_.NowMillis() - delay_millis_);
  bool has_more = false;
  int64_t earliest = now_seconds;
  std::map<storage::PartitionId, Place> places;
  for (const auto& table : catalog_.AllTables()) {
    const auto schema = table->schema();
    if (!schema->has_all_expiry_rows() || !table->AcceptsData(clock_.NowMillis())) continue;
    const int64_t told = table->TakeEarliestExpiry(now_seconds - kFiveYearsSeconds);
    const auto partitions = table->partitions().list();
    for (const auto& partition : *partitions) {
      // One that is new here is looked at from its first row on.
      auto known = places_.extract(partition->id());
      Place& place = known ? places.insert(std::move(known)).position->second : places[partition->id()];
      const bool is_due = co_await SweepPartition(table, partition, place, told, now_seconds);
      has_more = has_more || is_due;
      if (is_due) earliest = std::min(earliest, std::max(place.next_seconds, now_seconds - kFiveYearsSeconds));
    }
  }
  places_ = std::move(places);
  lag_seconds_->store(now_seconds - earliest);
  co_return has_more ? pace.Rest() : kPauseWhenIdle;
}

Task<bool> TtlSweep::SweepPartition(const std::shared_ptr<table::Table>& table,
                                    const std::shared_ptr<table::Partition>& partition, Place& place, int64_t told,
                                    int64_t now_seconds) {
  if (place.retry_millis != 0 && clock_.NowMillis() >= place.retry_millis) {
    place.told_seconds = std::min(place.told_seconds, place.retry_seconds);
    place.retry_millis = 0;
  }
  // A pass comes by itself to rows ahead of it. It is finished before another begins: going back for every row behind
  // it would lead over the remains of what it has deleted again and again.
  if (place.cursor.empty()) {
    place.next_seconds = std::min({place.next_seconds, place.told_seconds, told});
    place.told_seconds = INT64_MAX;
  } else if (told <= place.next_seconds) {
    place.told_seconds = std::min(place.told_seconds, told);
  }
  if (place.next_seconds > now_seconds) co_return false;

  const int64_t first_seconds = place.next_seconds;
  Portion portion;
  const auto read = co_await ReadPortion(*table, partition, place, now_seconds, portion);
  const bool has_more = (read && *read) || place.told_seconds <= now_seconds;
  Status status = read ? Status::Ok() : read.error();
  if (status.ok() && portion.count > 0) status = co_await Delete(table, portion);
  if (status.ok()) co_return has_more;
  // What stands in the way of one item must not stop the others: go on, and come back to it.
  LogWarn("table {}: expired items are left for later: {}", table->def()->name, status.ToString());
  const bool is_first = place.retry_millis == 0;
  place.retry_seconds = is_first ? first_seconds : std::min(place.retry_seconds, first_seconds);
  place.retry_millis = clock_.NowMillis() + kRetryMillis;
  co_return has_more;
}

Task<Result<bool>> TtlSweep::ReadPortion(table::Table& table, const std::shared_ptr<table::Partition>& partition,
                                         Place& place, int64_t now_seconds, Portion& portion) {
  const std::string begin = table::ExpiryRows(std::max(place.next_seconds, now_seconds - kFiveYearsSeconds), 0).begin;
  const std::string end = table::AllExpiryRows().end;
  storage::ScanOp scan;
  scan.partition = &partition->handle();
  scan.begin = std::max(begin, place.cursor);
  scan.end = end;
  scan.limit_rows = items_per_portion_;
  scan.at.view = storage::View::kLatest;
  Status status = co_await storage::Run(engine_, scan);
  if (status.code() == StatusCode::kFenced) {
    status = co_await table.partitions().LookAgain(engine_, partition);
    if (status.ok()) co_return true;  // with the partition that is there then
  }
  if (!status.ok()) {
    place.next_seconds = INT64_MAX;  // until it is tried again
    place.cursor.clear();
    co_return status;
  }

  const auto def = table.def();
  auto bound = BindIsExpired(def->ttl.attribute, now_seconds, portion.arena);
  if (!bound) co_return Status::IoError(bound.error().message);
  const expr::BoundCondition* is_expired = *bound;
  portion.writes = std::make_unique<table::ItemWrite[]>(scan.rows.size());
  for (const auto& row : scan.rows) {
    table::ExpiryRow expiry;
    if (!table::ReadExpiryRow(row.key, table.key_schema(), portion.arena, &expiry)) {
      LogError("table {}: a damaged expiry row is passed over", def->name);
      continue;
    }
    if (expiry.expiry_seconds > now_seconds) {
      place.next_seconds = expiry.expiry_seconds;
      place.cursor.clear();
      co_return false;
    }
    table::ItemWrite& write = portion.writes[portion.count++];
    write.kind = table::ItemWrite::Kind::kDelete;
    write.table = &table;
    write.key = expiry.key;
    write.condition = is_expired;
    write.by_ttl = true;
    place.next_seconds = expiry.expiry_seconds;
  }
  if (!scan.has_more) {
    place.next_seconds = INT64_MAX;  // nothing expires, unless the write path tells of something
    place.cursor.clear();
    co_return false;
  }
  place.cursor = std::string(scan.rows.back().key) + '\0';
  co_return true;
}

Task<Status> TtlSweep::Delete(const std::shared_ptr<table::Table>& table, Portion& portion) {
  const std::span<table::ItemWrite> writes(portion.writes.get(), portion.count);
  auto done = co_await writes_.ExecuteBatch(writes, portion.arena);
  uint64_t deleted = 0;
  Status failure = done ? Status::Ok() : Status::IoError(done.error().message);
  for (const auto& write : writes) {
    if (write.failure) failure = Status::IoError(write.failure->message);
    else if (done && write.condition_held && write.old_exists) ++deleted;
  }
  if (deleted > 0) {
    const auto def = table->def();
    metrics_
        .GetCounter("armature_ttl_deleted_items_total", "Items deleted because they had expired",
                    fmt::format("region=\"{}\",table=\"{}\"", def->region, def->name))
        .Add(deleted);
  }
  co_return failure;
}

}  // namespace armature::workers
