#include "expr/apply/projection.h"

namespace armature::expr {
namespace {

using model::MapEntry;
using model::Type;
using model::Value;

class Projector {
 public:
  explicit Projector(Arena& arena) : arena_(arena) {}

  // `paths` agree up to `depth` and have names there.
  std::span<const MapEntry> Map(model::Item entries, std::span<const Path> paths, size_t depth) {
    std::span<MapEntry> out = arena_.NewArray<MapEntry>(paths.size());
    size_t count = 0;
    ForEachElement(paths, depth, [&](const PathElement& element, std::span<const Path> below) {
      const Value* value = model::FindAttribute(entries, element.name);
      if (value != nullptr && Below(*value, below, depth + 1, &out[count].value)) out[count++].name = element.name;
    });
    return out.first(count);
  }

 private:
  // Calls `visit` for each different element at `depth`, with the paths that have it.
  template <class Visit>
  void ForEachElement(std::span<const Path> paths, size_t depth, Visit visit) {
    for (size_t begin = 0, end; begin < paths.size(); begin = end) {
      const PathElement& element = paths[begin][depth];
      for (end = begin + 1; end < paths.size() && paths[end][depth] == element;) ++end;
      visit(element, paths.subspan(begin, end - begin));
    }
  }

  // False when nothing of the value is wanted.
  bool Below(const Value& value, std::span<const Path> paths, size_t depth, Value* out) {
    if (paths[0].size() == depth) {
      *out = value;
      return true;
    }
    if (paths[0][depth].is_index) {
      if (!value.is(Type::kL)) return false;
      const auto elements = List(value.list(), paths, depth);
      *out = Value::List(elements);
      return !elements.empty();
    }
    if (!value.is(Type::kM)) return false;
    const auto entries = Map(value.map(), paths, depth);
    *out = Value::Map(entries);
    return !entries.empty();
  }

  std::span<const Value> List(std::span<const Value> elements, std::span<const Path> paths, size_t depth) {
    std::span<Value> out = arena_.NewArray<Value>(paths.size());
    size_t count = 0;
    ForEachElement(paths, depth, [&](const PathElement& element, std::span<const Path> below) {
      if (element.index < elements.size() && Below(elements[element.index], below, depth + 1, &out[count])) ++count;
    });
    return out.first(count);
  }

  Arena& arena_;
};

}  // namespace

model::Item Project(const BoundProjection& projection, model::Item item, Arena& arena) {
  return Projector(arena).Map(item, projection.paths, 0);
}

}  // namespace armature::expr
