// ListRecords: DAX's attribute lists among the house's own records, so that they are as safe, and as secret, as items.
//
// One record a list, under its place among all of them. Called by one caller at a time, on a thread that may wait.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "dax/attributes/attribute_list_store.h"
#include "storage/engine.h"

namespace armature::server {

class ListRecords final : public dax::AttributeListStore {
 public:
  // It must outlive the store.
  explicit ListRecords(storage::Engine& engine) : engine_(engine) {}

  Result<std::vector<dax::AttributeNames>> Load() override;
  Status Append(std::span<const std::shared_ptr<const dax::AttributeNames>> lists) override;

 private:
  storage::Engine& engine_;
  uint64_t next_place_ = 0;
};

}  // namespace armature::server
