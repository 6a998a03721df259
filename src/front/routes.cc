#include "front/routes.h"

#include <utility>

#include "front/aws_json_route.h"
#include "front/dax_route.h"
#include "front/plain_routes.h"
#include "front/query_route.h"
#include "front/rest_json_route.h"

namespace armature::front {

RouteTable MakeRoutes(const Pipeline& pipeline, const std::string& region, triggers::Triggers* triggers,
                      Metrics& metrics, const query::QueryOperations* operations, MetricsAccess access,
                      dax::control::ClusterBook* clusters) {
  RouteTable routes;
  const auto plain = [&](PlainRoute::Test test, PlainRoute::Reply reply) {
    routes.push_back(std::make_unique<PlainRoute>(metrics, std::move(test), std::move(reply)));
  };
  routes.push_back(std::make_unique<AwsJsonRoute>(pipeline, metrics));  // first: nearly every request is its
  if (triggers) routes.push_back(std::make_unique<RestJsonRoute>(pipeline, *triggers, metrics));
  if (operations) routes.push_back(std::make_unique<QueryRoute>(pipeline, *operations, metrics));
  if (clusters) routes.push_back(std::make_unique<DaxRoute>(pipeline, *clusters, metrics));
  routes.push_back(std::make_unique<MetricsRoute>(metrics, std::move(access)));
  if (pipeline.services().compatibility.asks_everybody_for_a_token) plain(IsProbe, AskForToken);
  plain(IsPreflight, AnswerPreflight);
  plain(IsGetOf("/"), Healthy(region));
  plain(IsAnything, AnswerNotFound);
  return routes;
}

}  // namespace armature::front
