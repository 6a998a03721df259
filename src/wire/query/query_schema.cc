#include "wire/query/query_schema.h"

#include <algorithm>

namespace armature::wire {

const QueryOperationSchema* FindQueryOperation(const QueryService& service, std::string_view name) {
  const auto operations = OperationsOf(service);
  const auto found = std::find_if(operations.begin(), operations.end(),
                                  [name](const QueryOperationSchema& operation) { return operation.name == name; });
  return found == operations.end() ? nullptr : &*found;
}

size_t QueryOperationCount() {
  size_t count = 0;
  for (const QueryService& service : QueryServices()) count += OperationsOf(service).size();
  return count;
}

}  // namespace armature::wire
