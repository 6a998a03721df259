#include "server/dax/metrics_page.h"

#include <chrono>
#include <memory>
#include <utility>

#include "front/metrics_route.h"
#include "front/plain_routes.h"

namespace armature::server {

namespace {

constexpr std::chrono::seconds kPatience(1);

front::RouteTable PageRoutes(MetricsPageOptions& options, Metrics& metrics) {
  front::RouteTable routes;
  routes.push_back(std::make_unique<front::MetricsRoute>(
      metrics, front::MetricsAccess{std::move(options.token), std::move(options.keeps_out_others)}));
  routes.push_back(std::make_unique<front::PlainRoute>(metrics, front::IsAnything, front::AnswerNotFound));
  return routes;
}

net::ServerOptions PageServer(const MetricsPageOptions& options) {
  net::ServerOptions server;
  server.host = options.host;
  server.port = options.port;
  server.threads = 1;
  return server;
}

}  // namespace

MetricsPage::MetricsPage(MetricsPageOptions options, RandomSource& random, Metrics& metrics)
    : dispatcher_(front::DispatcherOptions{.sites = auth::SitePolicy(options.host, {}, {})},
                  PageRoutes(options, metrics), random, metrics),
      server_(PageServer(options), dispatcher_, metrics) {}

void MetricsPage::Stop() {
  server_.Stop(kPatience);
  dispatcher_.Stop();
}

}  // namespace armature::server
