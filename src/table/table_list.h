// TableList: the tables there are, by name, in memory; beside them those deleted but not forgotten, and those set
// aside.
//
// Look-ups are shared-locked and cheap; they happen on every request. What is stored, and in which order tables come
// and go, is the Catalog's business, which owns this. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_mutex.h"
#include "model/table_def.h"
#include "table/keys/key_layout.h"
#include "table/table.h"

namespace armature::table {

struct TableScope {
  std::string_view account;
  std::string_view region;
};

// The key of a table's record, by which it is listed too.
inline std::string CatalogKeyOf(const model::TableDef& def) { return CatalogKey(def.account, def.region, def.name); }

class TableList {
 public:
  // By CatalogKey, in order for ListTables.
  using Tables = std::map<std::string, std::shared_ptr<Table>, std::less<>>;

  // Null if there is none.
  std::shared_ptr<Table> Find(TableScope scope, std::string_view name) const;
  // As Catalog::ListNames, of those not gone at `now_millis`.
  std::vector<std::string> Names(TableScope scope, std::string_view exclusive_start, size_t limit, int64_t now_millis,
                                 bool* has_more) const;
  std::vector<std::shared_ptr<Table>> All() const;
  std::vector<std::shared_ptr<Table>> Deleted() const;

  void Add(std::shared_ptr<Table> table);
  // Takes over what was made ready before, without a need for memory.
  void Take(Tables& ready);
  void Remove(const std::string& key);
  void AddDeleted(std::shared_ptr<Table> table);
  // The next Bury needs no memory.
  void MakeRoomToBury();
  // A table goes from among the others to the deleted ones.
  void Bury(const std::string& key, std::shared_ptr<Table> table);
  void ForgetDeleted(const std::shared_ptr<Table>& table);

  // Of tables that cannot be read: they are known by the key of their record. A table of the list leaves it; the key of
  // its record is returned.
  void SetAside(std::string key, std::string_view why);
  std::string TakeOut(const std::shared_ptr<Table>& table);
  std::optional<std::string> WhySetAside(TableScope scope, std::string_view name) const;
  bool has_set_aside() const;

 private:
  mutable SharedMutex mutex_;
  Tables tables_ ARMATURE_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Table>> deleted_ ARMATURE_GUARDED_BY(mutex_);
  // What was set aside, by the key of its record, and why.
  std::map<std::string, std::string, std::less<>> set_aside_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::table
