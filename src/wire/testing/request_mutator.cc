#include "wire/testing/request_mutator.h"

#include <algorithm>
#include <utility>

namespace armature::wire {

Choose RequestMutator::chooser() {
  return [this](size_t count) { return random_.Below(count); };
}

JsonTree RequestMutator::Hostile() {
  if (random_.Below(4) == 0) return {};  // null, the simplest thing that can be wrong anywhere
  return HostileValues()[random_.Below(HostileValues().size())];
}

JsonTree RequestMutator::Fresh(const OperationSchema& schema) {
  const auto paths = CollectionPaths(schema);
  if (paths.empty() || random_.Below(2) == 0) return SampleValue(*schema.input, chooser());
  const ShapePath& path = paths[random_.Below(paths.size())];
  return SampleWith(schema, path, random_.Below(2) == 0 ? Hostile() : SampleValue(*path.shape, chooser()), chooser());
}

void RequestMutator::Mutate(const OperationSchema& schema, JsonTree& request) {
  if (random_.Below(16) == 0) request = Fresh(schema);
  else MutateValue(schema.input, request);
}

const ShapeDesc* RequestMutator::ShapeOfMember(const ShapeDesc* shape, const std::string& key) {
  if (shape == nullptr) return nullptr;
  if (shape->element != nullptr) return shape->element;
  const auto member = std::find_if(shape->members.begin(), shape->members.end(),
                                   [&](const MemberDesc& each) { return each.name == key; });
  return member == shape->members.end() ? nullptr : member->shape;
}

// Goes down to some value, and changes it there.
void RequestMutator::MutateValue(const ShapeDesc* shape, JsonTree& value) {
  const bool goes_down = !value.elements.empty() && random_.Below(4) != 0;
  if (goes_down) {
    const size_t index = random_.Below(value.elements.size());
    const std::string key = value.kind == JsonTree::Kind::kObject ? value.keys[index] : "";
    return MutateValue(ShapeOfMember(shape, key), value.elements[index]);
  }
  switch (value.kind) {
    case JsonTree::Kind::kObject: return MutateObject(shape, value);
    case JsonTree::Kind::kArray: return MutateArray(shape, value);
    default: return MutateLeaf(shape, value);
  }
}

void RequestMutator::MutateObject(const ShapeDesc* shape, JsonTree& object) {
  const size_t at = object.elements.empty() ? 0 : random_.Below(object.elements.size());
  switch (random_.Below(6)) {
    case 0:
      if (object.elements.empty()) return;
      object.elements.erase(object.elements.begin() + static_cast<ptrdiff_t>(at));
      object.keys.erase(object.keys.begin() + static_cast<ptrdiff_t>(at));
      return;
    case 1:  // the same key twice
      if (!object.elements.empty()) object.With(object.keys[at], object.elements[at]);
      return;
    case 2:
      if (!object.keys.empty()) object.keys[at] = mutate_text_(object.keys[at]);
      return;
    case 3: object = Hostile(); return;
    default: break;
  }
  if (shape != nullptr && !shape->members.empty()) {
    const MemberDesc& member = shape->members[random_.Below(shape->members.size())];
    JsonTree value = random_.Below(4) == 0 ? Hostile() : SampleValue(*member.shape, chooser());
    if (JsonTree* there = object.Find(member.name)) *there = std::move(value);
    else object.With(member.name, std::move(value));
  } else if (shape != nullptr) {
    object = SampleValue(*shape, chooser());
  } else if (!object.elements.empty()) {
    object.elements[at] = Hostile();
  }
}

void RequestMutator::MutateArray(const ShapeDesc* shape, JsonTree& array) {
  const size_t at = array.elements.empty() ? 0 : random_.Below(array.elements.size());
  const auto place = array.elements.begin() + static_cast<ptrdiff_t>(at);
  switch (random_.Below(5)) {
    case 0:
      if (!array.elements.empty()) array.elements.erase(place);
      return;
    case 1:
      if (!array.elements.empty()) array.elements.insert(place, JsonTree(array.elements[at]));
      return;
    case 2: array.elements.insert(place, Hostile()); return;
    case 3: array = Hostile(); return;
    default: break;
  }
  if (shape != nullptr && shape->element != nullptr)
    array.elements.insert(place, SampleValue(*shape->element, chooser()));
}

void RequestMutator::MutateLeaf(const ShapeDesc* shape, JsonTree& leaf) {
  const uint64_t way = random_.Below(8);
  if (way == 0) {
    leaf = Hostile();
  } else if (way < 4 && shape != nullptr) {
    leaf = SampleValue(*shape, chooser());
  } else if (leaf.kind == JsonTree::Kind::kString) {
    leaf.text = mutate_text_(leaf.text);
  } else {
    constexpr std::string_view kLiterals[] = {"null", "true", "false", "0", "1", "-1", "2147483648", "1e308", "0.1"};
    leaf = JsonTree::Literal(kLiterals[random_.Below(std::size(kLiterals))]);
  }
}

}  // namespace armature::wire
