#include "expr/path.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "model/messages/expressions.h"

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

bool Overlap(Path a, Path b, size_t common) { return common == std::min(a.size(), b.size()); }

bool Conflict(Path a, Path b, size_t i) { return i < a.size() && i < b.size() && a[i].is_index != b[i].is_index; }

// Every name of a path by its place among all names, so that comparing two does not depend on how long they are: each
// path is compared with each.
std::vector<std::vector<uint64_t>> NumberNames(std::span<const Path> paths) {
  constexpr uint64_t kIndex = uint64_t{1} << 63;
  std::vector<std::string_view> names;
  for (const Path path : paths)
    for (const PathElement& element : path)
      if (!element.is_index) names.push_back(element.name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::vector<uint64_t>> numbered(paths.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    for (const PathElement& element : paths[i]) {
      const auto place = element.is_index ? 0 : std::ranges::lower_bound(names, element.name) - names.begin();
      numbered[i].push_back(element.is_index ? kIndex | element.index : static_cast<uint64_t>(place));
    }
  }
  return numbered;
}

// The first pair, in the order of the text, for which `test` holds. It is told up to where the two agree.
std::optional<std::string> FirstPair(std::span<const Path> paths, bool (*test)(Path, Path, size_t),
                                     std::string_view text) {
  const auto numbered = NumberNames(paths);
  const auto agree = [&](size_t a, size_t b) {
    return static_cast<size_t>(std::ranges::mismatch(numbered[a], numbered[b]).in1 - numbered[a].begin());
  };
  for (size_t second = 1; second < paths.size(); ++second)
    for (size_t first = 0; first < second; ++first)
      if (test(paths[first], paths[second], agree(first, second)))
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
  const auto bad = [](Path a, Path b) {
    const size_t common = CommonPrefix(a, b);
    return Overlap(a, b, common) || Conflict(a, b, common);
  };
  if (std::ranges::adjacent_find(sorted, bad) == sorted.end()) return std::nullopt;
  if (auto error = FirstPair(paths, Overlap, model::messages::kPathsOverlap)) return error;
  return FirstPair(paths, Conflict, model::messages::kPathsConflict);
}

}  // namespace armature::expr
