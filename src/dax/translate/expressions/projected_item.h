// ProjectedItem: what a projection found, as DAX tells it: by the ordinal of its path instead of by name.
//
// DynamoDB answers with a smaller item; clients want each path's value and build the item again. An element of a list
// has lost its index there: DynamoDB leaves out what was not asked for, and keeps the order. So elements are given to
// the asked indexes in turn, each to the first whose paths it fits. Where several would do the client builds the same
// item from any of them. Views into the item and the request. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dax/translate/expressions/expression_tree.h"
#include "model/value.h"

namespace armature::dax {

// The paths of one projection, for any number of items.
class ItemProjection {
 public:
  explicit ItemProjection(std::span<const DocumentPath> paths);

  // Appends the map ordinal → value (5.8 of the protocol) of an item that DynamoDB has projected.
  void AppendOrdinals(std::string& out, model::Item item) const;

 private:
  static constexpr size_t kNoOrdinal = static_cast<size_t>(-1);
  struct Step;
  using Steps = std::vector<Step>;
  // One element of paths, and what follows it in those that have it.
  struct Step {
    PathElement element;
    size_t ordinal = kNoOrdinal;  // of the path that ends here
    Steps below{};
  };
  using Found = std::vector<const model::Value*>;  // by ordinal; null: nothing

  static Step& StepFor(Steps& steps, const PathElement& element);
  static const Step* FindStep(const Steps& steps, std::string_view name);
  static bool Fits(const model::Value& value, const Step& step);
  static bool FitsList(std::span<const model::Value> elements, const Steps& steps);
  static void Take(const model::Value& value, const Step& step, Found& found);
  static void TakeList(std::span<const model::Value> elements, const Steps& steps, Found& found);

  Steps roots_;  // names by bytes, indexes by number
  size_t count_;
};

}  // namespace armature::dax
