#include "dax/translate/expressions/projected_item.h"

#include <algorithm>

#include "dax/codec/cbor.h"
#include "dax/codec/value_codec.h"

namespace armature::dax {

using model::Type;
using model::Value;

namespace {

// Names before indexes; an item that has both at one place fits neither, and DynamoDB says so before there is a reply.
bool Precedes(const PathElement& a, const PathElement& b) {
  if (a.is_index != b.is_index) return b.is_index;
  return a.is_index ? a.index < b.index : a.name < b.name;
}

}  // namespace

ItemProjection::ItemProjection(std::span<const DocumentPath> paths) : count_(paths.size()) {
  for (size_t ordinal = 0; ordinal < paths.size(); ++ordinal) {
    Steps* steps = &roots_;
    Step* last = nullptr;
    for (const PathElement& element : paths[ordinal]) {
      last = &StepFor(*steps, element);
      steps = &last->below;
    }
    if (last != nullptr) last->ordinal = ordinal;
  }
}

ItemProjection::Step& ItemProjection::StepFor(Steps& steps, const PathElement& element) {
  const auto place = std::lower_bound(steps.begin(), steps.end(), element,
                                      [](const Step& step, const PathElement& e) { return Precedes(step.element, e); });
  if (place != steps.end() && !Precedes(element, place->element)) return *place;
  return *steps.insert(place, Step{.element = element});
}

const ItemProjection::Step* ItemProjection::FindStep(const Steps& steps, std::string_view name) {
  const PathElement element{.name = name};
  const auto place = std::lower_bound(steps.begin(), steps.end(), element,
                                      [](const Step& step, const PathElement& e) { return Precedes(step.element, e); });
  return place != steps.end() && !Precedes(element, place->element) ? &*place : nullptr;
}

// Whether the projection can have made this of what stood at the step.
bool ItemProjection::Fits(const Value& value, const Step& step) {
  if (step.ordinal != kNoOrdinal) return true;
  if (value.is(Type::kL)) return FitsList(value.list(), step.below);
  if (!value.is(Type::kM) || value.map().empty()) return false;
  return std::all_of(value.map().begin(), value.map().end(), [&](const model::MapEntry& entry) {
    const Step* below = FindStep(step.below, entry.name);
    return below != nullptr && Fits(entry.value, *below);
  });
}

bool ItemProjection::FitsList(std::span<const Value> elements, const Steps& steps) {
  auto step = steps.begin();
  for (const Value& element : elements) {
    while (step != steps.end() && (!step->element.is_index || !Fits(element, *step))) ++step;
    if (step == steps.end()) return false;
    ++step;
  }
  return !elements.empty();
}

void ItemProjection::Take(const Value& value, const Step& step, Found& found) {
  if (step.ordinal != kNoOrdinal) {
    found[step.ordinal] = &value;
  } else if (value.is(Type::kL)) {
    TakeList(value.list(), step.below, found);
  } else if (value.is(Type::kM)) {
    for (const model::MapEntry& entry : value.map())
      if (const Step* below = FindStep(step.below, entry.name)) Take(entry.value, *below, found);
  }
}

void ItemProjection::TakeList(std::span<const Value> elements, const Steps& steps, Found& found) {
  auto step = steps.begin();
  for (const Value& element : elements) {
    while (step != steps.end() && (!step->element.is_index || !Fits(element, *step))) ++step;
    if (step == steps.end()) return;
    Take(element, *step++, found);
  }
}

void ItemProjection::AppendOrdinals(std::string& out, model::Item item) const {
  Found found(count_);
  for (const model::MapEntry& entry : item)
    if (const Step* step = FindStep(roots_, entry.name)) Take(entry.value, *step, found);
  const auto present = std::count_if(found.begin(), found.end(), [](const Value* value) { return value != nullptr; });
  AppendCborMapHead(out, static_cast<size_t>(present));
  for (size_t ordinal = 0; ordinal < found.size(); ++ordinal) {
    if (found[ordinal] == nullptr) continue;
    AppendCborUnsigned(out, ordinal);
    AppendValue(out, *found[ordinal]);
  }
}

}  // namespace armature::dax
