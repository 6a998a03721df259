#include "expr/bind/binder.h"

#include <algorithm>

#include "model/messages/expressions.h"

namespace armature::expr {

Path Binder::BindPath(const Node& path_node) {
  std::span<PathElement> elements = arena().NewArray<PathElement>(path_node.count);
  for (uint32_t i = 0; i < path_node.count; ++i) {
    const PathPart& part = parsed_.parts[path_node.first + i];
    if (part.kind == PathPart::Kind::kIndex) {
      elements[i] = {.index = part.index, .is_index = true};
      continue;
    }
    elements[i].name = part.text.In(source_);
    if (part.kind == PathPart::Kind::kName) continue;
    const std::string_view* name = set_.UseName(elements[i].name);
    if (name == nullptr) {
      Fail(model::messages::kUndefinedName, elements[i].name);
      return {};
    }
    elements[i].name = *name;
  }
  return paths_[bound_paths_++] = elements;
}

const model::Value* Binder::BindValue(const Node& value_node) {
  const model::Value* value = FindValue(value_node);
  if (value == nullptr) Fail(model::messages::kUndefinedValue, Text(value_node));
  return value;
}

const BoundProjection* BindProjection(Binder& binder) {
  for (NodeIndex index : binder.parsed().paths)
    if (binder.BindPath(binder.node(index)).empty()) return nullptr;
  if (auto error = CheckPathsDisjoint(binder.paths(), binder.arena())) return binder.Fail("{}", *error);
  std::span<Path> sorted = binder.arena().NewArray<Path>(binder.paths().size());
  std::ranges::copy(binder.paths(), sorted.begin());
  std::ranges::sort(sorted, PathLess);
  return binder.arena().New<BoundProjection>(sorted);
}

}  // namespace armature::expr
