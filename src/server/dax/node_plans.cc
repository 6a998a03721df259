#include "server/dax/node_plans.h"

#include <fmt/format.h>

namespace armature::server {

namespace {

// Where clients are told to go: an address, and one that can be gone to.
std::string AdvertisedHost(const NodePlaces& places) {
  if (!places.advertised_host.empty()) return places.advertised_host;
  if (places.host == "localhost" || places.host == "0.0.0.0") return "127.0.0.1";
  return places.host == "::" ? "::1" : places.host;
}

std::string Bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
}

}  // namespace

dax::NodePlan PlanOf(const NodePlaces& places, const std::string& cluster, int number) {
  const auto nth = [number](uint16_t first) { return static_cast<uint16_t>(first == 0 ? 0 : first + number); };
  dax::NodePlan plan;
  plan.number = number;
  plan.id = fmt::format("{}-{}", cluster, static_cast<char>('a' + number));
  plan.host = places.host;
  plan.advertised_host = AdvertisedHost(places);
  plan.zone = fmt::format("{}{}", places.region, static_cast<char>('a' + number % 3));
  plan.threads = places.threads;
  plan.busy_poll = places.busy_poll;
  plan.max_connections = places.max_connections;
  plan.max_connections_per_address = places.max_connections_per_address;
  plan.max_buffered_bytes = places.max_buffered_bytes;
  plan.overloaded = places.overloaded;
  if (places.port) plan.port = nth(*places.port);
  if (!places.tls_port) return plan;
  plan.tls = places.tls;
  if (places.port) plan.tls_port = nth(*places.tls_port);
  else plan.port = nth(*places.tls_port);
  return plan;
}

std::string UrlsOf(const dax::DaxCluster& cluster) {
  const dax::NodeList nodes = cluster.serving();
  const dax::DaxNode& first = *nodes.front();
  const std::string host = Bracketed(first.plan().advertised_host);
  if (first.plan().tls && !first.plan().tls_port) return fmt::format("daxs://{}:{}", host, first.port());
  std::string urls = fmt::format("dax://{}:{}", host, first.port());
  if (first.plan().tls_port) urls += fmt::format(" and daxs://{}:{}", host, first.tls_port());
  return urls;
}

}  // namespace armature::server
