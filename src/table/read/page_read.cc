#include "table/read/page_read.h"

#include <algorithm>
#include <vector>

#include "base/tasks/work_meter.h"
#include "expr/apply/evaluate.h"
#include "model/codec/item_codec.h"
#include "storage/engine_calls.h"
#include "table/index/index_follower.h"
#include "table/partition/row_scan.h"
#include "table/read/page_charge.h"
#include "table/storage_errors.h"
#include "table/throttle/throttle_error.h"

namespace armature::table {

using model::ApiResult;

namespace {

// Rows are asked for in portions: small enough that a portion, read from the cache, does not keep the reactor for long
// and a page of 1 MB is not overshot by much; large enough that a page of small items is one call.
constexpr size_t kPortionBytes = 128 * 1024;
// The same for entries whose items are fetched.
constexpr size_t kPortionFetches = 200;
// What a row costs besides its bytes, in bytes.
constexpr size_t kRowUnits = 128;
// No more than so many units are read at once; it is more than a portion can cost.
constexpr double kMostPortionUnits = 1000;

class PageReader {
 public:
  PageReader(storage::Engine& engine, PageRead& page, Arena& arena)
      : engine_(engine),
        page_(page),
        arena_(arena),
        charge_(page),
        is_done_(!page.range.end.empty() && page.range.begin >= page.range.end),
        rows_(*page.partitions, std::move(page.range), page.at, page.is_reverse),
        throttle_(page.partitions->throttle()),
        is_limited_(throttle_.limits(Use::kRead)) {}

  Task<ApiResult<void>> Run() {
    if (is_limited_) ARMATURE_CO_CHECK_OK(Admit());
    while (!is_done_ && !rows_.at_end()) {
      const Portion portion = NextPortion();
      storage::ScanOp& scan = rows_.Prepare(portion.rows, portion.bytes);
      Status status = co_await storage::Run(engine_, scan);
      WorkMeter::Add(scan.buffer.size());
      if (status.ok() && page_.fetch_from) status = co_await FetchItems(scan);
      if (status.code() == StatusCode::kFenced) {
        status = co_await rows_.LookAgain(engine_);
        if (status.ok()) continue;
      }
      if (!status.ok()) co_return ReadError(*page_.table, status);
      for (size_t at = 0; at < scan.rows.size() && !is_done_;) {
        ARMATURE_CO_CHECK_OK(TakeRows(scan, at));
        if (is_undecided_) {
          is_undecided_ = false;
          if (co_await expr::EvaluateInTurns(*page_.filter, filtered_)) page_.sink->Row(row_);
        }
        co_await YieldIfDue();
      }
      Pay(charge_.TakePortion(page_, rows_.partition().meter()));
      if (is_done_) break;
      rows_.Advance();
      if (is_limited_ && !rows_.at_end() && !scan.rows.empty()) ARMATURE_CO_CHECK_OK(StopIfExhausted(scan));
    }
    Pay(charge_.Finish(page_, rows_.partition().meter()));
    co_return ApiResult<void>{};
  }

 private:
  // --- capacity, where it is limited

  ApiResult<void> Admit() {
    const Limit limit = throttle_.Admit(Use::kRead, charge_.least_units(), rows_.partition().ceilings(), admission_);
    if (limit == Limit::kNone) return {};
    const bool is_of_index = page_.index && page_.index->is_global();
    return ThrottleError(*page_.table->def(), is_of_index ? page_.index->def : nullptr, Use::kRead, limit);
  }

  // What was paid for being let in is a part of the first sum.
  void Pay(double units) {
    if (!is_limited_) return;
    const Admission paid_ahead = std::move(admission_);
    if (units > 0) throttle_.Pay(Use::kRead, units, rows_.partition().ceilings()).Keep();
  }

  struct Portion {
    size_t rows = 0;
    size_t bytes = 0;
  };
  // No more than there is capacity for, as far as can be said before.
  Portion NextPortion() {
    const size_t left = page_.limit - page_.row_count;
    Portion portion{page_.fetch_from ? std::min(left, kPortionFetches) : left, kPortionBytes};
    if (!is_limited_) return portion;
    const double units = std::clamp(throttle_.Balance(Use::kRead, *rows_.partition().ceilings()), charge_.least_units(),
                                    kMostPortionUnits);
    portion.bytes = std::min(portion.bytes, charge_.BytesFor(units));
    if (page_.fetch_from) portion.rows = std::min(portion.rows, charge_.ItemsFor(units));
    return portion;
  }

