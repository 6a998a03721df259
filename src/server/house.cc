#include "server/house.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <system_error>

#include <fmt/format.h>

#include "base/log.h"
#include "base/memory_reserve.h"
#include "storage/memory/memory_engine.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "triggers/trigger_file.h"
#include "workers/stats_recount.h"

namespace armature::server {

namespace {

constexpr std::chrono::milliseconds kHousekeepingInterval(1000);
// Only a safety net: work on indexes is announced.
constexpr std::chrono::milliseconds kIndexingInterval(60'000);
// Each step says itself when the next is due.
constexpr std::chrono::milliseconds kExpiringInterval(60'000);

// Filled only as data is read and written; an idle or small database stays small.
uint64_t CacheBytes(const ServeOptions& options) {
  constexpr uint64_t kSmallest = uint64_t{64} << 20;
  if (options.cache_mebibytes) return std::max<uint64_t>(options.cache_mebibytes, 8) << 20;
  return std::max(workers::MemoryWatch::PhysicalBytes() / 4, kSmallest);
}

Result<std::unique_ptr<storage::Engine>> OpenEngine(const ServeOptions& options, Metrics& metrics) {
  if (options.in_memory) return storage::OpenMemoryEngine(metrics);
  storage::RocksDbOptions rocksdb;
  rocksdb.directory = options.data_directory;
  rocksdb.durability = options.durability;
  rocksdb.interval_millis = options.sync_interval_millis;
  rocksdb.memory_bytes = CacheBytes(options);
  rocksdb.memtable = options.memtable;
  return storage::OpenRocksDbEngine(rocksdb, metrics);
}

uint64_t MemoryLimit(const ServeOptions& options) {
  if (options.memory_limit_mebibytes) return options.memory_limit_mebibytes << 20;
  return workers::MemoryWatch::PhysicalBytes() / 5 * 4;
}

// What clients may hold of it with large requests and unread answers.
size_t BufferLimit(uint64_t memory_limit_bytes) {
  return std::clamp<uint64_t>(memory_limit_bytes / 4, uint64_t{32} << 20, uint64_t{512} << 20);
}

table::JournalOptions JournalOptionsFrom(const ServeOptions& options) {
  table::JournalOptions journal;
  journal.lane_age_millis = options.stream_shard_millis;
  journal.split_records_per_second = options.stream_split_rate;
  journal.split_seconds = options.stream_split_seconds;
  return journal;
}

workers::KinesisOptions KinesisOptionsFrom(const ServeOptions& options) {
  return {.endpoint = options.kinesis_endpoint,
          .access_key_id = options.kinesis_access_key_id,
          .secret_access_key = options.kinesis_secret_access_key,
          .session_token = options.kinesis_session_token};
}

// Where programs on this machine reach the server.
std::string EndpointFor(const std::string& host, uint16_t port) {
  if (host == "0.0.0.0") return fmt::format("http://127.0.0.1:{}", port);
  if (host == "::") return fmt::format("http://[::1]:{}", port);
  return host.find(':') == std::string::npos ? fmt::format("http://{}:{}", host, port)
                                             : fmt::format("http://[{}]:{}", host, port);
}

// What fails again and again for one reason, every second on a full disk, is said when the reason changes.
void LogFailure(const char* what, const Status& status) {
  static std::mutex mutex;
  static std::map<std::string_view, std::string> reasons;
  std::lock_guard lock(mutex);
  if (status.ok()) {
    reasons.erase(what);
    return;
  }
  std::string reason = status.ToString();
  const auto known = reasons.find(what);
  if (known != reasons.end() && known->second == reason) return;
  LogError("{}: {}", what, reason);
  reasons[what] = std::move(reason);
}

}  // namespace

Result<std::unique_ptr<House>> House::Build(const ServeOptions& options) {
  auto metrics = std::make_unique<Metrics>();
  auto engine = OpenEngine(options, *metrics);
  if (!engine) return std::move(engine).error();
  std::unique_ptr<House> house(new House(options, std::move(metrics), std::move(*engine)));
  if (Status status = house->Load(); !status.ok()) return status;
  return house;
}

House::House(const ServeOptions& options, std::unique_ptr<Metrics> metrics, std::unique_ptr<storage::Engine> engine)
    : options_(options),
      metrics_(std::move(metrics)),
      engine_(std::move(engine)),
      catalog_(*engine_, clock_, options.control_plane_delay_millis),
      journal_(*engine_, clock_, catalog_, *metrics_, JournalOptionsFrom(options)),
      writes_(*engine_),
      tokens_(*engine_, clock_),
      index_backfill_(*engine_, clock_, catalog_, writes_, *metrics_),
      ttl_setup_(*engine_, clock_, catalog_, writes_, *metrics_),
      ttl_sweep_(*engine_, clock_, catalog_, writes_, *metrics_, options.ttl_delay_millis),
      kinesis_(KinesisOptionsFrom(options), catalog_, journal_, clock_, random_, *metrics_),
      memory_watch_(MemoryLimit(options)),
      housekeeping_(kHousekeepingInterval, [this] { KeepHouse(); }),
      indexing_(kIndexingInterval,
                [this] {
                  if (const auto pause = RunBlocking(index_backfill_.Step())) indexing_.RunSoon(*pause);
                }),
      expiring_(kExpiringInterval, [this] { Expire(); }),
      verifier_(options.account, options.sharing == TableSharing::kPerKeyAndRegion ? auth::KeyAccounts::kOneEach
                                                                                   : auth::KeyAccounts::kOneForAll) {
  catalog_.AddListener(index_backfill_);
  catalog_.AddListener(ttl_setup_);
  catalog_.AddListener(kinesis_);
  index_backfill_.OnWork([this] { indexing_.RunSoon(); });
  ttl_setup_.OnWork([this] { expiring_.RunSoon(); });
}

Status House::Load() {
  if (Status status = RunBlocking(catalog_.Load()); !status.ok()) return status;
  if (Status status = RunBlocking(journal_.Load()); !status.ok()) return status;
  const Result<bool> was_clean = RunBlocking(catalog_.TakeCleanStop());
  // The mark was found, and there was no space to take it away. Nothing has changed since; it goes when there is space.
  must_take_clean_stop_ = !was_clean && was_clean.error().code() == StatusCode::kNoSpace;
  if (!was_clean && !must_take_clean_stop_) return was_clean.error();
  if (was_clean && !*was_clean) StartRecount();
  if (options_.eventual_lag_millis > 0) {
    lagged_view_.emplace(*engine_, clock_, options_.eventual_lag_millis);
    view_sampling_.emplace(lagged_view_->interval(), [this] { lagged_view_->Sample(); });
  }
  reads_.emplace(*engine_, lagged_view_ ? &*lagged_view_ : nullptr);
  if (Status status = RunBlocking(index_backfill_.Load()); !status.ok()) return status;
  if (Status status = RunBlocking(ttl_setup_.Load()); !status.ok()) return status;
  services_.emplace(api::Services{*engine_, catalog_, *reads_, writes_, tokens_, clock_, random_});
  services_->journal = &journal_;
  services_->allows_partiql_scans = !options_.no_partiql_scans;
  services_->shares_tables = options_.sharing == TableSharing::kOneForAll;
  services_->compatibility = options_.compatibility;
  if (Status status = LoadTriggers(); !status.ok()) return status;
  services_->triggers = &*triggers_;
  pipeline_.emplace(front::PipelineOptions{.region = options_.region,
                                           .has_region_of_its_own = options_.sharing == TableSharing::kOneForAll},
                    *services_, verifier_);
  dispatcher_.emplace(
      front::DispatcherOptions{auth::SitePolicy(options_.host, options_.allowed_hosts, options_.cors_origins),
                               options_.slow_request_millis},
      front::MakeRoutes(*pipeline_, options_.region, *metrics_), random_, *metrics_);
  return Status::Ok();
}

Status House::LoadTriggers() {
  triggers::TriggerConfig config;
  for (const std::string& option : options_.functions)
    if (Status status = triggers::AddFunctionOption(option, config); !status.ok()) return status;
  for (const std::string& option : options_.destinations)
    if (Status status = triggers::AddDestinationOption(option, config); !status.ok()) return status;
  for (const std::string& file : options_.trigger_files)
    if (Status status = triggers::ReadTriggerFile(file, options_.account, options_.region, config); !status.ok())
      return status;
  if (Status status = triggers::CheckTriggers(config); !status.ok()) return status;
  triggers_.emplace(
      triggers::TriggersDeps{*engine_, catalog_, journal_, clock_, random_, *metrics_, options_.trigger_calls},
      std::move(config));
  return RunBlocking(triggers_->Load());
}

// After a crash: counts in the background what the stored statistics missed.
void House::StartRecount() {
  auto recount = std::make_shared<workers::StatsRecount>(*engine_, catalog_);
  if (recount->empty()) return;
  is_counted_ = false;
  try {
    recount_ = std::jthread([this, recount](const std::stop_token& stop) {
      const Status status = recount->Run(stop);
      LogFailure("counting items", status);
      is_counted_ = status.ok() && !stop.stop_requested();
    });
  } catch (const std::system_error& error) {
    LogError("counting items: no thread can be started ({}); the next start counts", error.what());
  }
}

void House::KeepHouse() {
  memory_watch_.Sample();
  MemoryReserve::Refill();
  if (must_take_clean_stop_) must_take_clean_stop_ = !RunBlocking(catalog_.TakeCleanStop()).has_value();
  LogFailure("table transitions", RunBlocking(catalog_.RunDueTransitions()));
  LogFailure("table statistics", RunBlocking(catalog_.PersistStats()));
  LogFailure("journal", RunBlocking(journal_.KeepHouse()));
  LogFailure("client tokens", RunBlocking(tokens_.RemoveExpired()));
  kinesis_.Tend();
  triggers_->Tend();
}

// Sets up what is announced, then deletes a portion of what has expired.
void House::Expire() {
  const auto setup_pause = RunBlocking(ttl_setup_.Step());
  const auto sweep_pause = RunBlocking(ttl_sweep_.Step());
  expiring_.RunSoon(std::min(setup_pause.value_or(sweep_pause), sweep_pause));
}

Status House::Open() {
  net::ServerOptions net;
  net.host = options_.host;
  net.port = options_.port;
  net.threads = options_.threads;
  net.max_connections = options_.max_connections;
  net.max_buffered_bytes = BufferLimit(memory_watch_.limit_bytes());
  net.overloaded = [this] { return memory_watch_.is_over() || MemoryReserve::is_spent(); };
  server_.emplace(std::move(net), *dispatcher_, *metrics_);
  if (Status status = server_->Start(); !status.ok()) {
    LogFailure("closing", Close());
    return status;
  }
  housekeeping_.Start();
  kinesis_.Start();
  triggers_->Start(EndpointFor(options_.host, port()));
  indexing_.Start();
  indexing_.RunSoon();
  expiring_.Start();
  expiring_.RunSoon();
  if (view_sampling_) view_sampling_->Start();
  return Status::Ok();
}

Status House::Close() {
  triggers_->Stop();  // first: handlers that are at work use the server
  const size_t cut_off = server_->Stop(std::chrono::seconds(options_.drain_seconds));
  if (cut_off > 0) LogWarn("{} requests were cut off", cut_off);
  dispatcher_->Stop();
  kinesis_.Stop();
  housekeeping_.Stop();
  indexing_.Stop();
  expiring_.Stop();
  if (view_sampling_) view_sampling_->Stop();
  if (lagged_view_) lagged_view_->Release();
  recount_ = {};
  LogFailure("journal", RunBlocking(journal_.StoreTotals()));
  LogFailure("table statistics", RunBlocking(is_counted_.load() ? catalog_.MarkCleanStop() : catalog_.PersistStats()));
  return engine_->Close();
}

}  // namespace armature::server
