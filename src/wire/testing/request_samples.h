// Requests made from the schema: plausible ones, and every way to put something hostile into a list or map.
//
// A sample names the table "Tbl" with the key "pk" (S) and, where a word has a meaning of its own (an expression, a
// statement, an ARN), holds one that can be executed. What to choose where the schema leaves a choice is asked of the
// caller, so that a test walks all choices and a fuzzer draws them. Test support only; not linked into the server.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/shape.h"
#include "wire/testing/json_tree.h"

namespace armature::wire {

// Answers with a number below `count`, which is not 0.
using Choose = std::function<size_t(size_t count)>;

// How a value is reached from the request: the members, elements and entries in between.
struct ShapePath {
  std::vector<const MemberDesc*> steps;  // null: an element of the list, or an entry of the map, that stands there
  const ShapeDesc* shape = nullptr;      // of the value
};

// Every path of the operation that ends at an element of a list or map, and at each list or map itself. Recursive
// shapes are entered once.
std::vector<ShapePath> CollectionPaths(const OperationSchema& schema);

// A request with what is required and what stands on `path`, whose last value is `value`.
JsonTree SampleWith(const OperationSchema& schema, const ShapePath& path, const JsonTree& value, const Choose& choose);

// A value of the shape: all required members and those optional ones for which `choose(2)` is 1. `depth` ends
// recursion.
JsonTree SampleValue(const ShapeDesc& shape, const Choose& choose, int depth = 0);

// Null, wrong types, empty and nested values: what no list or map element should be.
const std::vector<JsonTree>& HostileValues();

}  // namespace armature::wire
