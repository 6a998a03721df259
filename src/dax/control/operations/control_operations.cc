#include "dax/control/operations/control_operations.h"

#include <array>

#include "dax/control/operations/operations.h"
#include "wire/json_output.h"

namespace armature::dax::control {

namespace {

using Run = Task<OperationResult> (*)(const ControlContext& context, const void* input, std::string& body);

template <auto Handler>
struct Entry;
template <class In, class Out, Task<OperationResult> (*Handler)(const ControlContext&, const In&, Out&)>
struct Entry<Handler> {
  static Task<OperationResult> Execute(const ControlContext& context, const void* input, std::string& body) {
    Out output;
    ARMATURE_CO_CHECK_OK(co_await Handler(context, *static_cast<const In*>(input), output));
    wire::AppendJsonOutput(output, body);
    co_return OperationResult();
  }
  static size_t Index() { return In::Schema().index; }
};

template <auto... Handlers>
std::array<Run, wire::dax::kOperationCount> TableOf() {
  static_assert(sizeof...(Handlers) == wire::dax::kOperationCount, "every operation has one");
  std::array<Run, wire::dax::kOperationCount> table{};
  ((table[Entry<Handlers>::Index()] = Entry<Handlers>::Execute), ...);
  return table;
}

}  // namespace

Task<OperationResult> RunControlOperation(const wire::OperationSchema& schema, const ControlContext& context,
                                          const void* input, std::string& body) {
  static const auto table =
      TableOf<CreateCluster, CreateParameterGroup, CreateSubnetGroup, DecreaseReplicationFactor, DeleteCluster,
              DeleteParameterGroup, DeleteSubnetGroup, DescribeClusters, DescribeDefaultParameters, DescribeEvents,
              DescribeParameterGroups, DescribeParameters, DescribeSubnetGroups, IncreaseReplicationFactor, ListTags,
              RebootNode, TagResource, UntagResource, UpdateCluster, UpdateParameterGroup, UpdateSubnetGroup>();
  return table[schema.index](context, input, body);
}

}  // namespace armature::dax::control
