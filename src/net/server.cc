#include "net/server.h"

#include <utility>

#include "net/http_protocol.h"
#include "net/transport/stream_server.h"

namespace armature::net {
namespace {

StreamServerOptions StreamOptions(const ServerOptions& options) {
  return {
      .host = options.host,
      .port = options.port,
      .threads = options.threads,
      .tls = options.tls,
      .tls_port = options.tls_port,
      .max_connections = options.max_connections,
      .max_connections_per_address = options.max_connections_per_address,
      .max_buffered_bytes = options.max_buffered_bytes,
      .limits = {.idle_timeout_millis = options.idle_timeout_millis,
                 .message_timeout_millis = options.request_timeout_millis,
                 .min_bytes_per_second = options.min_bytes_per_second,
                 .write_stall_timeout_millis = options.write_stall_timeout_millis},
      .overloaded = options.overloaded,
      .timer_clock = options.timer_clock,
      .send_buffer_bytes = options.send_buffer_bytes,
  };
}

StreamCounters Counters(Metrics& metrics) {
  constexpr auto* kRefused = "armature_http_connections_refused_total";
  constexpr auto* kRefusedHelp = "Connections refused at a limit: the server's, or that of their address.";
  return {
      metrics.GetCounter("armature_http_connections_accepted_total", "Connections accepted."),
      metrics.GetCounter(kRefused, kRefusedHelp, R"(limit="server")"),
      metrics.GetCounter(kRefused, kRefusedHelp, R"(limit="address")"),
      metrics.GetCounter("armature_http_connections_evicted_total",
                         "Connections closed under memory pressure because their clients did not move."),
      metrics.GetCounter("armature_http_timeouts_total", "Connections closed because the client was too slow."),
  };
}

void AddGauges(Metrics& metrics, const std::shared_ptr<StreamStats>& stats) {
  metrics.AddGauge("armature_http_connections", "Open connections.",
                   [stats] { return static_cast<double>(stats->connections.load()); });
  metrics.AddGauge("armature_http_buffered_bytes", "Memory held by large requests and unread answers.",
                   [stats] { return static_cast<double>(stats->memory.total_bytes()); });
  metrics.AddGauge("armature_http_in_flight_bytes", "The part of it that belongs to requests being executed.",
                   [stats] { return static_cast<double>(stats->memory.in_flight_bytes()); });
}

}  // namespace

Server::Server(ServerOptions options, Handler& handler, Metrics& metrics)
    : options_(std::move(options)), handler_(handler), metrics_(metrics) {
  const auto make_protocol = [this](size_t reactor_index) {
    return std::make_unique<HttpProtocol>(HttpContext{
        .handler = handler_,
        .head_limits = {options_.max_request_line_bytes, options_.max_header_bytes},
        .max_body_bytes = options_.max_body_bytes,
        .counters = HttpCounters(metrics_, reactor_index),
        .writer = ResponseWriter(options_.clock ? *options_.clock : system_clock_),
    });
  };
  streams_ = std::make_unique<StreamServer>(StreamOptions(options_), make_protocol, Counters(metrics_));
}

Server::~Server() = default;

Status Server::Start() {
  if (Status status = streams_->Start(); !status.ok()) return status;
  AddGauges(metrics_, streams_->stats());
  return Status::Ok();
}

uint16_t Server::port() const { return streams_->port(); }
uint16_t Server::tls_port() const { return streams_->tls_port(); }
size_t Server::connection_count() const { return streams_->stats()->connections.load(); }
size_t Server::reactor_count() const { return streams_->reactor_count(); }
void Server::Nudge() { streams_->Nudge(); }
size_t Server::Stop(std::chrono::milliseconds patience) { return streams_->Stop(patience); }

}  // namespace armature::net
