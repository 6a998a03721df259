// For tests of this folder: bytes from hexadecimal and back, and the tables of the protocol's examples.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/codec/hex.h"
#include "dax/table_schema.h"

namespace armature::dax {

// Digits with blanks between them as one likes.
inline std::string Bytes(std::string_view hex) {
  std::string digits(hex);
  digits.erase(std::remove(digits.begin(), digits.end(), ' '), digits.end());
  return FromHex(digits).value();
}

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
