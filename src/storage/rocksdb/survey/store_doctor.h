// StoreDoctor: looks at a store that no server has open, down to every block of its table files, without changing
// anything; reads what can be read of it; and, when asked to, makes it open at its last good point.
//
// Holds the directory's lock while it lives, so that no server starts meanwhile. Used by `armature doctor`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"
#include "storage/rocksdb/survey/store_survey.h"

namespace rocksdb {
class DB;
class Env;
class FileSystem;
}  // namespace rocksdb

namespace armature::storage {

class DataKeys;

class StoreDoctor {
 public:
  // kNotFound or kFormat when there is no store, or it is encrypted and there are no keys; kLocked when a server has
  // it.
  static Result<std::unique_ptr<StoreDoctor>> Open(const std::string& data_directory,
                                                   std::shared_ptr<DataKeys> keys = nullptr);
  ~StoreDoctor();
  StoreDoctor(const StoreDoctor&) = delete;
  StoreDoctor& operator=(const StoreDoctor&) = delete;

  const StoreSurvey& survey() const { return survey_; }
  // Checks every block of every table file; adds to the survey's damage what it finds.
  void CheckTables();

  // Rows of the partition in [range.begin, range.end) at the last good point, until `row` returns false. An error of
  // opening or of a block.
  using Row = std::function<bool(std::string_view key, std::string_view value)>;
  Status Read(const PartitionInfo& partition, const KeyRange& range, const Row& row);

  // Whether a server would refuse the store. Bad blocks of a table file are no reason.
  bool IsRefused() const { return is_refused_; }
  // Why Repair would not help; empty when it would.
  std::string WhyNotRepairable() const;
  // Puts copies of what will change into a directory of their own below the data directory, then cuts the store to its
  // last good point. The name of that directory.
  Result<std::string> Repair();

 private:
  StoreDoctor(std::string data_directory, int lock, std::shared_ptr<DataKeys> keys);
  Status Survey();
  Status OpenForReading();

  const std::string directory_;
  const int lock_;
  const std::shared_ptr<rocksdb::FileSystem> files_;  // as they are without encryption
  StoreSurvey survey_;
  bool is_refused_ = false;
  bool lacks_tables_ = false;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;  // only when something was read
};

}  // namespace armature::storage
