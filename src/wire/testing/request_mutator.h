// RequestMutator: changes requests as somebody would who knows the schema.
//
// Replaces, adds, removes and repeats members, elements and entries, puts plausible and hostile values where the schema
// has others, and changes texts letter by letter. For fuzzers; test support only.
#pragma once

#include <functional>
#include <string>

#include "base/random.h"
#include "wire/shape.h"
#include "wire/testing/json_tree.h"
#include "wire/testing/request_samples.h"

namespace armature::wire {

class RequestMutator {
 public:
  // Changes a text letter by letter; libFuzzer has one.
  using MutateText = std::function<std::string(std::string text)>;

  RequestMutator(RandomSource& random, MutateText mutate_text)
      : random_(random), mutate_text_(std::move(mutate_text)) {}

  // A plausible request.
  JsonTree Fresh(const OperationSchema& schema);
  // One change somewhere in the request.
  void Mutate(const OperationSchema& schema, JsonTree& request);

 private:
  Choose chooser();
  JsonTree Hostile();
  void MutateValue(const ShapeDesc* shape, JsonTree& value);
  void MutateObject(const ShapeDesc* shape, JsonTree& object);
  void MutateArray(const ShapeDesc* shape, JsonTree& array);
  void MutateLeaf(const ShapeDesc* shape, JsonTree& leaf);
  // What the schema says of a member or element; null where it says nothing (inside attribute values).
  static const ShapeDesc* ShapeOfMember(const ShapeDesc* shape, const std::string& key);

  RandomSource& random_;
  MutateText mutate_text_;
};

}  // namespace armature::wire
