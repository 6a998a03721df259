// StoreAudit: whether everything that is stored agrees with itself, and with what the process remembers of it.
//
// Definitions and journal states are stored as they are in use; partitions are those of the tables; index rows, expiry
// rows, collection sizes and counts are those of the items; what the write path remembers of an item is what is
// stored; nothing of what an engine without commits to several partitions has half done is left; and a replica made of
// the journal is the table. For the tests of faults. REQUIRES: nobody writes meanwhile.
#pragma once

#include <map>
#include <string>

#include "api/faults/fault_house.h"

namespace armature::api {

class StoreAudit {
 public:
  explicit StoreAudit(FaultHouse& house) : house_(house) {}

  // The first thing that is wrong; empty: nothing is.
  std::string Run();

 private:
  using Rows = std::map<std::string, std::string>;
  // What a table's items say that should be stored, and counted.
  struct Derived {
    Rows rows;
    std::map<std::string, storage::RowCount> counts;  // by index; "" is the table
  };

  void LookAgain();
  Rows ReadRows(const storage::OpenPartition& partition, const storage::KeyRange& range);
  std::string CheckDefinitions();
  std::string CheckPartitions();
  std::string CheckHalfDone();
  std::string CheckTable(table::Table& table);
  std::string CheckImages(table::Table& table, const Rows& items);
  std::string CheckJournal(table::Table& table, const Rows& items);
  static std::string CheckCounts(table::Table& table, const Derived& derived);
  // Problem, or empty.
  static std::string Derive(table::Table& table, const Rows& items, Derived& derived);

  FaultHouse& house_;
};

}  // namespace armature::api
