#include "table/table_list.h"

#include <utility>

#include "model/names/names.h"

namespace armature::table {
namespace {

// Look-ups happen on every request: the key is built in a buffer that is reused.
std::string_view LookupKey(TableScope scope, std::string_view name) {
  thread_local std::string buffer;
  buffer.clear();
  AppendCatalogKey(scope.account, scope.region, name, buffer);
  return buffer;
}

}  // namespace

std::shared_ptr<Table> TableList::Find(TableScope scope, std::string_view name) const {
  const std::string_view key = LookupKey(scope, name);
  ReadLock lock(mutex_);
  const auto it = tables_.find(key);
  return it == tables_.end() ? nullptr : it->second;
}

std::vector<std::string> TableList::Names(TableScope scope, std::string_view exclusive_start, size_t limit,
                                          int64_t now_millis, bool* has_more) const {
  const std::string prefix = CatalogKey(scope.account, scope.region, "");
  std::vector<std::string> names;
  *has_more = false;
  ReadLock lock(mutex_);
  const std::string after = prefix + std::string(exclusive_start);
  auto table = tables_.upper_bound(after);
  auto aside = set_aside_.upper_bound(after);
  const auto is_in_scope = [&](const auto& map, const auto& it) {
    return it != map.end() && it->first.starts_with(prefix);
  };
  for (;;) {
    const bool has_table = is_in_scope(tables_, table), has_aside = is_in_scope(set_aside_, aside);
    if (!has_table && !has_aside) break;
    const bool takes_table = has_table && (!has_aside || table->first < aside->first);
    const std::string_view name = std::string_view(takes_table ? table->first : aside->first).substr(prefix.size());
    // A damaged key may hold anything.
    const bool is_shown = takes_table ? !table->second->def()->IsGoneAt(now_millis) : model::IsTableName(name);
    if (is_shown && names.size() == limit) {
      *has_more = true;
      break;
    }
    if (is_shown) names.emplace_back(name);
    if (takes_table) ++table;
    else ++aside;
  }
  return names;
}

std::vector<std::shared_ptr<Table>> TableList::All() const {
  std::vector<std::shared_ptr<Table>> all;
  ReadLock lock(mutex_);
  all.reserve(tables_.size());
  for (const auto& [key, table] : tables_) all.push_back(table);
  return all;
}

std::vector<std::shared_ptr<Table>> TableList::Deleted() const {
  ReadLock lock(mutex_);
  return deleted_;
}

// --- changes

void TableList::Add(std::shared_ptr<Table> table) {
  const auto def = table->def();
  WriteLock lock(mutex_);
  tables_[CatalogKeyOf(*def)] = std::move(table);
}

void TableList::Take(Tables& ready) {
  WriteLock lock(mutex_);
  tables_.merge(ready);
}

void TableList::Remove(const std::string& key) {
  WriteLock lock(mutex_);
  tables_.erase(key);
}

void TableList::AddDeleted(std::shared_ptr<Table> table) {
  WriteLock lock(mutex_);
  deleted_.push_back(std::move(table));
}

void TableList::MakeRoomToBury() {
  WriteLock lock(mutex_);
  deleted_.reserve(deleted_.size() + 1);
}

void TableList::Bury(const std::string& key, std::shared_ptr<Table> table) {
  WriteLock lock(mutex_);
  tables_.erase(key);
  deleted_.push_back(std::move(table));
}

void TableList::ForgetDeleted(const std::shared_ptr<Table>& table) {
  WriteLock lock(mutex_);
  std::erase(deleted_, table);
}

// --- tables that cannot be read

void TableList::SetAside(std::string key, std::string_view why) {
  WriteLock lock(mutex_);
  set_aside_.emplace(std::move(key), why);
}

std::string TableList::TakeOut(const std::shared_ptr<Table>& table) {
  const auto def = table->def();
  std::string key = CatalogKeyOf(*def);
  WriteLock lock(mutex_);
  if (std::erase(deleted_, table) > 0) return DeletedTableKey(def->id);
  tables_.erase(key);
  return key;
}

std::optional<std::string> TableList::WhySetAside(TableScope scope, std::string_view name) const {
  const std::string_view key = LookupKey(scope, name);
  ReadLock lock(mutex_);
  const auto found = set_aside_.find(key);
  return found == set_aside_.end() ? std::nullopt : std::optional(found->second);
}

bool TableList::has_set_aside() const {
  ReadLock lock(mutex_);
  return !set_aside_.empty();
}

}  // namespace armature::table