  // The portion's last row is the page's if there is nothing left for another.
  ApiResult<void> StopIfExhausted(const storage::ScanOp& scan) {
    if (throttle_.Check(Use::kRead, *rows_.partition().ceilings()) == Limit::kNone) return {};
    row_arena_.Reset();
    const auto decoded = model::DecodeItem(scan.rows.back().value, row_arena_);
    if (!decoded) return ReadError(*page_.table, decoded.error());
    StopBehind(decoded->item);
    return {};
  }

  void StopBehind(model::Item row) {
    is_done_ = true;
    page_.has_more = true;
    page_.last_key = RowKeyAttributes(*page_.keyspace, row, arena_);
  }

  // --- rows

  // From `at` on, which moves, until it is others' turn, or until a row whose filter may take long.
  ApiResult<void> TakeRows(const storage::ScanOp& scan, size_t& at) {
    while (at < scan.rows.size() && !is_undecided_ && !is_done_ && !WorkMeter::is_due()) {
      const size_t i = at++;
      WorkMeter::Add(kRowUnits + scan.rows[i].value.size());
      row_arena_.Reset();
      auto decoded = model::DecodeItem(scan.rows[i].value, row_arena_);
      if (!decoded) return ReadError(*page_.table, decoded.error());
      ++page_.row_count;
      page_.row_bytes += decoded->item_size;
      model::Item item = decoded->item;
      if (page_.fetch_from) {
        auto fetched = TakeFetched(i, item);
        if (!fetched) return std::move(fetched).error();
        item = *fetched;
      }
      if (page_.row_count >= page_.limit || page_.row_bytes >= kMaxPageBytes) StopBehind(decoded->item);
      HandOn(item, decoded->item, scan.rows[i].value.size());
    }
    return {};
  }

  // The sink gets the row if the filter holds; if that may take long, Run finds it out.
  void HandOn(model::Item item, model::Item filtered, size_t bytes) {
    if (page_.filter && expr::MayTakeLong(*page_.filter, bytes)) {
      is_undecided_ = true;
      row_ = item;
      filtered_ = filtered;
    } else if (!page_.filter || expr::Evaluate(*page_.filter, filtered)) {
      page_.sink->Row(item);
    }
  }

  // The whole items behind a portion's entries, in one call.
  Task<Status> FetchItems(const storage::ScanOp& scan) {
    std::vector<std::string> keys(scan.rows.size());
    for (size_t i = 0; i < scan.rows.size(); ++i) {
      row_arena_.Reset();
      auto entry = model::DecodeItem(scan.rows[i].value, row_arena_);
      if (!entry) co_return entry.error();
      AppendRowKey(*page_.fetch_from, entry->item, keys[i]);
    }
    // Entries of a local index have their items beside them, in the same partition.
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    storage::MultiGetOp get;
    get.partition = scan.partition;
    get.keys = views;
    get.at = page_.at;
    Status status = co_await storage::Run(engine_, get);
    fetched_ = std::move(get.entries);
    for (const auto& entry : fetched_) WorkMeter::Add(kRowUnits + entry.value.size());
    co_return status;
  }

  ApiResult<model::Item> TakeFetched(size_t row, model::Item entry) {
    // Entry and item are committed together; without a snapshot the item may have gone between the two reads.
    if (!fetched_[row].found) return entry;
    auto decoded = model::DecodeItem(fetched_[row].value, row_arena_);
    if (!decoded) return ReadError(*page_.table, decoded.error());
    charge_.AddFetched(decoded->item_size);
    return decoded->item;
  }

  storage::Engine& engine_;
  PageRead& page_;
  Arena& arena_;
  PageCharge charge_;
  bool is_done_;
  RowScan rows_;
  ResourceThrottle& throttle_;
  const bool is_limited_;
  Admission admission_;  // until the first portion is paid for
  Arena row_arena_;
  std::vector<storage::MultiGetOp::Entry> fetched_;
  // A row whose filter may take long, and what the filter looks at. They live in the row's arena.
  bool is_undecided_ = false;
  model::Item row_;
  model::Item filtered_;
};

}  // namespace

Task<ApiResult<void>> ReadPage(storage::Engine& engine, PageRead& page, Arena& arena) {
  // Rows of a global index that follow their items are awaited: readers see what was written before. Where that is not
  // to be had, they see what there is.
  const bool is_of_index = page.partitions != &page.table->partitions();
  if (is_of_index && !engine.capabilities().multi_partition_atomic)
    (void)co_await IndexFollower(engine).CatchUp(*page.table);
  PageReader reader(engine, page, arena);
  co_return co_await reader.Run();
}

}  // namespace armature::table
