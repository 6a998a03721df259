#include "expr/path.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/messages.h"

namespace armature::expr {
namespace {

bool ElementLess(const PathElement& a, const PathElement& b) {
  if (a.is_index != b.is_index) return a.is_index;
  return a.is_index ? a.index < b.index : a.name < b.name;
}

size_t CommonPrefix(Path a, Path b) {
  size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return i;
}

bool Overlap(Path a, Path b) { return CommonPrefix(a, b) == std::min(a.size(), b.size()); }

bool Conflict(Path a, Path b) {
  const size_t i = CommonPrefix(a, b);
  return i < a.size() && i < b.size() && a[i].is_index != b[i].is_index;
}

// The first pair, in the order of the text, for which `test` holds.
std::optional<std::string> FirstPair(std::span<const Path> paths, bool (*test)(Path, Path), std::string_view text) {
  for (size_t second = 1; second < paths.size(); ++second)
    for (size_t first = 0; first < second; ++first)
      if (test(paths[first], paths[second]))
        return fmt::format(fmt::runtime(text), FormatPath(paths[first]), FormatPath(paths[second]));
  return std::nullopt;
}

}  // namespace

std::string FormatPath(Path path) {
  std::string out = "[";
  for (const PathElement& element : path) {
    if (out.size() > 1) out += ", ";
    if (element.is_index) fmt::format_to(std::back_inserter(out), "[{}]", element.index);
    else out += element.name;
  }
  return out += "]";
}

bool SamePath(Path a, Path b) { return std::ranges::equal(a, b); }

bool PathLess(Path a, Path b) {
  const size_t i = CommonPrefix(a, b);
  if (i == a.size() || i == b.size()) return a.size() < b.size();
  return ElementLess(a[i], b[i]);
}

const model::Value* FindPath(model::Item item, Path path) {
  const model::Value* value = model::FindAttribute(item, path[0].name);
  for (size_t i = 1; value != nullptr && i < path.size(); ++i) {
    if (path[i].is_index) {
      const bool there = value->is(model::Type::kL) && path[i].index < value->list().size();
      value = there ? &value->list()[path[i].index] : nullptr;
    } else {
      value = value->is(model::Type::kM) ? value->Find(path[i].name) : nullptr;
    }
  }
  return value;
}

std::optional<std::string> CheckPathsDisjoint(std::span<const Path> paths, Arena& arena) {
  if (paths.size() < 2) return std::nullopt;
  // Sorted, a bad pair has neighbours that are bad too, which makes the good case cheap for long expressions.
  std::span<Path> sorted = arena.NewArray<Path>(paths.size());
  std::ranges::copy(paths, sorted.begin());
  std::ranges::sort(sorted, PathLess);
  const auto bad = [](Path a, Path b) { return Overlap(a, b) || Conflict(a, b); };
  if (std::ranges::adjacent_find(sorted, bad) == sorted.end()) return std::nullopt;
  if (auto error = FirstPair(paths, Overlap, model::messages::kPathsOverlap)) return error;
  return FirstPair(paths, Conflict, model::messages::kPathsConflict);
}

}  // namespace armature::expr
