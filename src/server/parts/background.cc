#include "server/parts/background.h"

#include <algorithm>
#include <chrono>

#include "base/memory/memory_reserve.h"
#include "server/process/failure_log.h"
#include "triggers/mappings/trigger_file.h"

namespace armature::server {

namespace {

constexpr std::chrono::milliseconds kHousekeepingInterval(1000);
// Only a safety net: work on indexes is announced.
constexpr std::chrono::milliseconds kIndexingInterval(60'000);
// Each step says itself when the next is due.
constexpr std::chrono::milliseconds kExpiringInterval(60'000);

uint64_t MemoryLimit(const ServeOptions& options) {
  if (options.memory_limit_mebibytes) return options.memory_limit_mebibytes << 20;
  return MemoryWatch::PhysicalBytes() / 5 * 4;
}

workers::KinesisOptions KinesisOptionsFrom(const ServeOptions& options) {
  return {.endpoint = options.kinesis_endpoint,
          .access_key_id = options.kinesis_access_key_id,
          .secret_access_key = options.kinesis_secret_access_key,
          .session_token = options.kinesis_session_token};
}

}  // namespace

Background::Background(const ServeOptions& options, Store& store, Gate& gate, Tables& tables)
    : options_(options),
      store_(store),
      gate_(gate),
      tables_(tables),
      index_backfill_(*store.engine, store.clock, tables.catalog(), tables.writes(), store.metrics),
      ttl_setup_(*store.engine, store.clock, tables.catalog(), tables.writes(), store.metrics),
      ttl_sweep_(*store.engine, store.clock, tables.catalog(), tables.writes(), store.metrics,
                 options.ttl_delay_millis),
      kinesis_(KinesisOptionsFrom(options), tables.catalog(), tables.journal(), store.clock, store.random,
               store.metrics),
      memory_watch_(MemoryLimit(options)),
      housekeeping_(kHousekeepingInterval, [this] { KeepHouse(); }),
      indexing_(kIndexingInterval,
                [this] {
                  if (const auto pause = RunBlocking(index_backfill_.Step())) indexing_.RunSoon(*pause);
                }),
      expiring_(kExpiringInterval, [this] { Expire(); }) {
  index_backfill_.OnWork([this] { indexing_.RunSoon(); });
  ttl_setup_.OnWork([this] { expiring_.RunSoon(); });
}

Status Background::Load() {
  if (Status status = RunBlocking(index_backfill_.Load()); !status.ok()) return status;
  if (Status status = RunBlocking(ttl_setup_.Load()); !status.ok()) return status;
  tables_.catalog().AddListener(index_backfill_);
  tables_.catalog().AddListener(ttl_setup_);
  tables_.catalog().AddListener(kinesis_);
  return LoadTriggers();
}

Status Background::LoadTriggers() {
  triggers::TriggerConfig config;
  for (const std::string& option : options_.functions)
    if (Status status = triggers::AddFunctionOption(option, config); !status.ok()) return status;
  for (const std::string& option : options_.destinations)
    if (Status status = triggers::AddDestinationOption(option, config); !status.ok()) return status;
  for (const std::string& file : options_.trigger_files)
    if (Status status = triggers::ReadTriggerFile(file, options_.account, options_.region, config); !status.ok())
      return status;
  if (Status status = triggers::CheckTriggers(config); !status.ok()) return status;
  triggers_.emplace(triggers::TriggersDeps{*store_.engine, tables_.catalog(), tables_.journal(), store_.clock,
                                           store_.random, store_.metrics, options_.trigger_calls},
                    std::move(config));
  return RunBlocking(triggers_->Load());
}

void Background::KeepHouse() {
  memory_watch_.Sample();
  MemoryReserve::Refill();
  tables_.KeepHouse();
  gate_.KeepHouse();
  kinesis_.Tend();
  triggers_->Tend();
}

// Sets up what is announced, then deletes a portion of what has expired.
void Background::Expire() {
  const auto setup_pause = RunBlocking(ttl_setup_.Step());
  const auto sweep_pause = RunBlocking(ttl_sweep_.Step());
  expiring_.RunSoon(std::min(setup_pause.value_or(sweep_pause), sweep_pause));
}

void Background::Start(const std::string& endpoint) {
  housekeeping_.Start();
  kinesis_.Start();
  triggers_->Start(endpoint);
  indexing_.Start();
  indexing_.RunSoon();
  expiring_.Start();
  expiring_.RunSoon();
}

void Background::StopFunctions() { triggers_->Stop(); }

void Background::Stop() {
  kinesis_.Stop();
  housekeeping_.Stop();
  indexing_.Stop();
  expiring_.Stop();
}

}  // namespace armature::server
