#include "server/dax/cluster_records.h"

#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::server {

Task<Result<dax::control::ClusterStore::Records>> ClusterRecords::ReadAll() {
  const storage::KeyRange range = table::DaxControlRange();
  storage::ScanOp scan;
  if (Status status = co_await table::ReadSystemRecords(engine_, range, scan); !status.ok()) co_return status;
  Records records;
  for (const auto& row : scan.rows) records.emplace(row.key.substr(range.begin.size()), row.value);
  co_return records;
}

Task<Status> ClusterRecords::Write(const Changes& changes) {
  storage::Batch batch;
  for (const auto& [key, record] : changes) {
    if (record) batch.Put(table::DaxControlKey(key), *record);
    else batch.Delete(table::DaxControlKey(key));
  }
  co_return co_await table::WriteSystemRecordsDurably(engine_, batch);
}

}  // namespace armature::server
