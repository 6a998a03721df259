// NarrowPartition: an open partition of the narrow engine, around the handle of the engine below.
//
// The two die apart: this one with a fault, the one below when the partition is really opened anew, ends or goes.
#pragma once

#include <memory>
#include <utility>

#include "storage/engine.h"

namespace armature::storage {

class NarrowPartition final : public OpenPartition {
 public:
  explicit NarrowPartition(std::shared_ptr<OpenPartition> inner)
      : OpenPartition(inner->info(), inner->newest(), inner->counts()), inner_(std::move(inner)) {}

  OpenPartition& inner() const { return *inner_; }

 private:
  const std::shared_ptr<OpenPartition> inner_;
};

inline OpenPartition& InnerOf(const OpenPartition& partition) {
  return static_cast<const NarrowPartition&>(partition).inner();
}

}  // namespace armature::storage
