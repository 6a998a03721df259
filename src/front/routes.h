// The table of routes: every way into the server, in the order they are asked.
//
// The one place that knows them all; a new protocol or page is a Route and a line in routes.cc. Built by server/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "front/metrics_route.h"
#include "front/pipeline.h"
#include "front/route/route.h"

namespace armature::dax::control {
class ClusterBook;
}
namespace armature::query {
class QueryOperations;
}
namespace armature::triggers {
class Triggers;
}

namespace armature::front {

using RouteTable = std::vector<std::unique_ptr<Route>>;

// The last route takes whatever is left. `region` is the server's. Without `triggers` Lambda's API is not answered,
// without `operations` IAM's and STS's are not, without `clusters` DAX's is not; metrics are given to everybody unless
// `access` says otherwise. Whatever is referred to must outlive the routes.
RouteTable MakeRoutes(const Pipeline& pipeline, const std::string& region, triggers::Triggers* triggers,
                      Metrics& metrics, const query::QueryOperations* operations = nullptr, MetricsAccess access = {},
                      dax::control::ClusterBook* clusters = nullptr);

}  // namespace armature::front
