#include "server/serve.h"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "api/dispatcher.h"
#include "auth/verifier.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "net/server.h"
#include "server/options.h"
#include "storage/memory/memory_engine.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "table/catalog.h"
#include "table/lagged_view.h"
#include "table/read_path.h"
#include "table/write_path.h"
#include "workers/index_backfill.h"
#include "workers/memory_watch.h"
#include "workers/periodic.h"
#include "workers/stats_recount.h"

namespace armature::server {

namespace {

constexpr std::chrono::milliseconds kHousekeepingInterval(1000);
// Only a safety net: work on indexes is announced.
constexpr std::chrono::milliseconds kIndexingInterval(60'000);

int Fail(const std::string& line) {
  std::fprintf(stderr, "armature: %s\n", line.c_str());
  return 1;
}

bool IsLoopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

Result<std::unique_ptr<storage::Engine>> OpenEngine(const ServeOptions& options, Metrics& metrics) {
  if (options.in_memory) return storage::OpenMemoryEngine(metrics);
  storage::RocksDbOptions rocksdb;
  rocksdb.directory = options.data_directory;
  rocksdb.durability = options.durability;
  rocksdb.interval_millis = options.sync_interval_millis;
  rocksdb.memory_bytes = options.cache_mebibytes << 20;
  return storage::OpenRocksDbEngine(rocksdb, metrics);
}

net::ServerOptions NetOptions(const ServeOptions& options, const workers::MemoryWatch& memory) {
  net::ServerOptions net;
  net.host = options.host;
  net.port = options.port;
  net.threads = options.threads;
  net.max_connections = options.max_connections;
  net.overloaded = [&memory] { return memory.is_over(); };
  return net;
}

// The signals that ask for an orderly end, kept away from every thread but the one that waits for them.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

// A URL for the ready line: IPv6 addresses stand in brackets.
std::string UrlOf(const std::string& host, uint16_t port) {
  return host.find(':') == std::string::npos ? fmt::format("http://{}:{}", host, port)
                                             : fmt::format("http://[{}]:{}", host, port);
}

std::string ReadyLine(const ServeOptions& options, uint16_t port) {
  const std::string where = options.in_memory ? "in memory" : fmt::format("data in {}", options.data_directory);
  return fmt::format("armature ready on {} ({}, region {}, account {})\n", UrlOf(options.host, port), where, options.region,
                     options.account);
}

void LogFailure(std::string_view what, const Status& status) {
  if (!status.ok()) LogError("{}: {}", what, status.ToString());
}

// After a crash: counts in the background what the stored statistics missed.
std::jthread StartRecount(storage::Engine& engine, const table::Catalog& catalog, std::atomic<bool>& counted) {
  auto recount = std::make_shared<workers::StatsRecount>(engine, catalog);
  if (recount->empty()) return {};
  counted = false;
  return std::jthread([recount, &counted](const std::stop_token& stop) {
    const Status status = recount->Run(stop);
    LogFailure("counting items", status);
    counted = status.ok() && !stop.stop_requested();
  });
}

}  // namespace

int RunServe(const std::vector<std::string>& arguments) {
  const ParsedOptions parsed = ParseServeOptions(arguments);
  if (!parsed.options) {
    std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    return parsed.exit_code;
  }
  const ServeOptions& options = *parsed.options;
  SetLogLevel(options.log_level);
  if (!IsLoopback(options.host) && !options.allow_unauthenticated)
    return Fail(fmt::format("refusing to listen on {}: signatures are not verified yet, so anybody who reaches it could read "
                            "and write everything (--allow-unauthenticated to do it all the same)",
                            options.host));
  const sigset_t stop_signals = BlockStopSignals();

  SystemClock clock;
  SystemRandom random;
  Metrics metrics;
  auto engine = OpenEngine(options, metrics);
  if (!engine) return Fail(engine.error().message());

  table::Catalog catalog(**engine, clock, options.control_plane_delay_millis);
  if (Status status = RunBlocking(catalog.Load()); !status.ok()) return Fail(status.ToString());
  const Result<bool> was_clean = RunBlocking(catalog.TakeCleanStop());
  if (!was_clean) return Fail(was_clean.error().ToString());
  std::atomic<bool> counted = true;
  std::jthread recount_thread = *was_clean ? std::jthread() : StartRecount(**engine, catalog, counted);
  std::optional<table::LaggedView> lagged;
  if (options.eventual_lag_millis > 0) lagged.emplace(**engine, clock, options.eventual_lag_millis);
  const table::ReadPath reads(**engine, lagged ? &*lagged : nullptr);
  table::WritePath writes(**engine);
  table::TokenStore tokens(**engine, clock);
  workers::IndexBackfill index_backfill(**engine, clock, catalog, writes, metrics);
  if (Status status = RunBlocking(index_backfill.Load()); !status.ok()) return Fail(status.ToString());
  const api::Services services{**engine, catalog, reads, writes, tokens, clock, random, &index_backfill};

  workers::MemoryWatch memory(options.memory_limit_mebibytes ? options.memory_limit_mebibytes << 20
                                                             : workers::MemoryWatch::PhysicalBytes() / 5 * 4);
  workers::Periodic housekeeping(kHousekeepingInterval, [&] {
    memory.Sample();
    LogFailure("table transitions", RunBlocking(catalog.RunDueTransitions()));
    LogFailure("table statistics", RunBlocking(catalog.PersistStats()));
    LogFailure("client tokens", RunBlocking(tokens.RemoveExpired()));
  });
  workers::Periodic indexing(kIndexingInterval, [&] {
    if (const auto pause = RunBlocking(index_backfill.Step())) indexing.RunSoon(*pause);
  });
  index_backfill.OnWork([&] { indexing.RunSoon(); });
  workers::Periodic sampling(lagged ? lagged->interval() : std::chrono::hours(1), [&] { lagged->Sample(); });

  api::DispatcherOptions dispatching{options.account, options.region, options.slow_request_millis};
  const auth::AcceptAnyVerifier verifier;
  api::Dispatcher dispatcher(dispatching, services, verifier, metrics);
  net::Server server(NetOptions(options, memory), dispatcher, metrics);
  if (Status status = server.Start(); !status.ok()) {
    if (lagged) lagged->Release();
    LogFailure("closing", (*engine)->Close());
    return Fail(status.message());
  }
  housekeeping.Start();
  indexing.Start();
  indexing.RunSoon();
  if (lagged) sampling.Start();
  std::fputs(ReadyLine(options, server.port()).c_str(), stdout);
  std::fflush(stdout);

  int signal_number = 0;
  sigwait(&stop_signals, &signal_number);
  LogInfo("stopping: {} received", signal_number == SIGTERM ? "SIGTERM" : "SIGINT");
  const size_t cut_off = server.Stop(std::chrono::seconds(options.drain_seconds));
  if (cut_off > 0) LogWarn("{} requests were cut off", cut_off);
  housekeeping.Stop();
  indexing.Stop();
  sampling.Stop();
  if (lagged) lagged->Release();
  recount_thread = {};
  LogFailure("table statistics", RunBlocking(counted.load() ? catalog.MarkCleanStop() : catalog.PersistStats()));
  const Status closed = (*engine)->Close();
  return closed.ok() ? 0 : Fail(closed.ToString());
}

}  // namespace armature::server
