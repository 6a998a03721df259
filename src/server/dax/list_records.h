// ListRecords: DAX's attribute lists among the house's own records, so that they are as safe, and as secret, as items.
//
// One record a list, under its place among all of them. Those from before lists belonged to accounts are the server's
// own account's. Called by one caller at a time, on a thread that may wait.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "dax/attributes/attribute_list_store.h"
#include "storage/engine.h"

namespace armature::server {

class ListRecords final : public dax::AttributeListStore {
 public:
  // The engine must outlive the store.
  ListRecords(storage::Engine& engine, std::string own_account)
      : engine_(engine), own_account_(std::move(own_account)) {}

  Result<std::vector<dax::AttributeList>> Load() override;
  Status Append(std::span<const std::shared_ptr<const dax::AttributeList>> lists) override;

 private:
  storage::Engine& engine_;
  const std::string own_account_;
  uint64_t next_place_ = 0;
};

}  // namespace armature::server
