#include "table/table_testing.h"

#include <cstdio>
#include <cstdlib>

#include "model/codec/item_codec.h"
#include "model/item_size.h"

namespace armature::table {

// --- tables and writes

model::TableDef MakeTableDef(std::string_view name, bool has_sort_key) {
  model::TableDef def;
  def.account = kScope.account;
  def.region = kScope.region;
  def.name = name;
  def.uuid = "00000000-0000-4000-8000-000000000000";
  def.key_schema.hash = {{"pk", model::Type::kS}};
  def.attribute_definitions = {{"pk", model::Type::kS}};
  if (has_sort_key) {
    def.key_schema.range = {{"sk", model::Type::kN}};
    def.attribute_definitions.push_back({"sk", model::Type::kN});
  }
  return def;
}

model::TableDef MakeIndexedTableDef(std::string_view name) {
  model::TableDef def = MakeTableDef(name, /*has_sort_key=*/true);
  def.attribute_definitions.push_back({"g", model::Type::kS});
  def.attribute_definitions.push_back({"l", model::Type::kS});
  model::IndexDef global;
  global.name = "by_g";
  global.id = def.next_index_id++;
  global.key_schema = {{{"g", model::Type::kS}}, {}};
  def.indexes.push_back(global);
  model::IndexDef local;
  local.kind = model::IndexKind::kLocal;
  local.name = "by_l";
  local.id = def.next_index_id++;
  local.key_schema = {{{"pk", model::Type::kS}}, {{"l", model::Type::kS}}};
  def.indexes.push_back(local);
  return def;
}

std::shared_ptr<Table> TableLayer::CreateTable(std::string_view name, bool has_sort_key) {
  auto created = RunBlocking(catalog.Create(MakeTableDef(name, has_sort_key)));
  return created ? *created : nullptr;
}

namespace {
[[noreturn]] void Die(std::string_view text) {
  std::fprintf(stderr, "bad test expression: %.*s\n", static_cast<int>(text.size()), text.data());
  std::abort();
}
}  // namespace

TestWrite::TestWrite(Table& table, ItemWrite::Kind kind, std::string_view key_or_item, std::string_view update,
                     std::string_view condition, Values values) {
  for (const auto& [ref, value] : values) values_.push_back({ref, expr::V(arena_, value)});
  std::optional<std::span<const expr::ValueBinding>> bindings;
  if (!values_.empty()) bindings = values_;
  expressions_ = std::make_unique<expr::ExpressionSet>(arena_, std::nullopt, bindings);

  const model::Item item = expr::MakeItem(arena_, key_or_item);
  std::vector<model::MapEntry> key;
  for (const auto& entry : item)
    if (table.key_schema().Find(entry.name)) key.push_back(entry);
  write_.kind = kind;
  write_.table = &table;
  write_.key = arena_.Copy(key);
  write_.wants_old_image = true;
  if (kind == ItemWrite::Kind::kPut) {
    write_.put_item = item;
    write_.put_item_size = model::ItemSize(item);
  }
  if (kind == ItemWrite::Kind::kUpdate) {
    const auto bound = expressions_->AddUpdate(arena_.Copy(update));
    if (!bound) Die(bound.error().message);
    write_.update = *bound;
  }
  if (!condition.empty()) {
    const auto bound = expressions_->AddCondition(expr::ExpressionKind::kCondition, arena_.Copy(condition));
    if (!bound) Die(bound.error().message);
    write_.condition = *bound;
  }
}

std::unique_ptr<TestWrite> TestWrite::Put(Table& table, std::string_view item, std::string_view condition,
                                          Values values) {
  return std::unique_ptr<TestWrite>(new TestWrite(table, ItemWrite::Kind::kPut, item, {}, condition, values));
}

std::unique_ptr<TestWrite> TestWrite::Update(Table& table, std::string_view key, std::string_view update,
                                             std::string_view condition, Values values) {
  return std::unique_ptr<TestWrite>(new TestWrite(table, ItemWrite::Kind::kUpdate, key, update, condition, values));
}

std::unique_ptr<TestWrite> TestWrite::Delete(Table& table, std::string_view key, std::string_view condition,
                                             Values values) {
  return std::unique_ptr<TestWrite>(new TestWrite(table, ItemWrite::Kind::kDelete, key, {}, condition, values));
}

Task<std::string> TestWrite::Execute(WritePath& writes) {
  const auto done = co_await writes.Execute(write_, arena_);
  if (!done) {
    message_ = done.error().message;
    co_return done.error().name;
  }
  co_return std::string(write_.condition_held ? "ok" : "condition");
}

Task<void> TestWrite::ExecuteInto(WritePath& writes, std::string& outcome) { outcome = co_await Execute(writes); }

Task<std::string> ReadItemAsync(const ReadPath& reads, Table& table, std::string_view key) {
  Arena arena;
  ItemRead read;
  read.table = &table;
  read.key = expr::MakeItem(arena, key);
  const auto done = co_await reads.Get(read);
  if (!done) co_return done.error().name;
  if (!read.found) co_return std::string("(none)");
  const auto decoded = model::DecodeItem(read.record(), arena);
  if (!decoded) co_return std::string(StatusCodeName(decoded.error().code()));
  co_return expr::Show(decoded->item);
}

}  // namespace armature::table
