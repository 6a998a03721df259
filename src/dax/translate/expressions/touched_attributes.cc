#include "dax/translate/expressions/touched_attributes.h"

#include <algorithm>
#include <vector>

#include "dax/translate/expressions/expression_tree.h"

namespace armature::dax {

bool TouchesWholeAttributes(std::string_view update, Arena& arena) {
  const auto tree = ReadUpdate(update, arena);
  return tree && std::all_of(tree->actions.begin(), tree->actions.end(),
                             [](const ExpressionNode* action) { return action->arguments[0]->path.size() == 1; });
}

model::Item TouchedAttributes(model::Item item, std::string_view update, Arena& arena) {
  const auto tree = ReadUpdate(update, arena);
  if (!tree) return {};
  std::vector<model::MapEntry> touched;
  for (const model::MapEntry& entry : item) {
    const bool is_named = std::any_of(tree->actions.begin(), tree->actions.end(), [&](const ExpressionNode* action) {
      const DocumentPath path = action->arguments[0]->path;
      return !path.empty() && path[0].name == entry.name;
    });
    if (is_named) touched.push_back(entry);
  }
  return arena.Copy(touched);
}

}  // namespace armature::dax
