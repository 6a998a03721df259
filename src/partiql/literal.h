// Turns the constants of a statement into values: numbers, lists, maps and sets.
//
// Works on the tree in place, once, when the statement is parsed. Pure; internal to partiql/.
#pragma once

#include <optional>
#include <string>

#include "base/memory/arena.h"
#include "partiql/ast.h"

namespace armature::partiql {

// The first thing that is wrong with a constant of the statement, if any. Afterwards the tree has no kNumber, and
// collections only where IN compares with one.
std::optional<std::string> FoldLiterals(const Body& body, Arena& arena);

}  // namespace armature::partiql
