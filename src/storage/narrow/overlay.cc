#include "storage/narrow/overlay.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "storage/embedded_partition.h"
#include "storage/scan_buffer.h"

namespace armature::storage {
namespace {

// Calls visit(key, value) for every change as the engine below will make it; no value: deleted.
template <class Visitor>
void ForEachRow(const OrderedCommit& commit, Visitor&& visit) {
  Sequence number = commit.before;
  commit.batch.ForEach([&](Batch::Kind kind, std::string_view key, std::string_view value) {
    std::string stored(key);
    if (kind == Batch::Kind::kPutNumbered) AppendBigEndian(stored, ++number);
    visit(std::move(stored), kind == Batch::Kind::kDelete ? std::nullopt : std::optional<std::string>(value));
  });
}

// Both kinds of rows in the direction of a scan, within its limits.
class Merge {
 public:
  Merge(const Overlay& overlay, ScanOp& op) : op_(op), out_(op) {
    const auto [first, last] = Within(overlay.rows());
    for (auto row = first; row != last; ++row) rows_.push_back(&*row);
    if (op.is_reverse) std::reverse(rows_.begin(), rows_.end());
  }

  // False: a limit is reached.
  bool Add(std::string_view key, std::string_view value) {
    while (next_ < rows_.size() && IsBefore(rows_[next_]->first, key))
      if (!AddOwn()) return false;
    if (next_ < rows_.size() && rows_[next_]->first == key) return AddOwn();
    return out_.Add(key, value);
  }
  void AddRest() {
    while (next_ < rows_.size())
      if (!AddOwn()) return;
  }
  void Finish() { out_.Finish(); }

 private:
  std::pair<Overlay::Rows::const_iterator, Overlay::Rows::const_iterator> Within(const Overlay::Rows& rows) const {
    const auto first = rows.lower_bound(op_.begin);
    if (!op_.end.empty()) {
      if (op_.end <= op_.begin) return {first, first};
      return {first, rows.lower_bound(op_.end)};
    }
    const std::string_view space = op_.begin.substr(0, 1);
    if (op_.partition->is_system() || space == "\xff") return {first, rows.end()};
    return {first, rows.lower_bound(BehindPrefix(space))};
  }
  bool IsBefore(std::string_view left, std::string_view right) const {
    return op_.is_reverse ? right < left : left < right;
  }
  bool AddOwn() {
    const auto& [key, row] = *rows_[next_++];
    return !row.value || out_.Add(key, *row.value);
  }

  ScanOp& op_;
  ScanBuffer out_;
  std::vector<const Overlay::Rows::value_type*> rows_;
  size_t next_ = 0;
};

Task<void> Await(Completion& done) { co_await done; }

}  // namespace

void WaitFor(Completion& done) {
  if (!done.finished()) RunBlocking(Await(done));
}

const Overlay::Row* Overlay::Find(std::string_view key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? nullptr : &found->second;
}

void Overlay::Apply(const OrderedCommit& commit) {
  ForEachRow(commit, [&](std::string key, std::optional<std::string> value) {
    rows_.insert_or_assign(std::move(key), Row{std::move(value), commit.mark});
  });
}

void Overlay::Add(OrderedCommit commit) {
  commits_.push_back(std::move(commit));
  Apply(commits_.back());
}

void Overlay::RemoveFirst(size_t count) {
  for (; count > 0; --count) {
    ForEachRow(commits_.front(), [&](const std::string& key, const std::optional<std::string>&) {
      const auto found = rows_.find(key);
      if (found != rows_.end() && found->second.mark == commits_.front().mark) rows_.erase(found);
    });
    commits_.pop_front();
  }
}

void Overlay::Keep(size_t count) {
  while (commits_.size() > count) commits_.pop_back();
  rows_.clear();
  for (OrderedCommit& commit : commits_) {
    commit.doubt.reset();
    Apply(commit);
  }
}

void ReadOver(const Overlay* overlay, Engine& engine, const OpenPartition& inner, GetOp& op) {
  if (const Overlay::Row* row = overlay ? overlay->Find(op.key) : nullptr) {
    op.found = row->value.has_value();
    if (op.found) op.value = *row->value;
    return;
  }
  GetOp below;
  below.partition = &inner, below.key = op.key, below.at = op.at;
  engine.Get(below);
  WaitFor(below.done);
  op.status = std::move(below.status);
  op.found = below.found;
  op.value = std::move(below.value);
}

void ReadOver(const Overlay* overlay, Engine& engine, const OpenPartition& inner, MultiGetOp& op) {
  MultiGetOp below;
  below.partition = &inner, below.keys = op.keys, below.at = op.at;
  engine.MultiGet(below);
  WaitFor(below.done);
  op.status = std::move(below.status);
  op.entries = std::move(below.entries);
  op.entries.resize(op.keys.size());
  for (size_t i = 0; i < op.keys.size() && overlay; ++i) {
    if (const Overlay::Row* row = overlay->Find(op.keys[i]))
      op.entries[i] = {row->value.has_value(), row->value.value_or(std::string())};
  }
}

void ReadOver(const Overlay* overlay, Engine& engine, const OpenPartition& inner, ScanOp& op) {
  const Overlay none;
  Merge merge(overlay ? *overlay : none, op);
  std::string begin(op.begin), end(op.end);
  for (bool has_more = true, is_full = false; has_more && !is_full;) {
    ScanOp page;
    page.partition = &inner, page.begin = begin, page.end = end, page.is_reverse = op.is_reverse;
    page.limit_rows = op.limit_rows, page.limit_bytes = op.limit_bytes, page.at = op.at;
    engine.Scan(page);
    WaitFor(page.done);
    op.status = std::move(page.status);
    if (!op.status.ok()) break;
    for (size_t i = 0; i < page.rows.size() && !is_full; ++i)
      is_full = !merge.Add(page.rows[i].key, page.rows[i].value);
    // What the overlay deletes does not count: there may be rows to be had behind the page.
    has_more = page.has_more;
    if (!has_more && !is_full) merge.AddRest();
    if (!has_more || page.rows.empty()) break;
    const std::string_view last = page.rows.back().key;
    if (op.is_reverse && last.empty()) {
      if (!is_full) merge.AddRest();  // nothing lies below the empty key
      break;
    }
    (op.is_reverse ? end : begin).assign(last);
    if (!op.is_reverse) begin.push_back('\0');
  }
  merge.Finish();
}

}  // namespace armature::storage
