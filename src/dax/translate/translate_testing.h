// For tests of this folder: the tables of the protocol's examples.
#pragma once

#include <memory>

#include "dax/codec/codec_testing.h"
#include "dax/table_schema.h"

namespace armature::dax {

// {Artist S, Song S}
inline TableSchemaPtr Music() {
  return std::make_shared<TableSchema>(
      TableSchema{.name = "Music", .parts = {{"Artist", model::Type::kS}, {"Song", model::Type::kS}}});
}
// {id N}
inline TableSchemaPtr Ids() {
  return std::make_shared<TableSchema>(TableSchema{.name = "Ids", .parts = {{"id", model::Type::kN}}});
}
// {sensor N, t N}
inline TableSchemaPtr Series() {
  return std::make_shared<TableSchema>(
      TableSchema{.name = "Series", .parts = {{"sensor", model::Type::kN}, {"t", model::Type::kN}}});
}

}  // namespace armature::dax
