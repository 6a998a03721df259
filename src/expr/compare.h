// What evaluation and the checks of constants share: order of scalars, and size(). For expr/, partiql/ and api/partiql.
#pragma once

#include <cassert>
#include <compare>
#include <optional>
#include <string_view>

#include "model/value.h"

namespace armature::expr {

// S, N and B have an order.
inline bool IsOrdered(model::Type type) {
  return type == model::Type::kS || type == model::Type::kN || type == model::Type::kB;
}

// REQUIRES: both are of the same ordered type. Strings and binary by unsigned bytes, numbers by value.
inline std::strong_ordering CompareOrdered(const model::Value& a, const model::Value& b) {
  assert(a.type() == b.type() && IsOrdered(a.type()));
  if (a.is(model::Type::kN)) return a.number() <=> b.number();
  return a.str() <=> b.str();
}

// What size() gives, or nothing for types that have none (N, BOOL, NULL).
std::optional<int64_t> SizeOf(const model::Value& value);

}  // namespace armature::expr
