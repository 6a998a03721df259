// Triggers: every mapping, and everything that runs for them.
//
// Owns the mappings' store, the functions, the TriggerThreads, and one thread that starts and ends
// runners as mappings, streams and lanes come and go, and stores their progress. The number of threads and of handler
// processes is bounded; that one cannot be started is the trouble of the mappings that wait for it, and shows in their
// last result. Guarantees: each record of a stream is delivered at least once, in the order of its item, from the
// mapping's start on; progress is durable within a fraction of a second; a mapping that changes is run by its new rules
// only when nothing runs by the old ones. The methods for the API may be called from any thread; Start and Stop by the
// server. Built by server/, used by lambda/.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/http_client.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/random.h"
#include "model/api_error.h"
#include "table/catalog.h"
#include "table/journal/journal.h"
#include "triggers/mapping_runner.h"
#include "triggers/mappings/mapping_store.h"
#include "triggers/mappings/trigger_file.h"
#include "triggers/trigger_threads.h"

namespace armature::triggers {

struct TriggersDeps {
  storage::Engine& engine;
  table::Catalog& catalog;
  table::Journal& journal;
  const Clock& clock;
  RandomSource& random;
  Metrics& metrics;
  size_t calls = kDefaultCalls;  // of all functions at once, and so handler processes
  TaskPool::StartThread start_thread = TaskPool::RealThread;
};

// An error of Lambda's API.
model::ApiError LambdaError(std::string name, int http_status, std::string message);
model::ApiError InvalidParameterValue(std::string message);

class Triggers {
 public:
  using Ref = MappingStore::Ref;

  Triggers(const TriggersDeps& deps, TriggerConfig config);
  ~Triggers();

  // The stored mappings, brought up to date with the file's triggers. After the journal's Load.
  Task<Status> Load();

  // Begins to run. Handler processes are told `endpoint`, where this server's DynamoDB is. Nothing happens before there
  // is a mapping.
  void Start(const std::string& endpoint);
  // To be called now and then, by any thread: begins to run if there was no thread for it when it was to start.
  void Tend();
  // Ends invocations (which have some seconds to finish), stores progress, ends the handlers.
  void Stop();

  // --- the API's

  bool HasFunction(std::string_view name) const;
  bool HasDestination(std::string_view text) const;

  // The mappings of an account and Region, by UUID; those being deleted are gone.
  Ref Find(table::TableScope scope, std::string_view uuid) const;
  std::vector<Ref> List(table::TableScope scope) const;
  // What to answer about a mapping that Find does not know.
  model::ApiError MissingMapping(std::string_view uuid) const;
  // Fills in UUID, start and time. REQUIRES: it has passed WhatIsWrong, its function and destination are there.
  Task<model::ApiResult<Ref>> Create(Mapping mapping);
  using Edit = std::function<model::ApiResult<void>(Mapping&)>;
  Task<model::ApiResult<Ref>> Update(table::TableScope scope, std::string uuid, Edit edit);
  Task<model::ApiResult<Ref>> Delete(table::TableScope scope, std::string uuid);

  // "Enabled" or "Disabled", and "No records processed", "OK" or "PROBLEM: …".
  std::string_view StateOf(const Mapping& mapping) const;
  std::string LastResultOf(const Mapping& mapping) const;

 private:
  // What runs for a mapping, by the rules it was started with.
  struct Active {
    Ref mapping;
    std::unique_ptr<MappingRunner> runner;
    bool is_retiring = false;
  };

  Task<Status> TakeUpTrigger(Mapping trigger);
  void StartThread();
  void Run(const std::stop_token& stop);
  void Reconcile();
  void StartRunner(const Ref& mapping);
  void Retire(Active& active);
  void FinishDeletion(const Ref& mapping);
  void BindToStream(const Ref& mapping, const Active* active);
  void Checkpoint();
  bool ShouldRun(const Mapping& mapping) const;
  std::shared_ptr<TriggerStats> StatsOf(const Mapping& mapping);
  void Nudge();

  const TriggersDeps deps_;
  const TriggerConfig config_;
  MappingStore store_;
  HttpClient http_;
  TriggerThreads threads_;
  HandlerLimit handlers_;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions_;  // made by Start
  std::set<std::string, std::less<>> in_file_;                               // UUIDs; fixed by Load

  mutable Mutex stats_mutex_;
  std::map<std::string, std::shared_ptr<TriggerStats>, std::less<>> stats_
      ARMATURE_GUARDED_BY(stats_mutex_);  // by UUID

  std::map<std::string, Active, std::less<>> active_;  // by UUID; the thread's own

  Mutex nudge_mutex_;
  StoppableCondition nudge_;
  bool is_nudged_ ARMATURE_GUARDED_BY(nudge_mutex_) = false;
  std::atomic<bool> cannot_run_{false};  // there was no thread for all this
  std::stop_source stop_;
  Mutex start_mutex_;
  std::thread thread_ ARMATURE_GUARDED_BY(start_mutex_);
};

}  // namespace armature::triggers
