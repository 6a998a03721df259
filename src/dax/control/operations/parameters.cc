// What parameters there are, and their values: DescribeParameters of a group, DescribeDefaultParameters of none.
#include <algorithm>

#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/operations.h"
#include "dax/control/page.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

// Shows those of the parameters that are asked for; of another `source` than theirs there are none.
template <class Input, class Output>
OperationResult Show(const Input& input, const ParameterValues& values, std::string_view source, Output& output) {
  std::vector<wire::dax::Parameter> all = ShownParameters(values);
  std::vector<std::string> names;
  for (const wire::dax::Parameter& parameter : all)
    if (source.empty() || parameter.Source == source) names.push_back(*parameter.ParameterName);
  ARMATURE_TRY(Page page, PageOf(std::move(names), input.MaxResults, input.NextToken));
  auto& shown = output.Parameters.emplace();
  for (wire::dax::Parameter& parameter : all)
    if (std::ranges::find(page.keys, *parameter.ParameterName) != page.keys.end())
      shown.push_back(std::move(parameter));
  output.NextToken = std::move(page.next_token);
  return {};
}

}  // namespace

Task<OperationResult> DescribeParameters(const ControlContext& context, const wire::dax::DescribeParametersInput& input,
                                         wire::dax::DescribeParametersOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  const std::string name = LowerCase(*input.ParameterGroupName);
  const auto group = Find(context.state()->parameter_groups, name);
  if (!group) co_return wire::dax::ParameterGroupNotFoundFault(fmt::format(messages::kParameterGroupNotFound, name));
  co_return Show(input, group->values, input.Source.value_or({}), output);
}

Task<OperationResult> DescribeDefaultParameters(const ControlContext& context,
                                                const wire::dax::DescribeDefaultParametersInput& input,
                                                wire::dax::DescribeDefaultParametersOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  co_return Show(input, ParameterValues(), {}, output);
}

}  // namespace armature::dax::control
