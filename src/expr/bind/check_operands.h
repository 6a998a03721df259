// The checks of a bound condition's operands that need no item: operands that must differ, and constants of a wrong
// type.
//
// Shared by everything that binds conditions (expressions here, PartiQL above). Pure.
#pragma once

#include <optional>
#include <string>

#include "expr/bound.h"

namespace armature::expr {

// The type an operand has whatever the item is.
std::optional<model::Type> StaticType(const Operand& operand);

// What is wrong with the operands of a comparison, BETWEEN, IN, begins_with or contains, without the "Invalid
// …Expression: " in front; empty if nothing is.
std::string CheckOperands(const ConditionNode& node);

// A constant as messages show it: "{N:1}", "{S:abc}"; binary in base64. REQUIRES: S, N or B.
std::string FormatScalar(const model::Value& value);

}  // namespace armature::expr
