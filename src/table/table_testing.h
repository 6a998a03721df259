// What the tests of table/ share: the layer of catalogue and paths over an engine, and writes in one line.
//
// Items, keys and values are written as in expr/expr_testing.h; executors to run on are in
// base/testing/executor_testing.h.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/memory/arena.h"
#include "base/metrics.h"
#include "base/testing/executor_testing.h"
#include "expr/bind/expression_set.h"
#include "expr/expr_testing.h"
#include "storage/faulty/faulty_engine.h"
#include "table/catalog.h"
#include "table/read/read_path.h"
#include "table/write/write_path.h"

namespace armature::table {

// Table `name` of account 1, Region r, with a string partition key pk and, if asked for, a number sort key sk.
model::TableDef MakeTableDef(std::string_view name, bool has_sort_key = false);
// With sort key, a global index "by_g" on g, and a local one "by_l" on l behind it.
model::TableDef MakeIndexedTableDef(std::string_view name);
inline constexpr TableScope kScope{"1", "r"};

// One write with all that it points to. Used once, like an ItemWrite.
class TestWrite {
 public:
  using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  TestWrite(const TestWrite&) = delete;
  TestWrite& operator=(const TestWrite&) = delete;

  static std::unique_ptr<TestWrite> Put(Table& table, std::string_view item, std::string_view condition = {},
                                        Values values = {});
  static std::unique_ptr<TestWrite> Update(Table& table, std::string_view key, std::string_view update,
                                           std::string_view condition = {}, Values values = {});
  static std::unique_ptr<TestWrite> Delete(Table& table, std::string_view key, std::string_view condition = {},
                                           Values values = {});

  // "ok", "condition", or the error's name.
  Task<std::string> Execute(WritePath& writes);
  // The same, left in `outcome` at the end.
  Task<void> ExecuteInto(WritePath& writes, std::string& outcome);

  ItemWrite& write() { return write_; }
  std::string old_item() const { return write_.old_exists ? expr::Show(write_.old_item) : "(none)"; }
  std::string new_item() const { return write_.new_exists ? expr::Show(write_.new_item) : "(none)"; }
  const std::string& message() const { return message_; }

 private:
  TestWrite(Table& table, ItemWrite::Kind kind, std::string_view key_or_item, std::string_view update,
            std::string_view condition, Values values);

  Arena arena_;
  std::vector<expr::ValueBinding> values_;
  std::unique_ptr<expr::ExpressionSet> expressions_;
  ItemWrite write_;
  std::string message_;
};

// Several writes as one transaction or batch. Used once.
class TestWrites {
 public:
  void Add(std::unique_ptr<TestWrite> write) { parts_.push_back(std::move(write)); }
  void AddCheck(Table& table, std::string_view key, std::string_view condition, TestWrite::Values values = {}) {
    Add(TestWrite::Delete(table, key, condition, values));
    parts_.back()->write().kind = ItemWrite::Kind::kCheck;
  }

  // "ok", "cancelled", or the error's name.
  Task<std::string> ExecuteTransaction(WritePath& writes) {
    MakeWrites();
    const auto done = co_await writes.ExecuteTransaction(all(), nullptr, arena_);
    if (!done) co_return done.error().name;
    co_return std::string(*done ? "ok" : "cancelled");
  }
  Task<std::string> ExecuteBatch(WritePath& writes) {
    MakeWrites();
    const auto done = co_await writes.ExecuteBatch(all(), arena_);
    co_return done ? std::string("ok") : done.error().name;
  }

  // What is found, all as of one moment: "(none)" or the item, one behind the other; "conflict", or the error's name.
  Task<std::string> ReadTogether(WritePath& writes) {
    MakeWrites();
    const auto done = co_await writes.ReadTogether(all(), arena_);
    if (!done) co_return done.error().name;
    std::string found;
    for (size_t i = 0; i < parts_.size(); ++i) found += (i == 0 ? "" : " ") + old_item(i);
    co_return *done ? found : std::string("conflict");
  }

  std::span<ItemWrite> all() { return {writes_.get(), parts_.size()}; }
  std::string old_item(size_t i) const { return writes_[i].old_exists ? expr::Show(writes_[i].old_item) : "(none)"; }

 private:
  void MakeWrites() {
    writes_ = std::make_unique<ItemWrite[]>(parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      const ItemWrite& from = parts_[i]->write();
      writes_[i].kind = from.kind;
      writes_[i].table = from.table;
      writes_[i].key = from.key;
      writes_[i].put_item = from.put_item;
      writes_[i].put_item_size = from.put_item_size;
      writes_[i].update = from.update;
      writes_[i].condition = from.condition;
      writes_[i].wants_old_image = true;
    }
  }

  Arena arena_;
  std::vector<std::unique_ptr<TestWrite>> parts_;
  std::unique_ptr<ItemWrite[]> writes_;
};

// The item as a reader sees it, "(none)", or the error's name.
Task<std::string> ReadItemAsync(const ReadPath& reads, Table& table, std::string_view key);
inline std::string ReadItem(const ReadPath& reads, Table& table, std::string_view key) {
  return RunBlocking(ReadItemAsync(reads, table, key));
}

// A catalogue and the two paths over an engine: what a process has. Reborn after a crash of the engine.
struct TableLayer {
  TableLayer(storage::Engine& engine, const Clock& clock, int64_t control_plane_delay_millis = 0,
             WriteOptions options = {}, const ThrottleRules& throttling = {})
      : catalog(engine, clock, control_plane_delay_millis, throttling),
        writes(engine, clock, std::move(options)),
        reads(engine) {}

  std::shared_ptr<Table> CreateTable(std::string_view name, bool has_sort_key = false);

  Catalog catalog;
  WritePath writes;
  ReadPath reads;
};

}  // namespace armature::table
