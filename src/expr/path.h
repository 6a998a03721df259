// Document paths with their aliases already resolved: `a.#b[3]` as the elements a, b and [3].
//
// Plain data in the request's memory (an element's name points into the expression's text or the request). The order
// defined here puts all paths below one prefix side by side, indexes before names, which update and projection rely
// on. Pure functions; used by expr/ and partiql/ and, for the accessors of bound expressions, by table/ and api/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "model/api_error.h"
#include "model/value.h"

namespace armature::expr {

struct PathElement {
  std::string_view name{};  // empty for an index
  uint32_t index = 0;
  bool is_index = false;

  bool operator==(const PathElement& other) const = default;
};

// The first element is always a name.
using Path = std::span<const PathElement>;

// An expression's limit, and that of a document.
inline constexpr size_t kMaxPathElements = 32;

// "[a, b, [1]]", as AWS prints paths.
std::string FormatPath(Path path);

bool SamePath(Path a, Path b);
// Indexes before names, a prefix before what it leads to.
bool PathLess(Path a, Path b);

// The value a path leads to in an item, or null.
const model::Value* FindPath(model::Item item, Path path);

// The error for two paths of one expression of which one contains the other (overlap) or which use one prefix both as
// a map and as a list (conflict). The text is without the "Invalid …Expression: " prefix. Overlaps come first.
std::optional<std::string> CheckPathsDisjoint(std::span<const Path> paths, Arena& arena);

}  // namespace armature::expr
