#include "triggers/triggers.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/log.h"
#include "base/log_limit.h"
#include "model/messages/triggers.h"
#include "model/names/arn.h"

namespace armature::triggers {

namespace {

namespace messages = model::messages;
using model::ApiResult;

// How often lanes are looked at and cursors stored.
constexpr std::chrono::milliseconds kRound(100);

table::TableScope ScopeOf(const Mapping& mapping) { return {mapping.account, mapping.region}; }
bool IsIn(const Mapping& mapping, table::TableScope scope) {
  return mapping.account == scope.account && mapping.region == scope.region;
}

// Each of hundreds of mappings tries again ten times a second: on a full disk that is not to be read in the log.
void TellOfFailure(const Mapping& mapping, std::string_view what, const Status& status) {
  static LogLimit limit;
  // kNotFound: the table was dropped, and its cursors with it.
  if (status.ok() || status.code() == StatusCode::kNotFound) return;
  if (const auto more = limit.Pass())
    LogError("trigger {}: {}: {} ({} more like it)", mapping.label(), what, status.ToString(), *more);
}

}  // namespace

model::ApiError LambdaError(std::string name, int http_status, std::string message) {
  model::ApiError error;
  error.family = model::ErrorFamily::kCoralService;
  error.name = std::move(name);
  error.http_status = http_status;
  error.message = std::move(message);
  return error;
}

model::ApiError InvalidParameterValue(std::string message) {
  return LambdaError("InvalidParameterValueException", 400, std::move(message));
}

model::ApiError Triggers::MissingMapping(std::string_view uuid) const {
  if (store_.IsUnreadable(uuid))
    return LambdaError("ServiceException", 500, fmt::format(messages::kTriggerUnreadable, uuid));
  return LambdaError("ResourceNotFoundException", 404, std::string(messages::kTriggerMappingNotFound));
}

Triggers::Triggers(const TriggersDeps& deps, TriggerConfig config)
    : deps_(deps),
      config_(std::move(config)),
      store_(deps.engine),
      threads_(deps.journal, deps.calls, deps.start_thread),
      handlers_(deps.calls) {}

Triggers::~Triggers() { Stop(); }

// --- loading and the file's triggers

Task<Status> Triggers::Load() {
  if (Status status = co_await store_.Load(); !status.ok()) co_return status;
  for (const Mapping& trigger : config_.triggers) {
    if (store_.IsUnreadable(trigger.uuid)) {
      LogError("trigger {} does not run: its stored progress ({}) cannot be read", trigger.label(), trigger.uuid);
      continue;
    }
    in_file_.insert(trigger.uuid);
    if (Status status = co_await TakeUpTrigger(trigger); !status.ok()) co_return status;
  }
  co_return Status::Ok();
}

// The file says how, the store knows how far.
Task<Status> Triggers::TakeUpTrigger(Mapping trigger) {
  const Ref stored = store_.Find(trigger.uuid);
  if (stored && !stored->is_deleted) {
    trigger.event_source_arn = stored->event_source_arn;
    trigger.start = stored->start;
    trigger.last_modified_millis = stored->last_modified_millis;
    if (EncodeMapping(trigger) == EncodeMapping(*stored)) co_return Status::Ok();
  } else {
    // Seen for the first time: a stream that is there already is followed from its beginning, or from now on.
    const auto streams = deps_.journal.ListStreams(ScopeOf(trigger), trigger.table_name);
    for (const auto& ref : streams) {
      if (!ref.stream->is_enabled()) continue;
      trigger.event_source_arn = model::MakeStreamArn(ref.table->def()->Arn(), ref.stream->label);
      if (trigger.starting_position != StartingPosition::kLatest) continue;
      auto latest = co_await deps_.journal.LatestOfAll(*ref.table);
      if (!latest) co_return latest.error();
      trigger.start = std::move(*latest);
    }
  }
  trigger.last_modified_millis = deps_.clock.NowMillis();
  const Ref ready = std::make_shared<Mapping>(std::move(trigger));
  const MappingStore::Decide decide = [&](const auto&) -> ApiResult<Ref> { return ready; };
  const auto changed = co_await store_.Change(decide);
  co_return changed ? Status::Ok() : Status::IoError("storing a trigger: " + changed.error().message);
}

// A trigger of the file follows its table by name, through streams that are closed and opened, and tables that are
// deleted and made again. What is left of an old stream comes before the new one.
void Triggers::BindToStream(const Ref& mapping, const Active* active) {
  const auto table = deps_.catalog.Find(ScopeOf(*mapping), mapping->table_name);
  const auto def = table ? table->def() : nullptr;
  if (!def || !def->stream.enabled) return;
  const std::string arn = def->StreamArn();
  if (arn == mapping->event_source_arn) return;
  // Without a runner nobody knows what is left of the old one: there will be one, if there is anything to be read.
  const bool is_drained = active ? active->runner->is_drained() : !deps_.journal.FindStream(mapping->event_source_arn);
  if (!is_drained) return;
  if (!deps_.journal.FindStream(arn)) return;  // soon
  const MappingStore::Decide decide = [&](const auto& all) -> ApiResult<Ref> {
    const auto found = all.find(mapping->uuid);
    if (found == all.end() || found->second != mapping) return Ref();
    Mapping bound = *mapping;
    bound.event_source_arn = arn;
    bound.start.clear();
    return Ref(std::make_shared<Mapping>(std::move(bound)));
  };
  const auto changed = RunBlocking(store_.Change(decide));
  if (!changed) return TellOfFailure(*mapping, "binding it to a stream", Status::IoError(changed.error().message));
  // Only now: without them a crash before the change would begin the old stream anew.
  if (active) {
    const auto& context = active->runner->context();
    TellOfFailure(*mapping, "removing progress",
                  RunBlocking(followers::LaneWalker::Remove(deps_.journal, context.table, mapping->reader())));
  }
  Nudge();
}

// --- running

void Triggers::Start(const std::string& endpoint) {
  for (const auto& [name, defined] : config_.functions) {
    FunctionSpec spec = defined;
    // What an SDK inside the handler looks at, so that it finds this server; the function's own settings win.
    spec.environment.try_emplace("AWS_ENDPOINT_URL_DYNAMODB", endpoint);
    spec.environment.try_emplace("AWS_LAMBDA_FUNCTION_NAME", name);
    functions_[name] = MakeFunction(std::move(spec), http_, handlers_);
  }
  StartThread();
}

void Triggers::StartThread() {
  MutexLock lock(start_mutex_);
  if (stop_.stop_requested()) return;
  try {
    thread_ = deps_.start_thread([this] { Run(stop_.get_token()); });
    cannot_run_ = false;
  } catch (const std::system_error& error) {
    if (!cannot_run_.exchange(true))
      LogError("triggers do not run: no thread can be started ({}); trying again", error.what());
  }
}

void Triggers::Tend() {
  if (cannot_run_) StartThread();
}

void Triggers::Stop() {
  stop_.request_stop();
  std::thread ending;
  {
    MutexLock lock(start_mutex_);
    ending = std::move(thread_);
  }
  if (ending.joinable()) ending.join();
  handlers_.EndAllIdle();
}

void Triggers::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    threads_.Tend();
    Reconcile();
    Checkpoint();
    MutexLock lock(nudge_mutex_);
    nudge_.wait_for(lock, stop, active_.empty() ? kRound * 10 : kRound,
                    [&]() ARMATURE_WITH_LOCK(nudge_mutex_) { return is_nudged_; });
    is_nudged_ = false;
  }
  for (auto& [uuid, active] : active_) Retire(active);
  // All were asked before the first is waited for: their invocations end side by side.
  for (auto& [uuid, active] : active_) active.runner->Await();
  Checkpoint();
  active_.clear();
}

void Triggers::Nudge() {
  MutexLock lock(nudge_mutex_);
  is_nudged_ = true;
  nudge_.notify_one();
}

bool Triggers::ShouldRun(const Mapping& mapping) const {
  if (!mapping.is_enabled || mapping.is_deleted || mapping.event_source_arn.empty()) return false;
  return !mapping.is_from_file() || in_file_.contains(mapping.uuid);
}

void Triggers::Reconcile() {
  const std::vector<Ref> mappings = store_.List();
  for (const Ref& mapping : mappings) {
    const auto found = active_.find(mapping->uuid);
    Active* active = found == active_.end() ? nullptr : &found->second;
    if (active && (active->mapping != mapping || !ShouldRun(*mapping))) Retire(*active);
    if (active && active->is_retiring && active->runner->has_stopped()) {
      TellOfFailure(*mapping, "storing progress", active->runner->Checkpoint());
      active_.erase(found);
      active = nullptr;
    }
    if (!active && mapping->is_deleted) {
      FinishDeletion(mapping);
    } else if (!active && ShouldRun(*mapping)) {
      StartRunner(mapping);
    } else if (active && !active->is_retiring) {
      active->runner->Step();
      active->runner->Measure();
    }
    if (mapping->is_from_file() && mapping->is_enabled && in_file_.contains(mapping->uuid)) {
      const auto now = active_.find(mapping->uuid);
      const bool is_retiring = now != active_.end() && now->second.is_retiring;
      if (!is_retiring) BindToStream(mapping, now == active_.end() ? nullptr : &now->second);
    }
  }
}

void Triggers::Retire(Active& active) {
  if (active.is_retiring) return;
  active.is_retiring = true;
  active.runner->RequestStop();
}

void Triggers::StartRunner(const Ref& mapping) {
  const auto stats = StatsOf(*mapping);
  const auto function = functions_.find(mapping->function_name);
  if (function == functions_.end()) return stats->SetHindrance("PROBLEM: Function not found");
  const auto ref = deps_.journal.FindStream(mapping->event_source_arn);
  if (!ref) return stats->SetHindrance("PROBLEM: Stream not found");
  auto filter = EventFilter::Parse(mapping->filters);
  if (!filter) return stats->SetHindrance("PROBLEM: Invalid filter");
  Destination destination(FindDestination(config_, mapping->on_failure), http_, deps_.random);
  auto runner = MappingRunner::Start({mapping, ref->table, ref->stream->images, std::move(*filter), *function->second,
                                      std::move(destination), deps_.journal, deps_.clock, stats, threads_});
  if (!runner) {
    stats->SetHindrance("PROBLEM: Progress cannot be read");
    return TellOfFailure(*mapping, "reading progress", runner.error());
  }
  stats->SetHindrance({});
  (*runner)->Step();
  active_[mapping->uuid] = {mapping, std::move(*runner), false};
}

void Triggers::FinishDeletion(const Ref& mapping) {
  if (const auto ref = deps_.journal.FindStream(mapping->event_source_arn)) {
    const Status status = RunBlocking(followers::LaneWalker::Remove(deps_.journal, ref->table, mapping->reader()));
    if (!status.ok() && status.code() != StatusCode::kNotFound)
      return TellOfFailure(*mapping, "removing progress", status);
  }
  TellOfFailure(*mapping, "removing it", RunBlocking(store_.Remove(mapping->uuid)));
}

void Triggers::Checkpoint() {
  for (auto& [uuid, active] : active_) TellOfFailure(*active.mapping, "storing progress", active.runner->Checkpoint());
}

std::shared_ptr<TriggerStats> Triggers::StatsOf(const Mapping& mapping) {
  MutexLock lock(stats_mutex_);
  auto& stats = stats_[mapping.uuid];
  if (stats) return stats;
  stats = std::make_shared<TriggerStats>(deps_.metrics, mapping.label());
  const std::string label = fmt::format("trigger=\"{}\"", mapping.label());
  deps_.metrics.AddGauge(
      "armature_trigger_lag_seconds", "Age of the oldest record a trigger has not dealt with",
      [stats] { return static_cast<double>(stats->lag_millis.load()) / 1000; }, label);
  deps_.metrics.AddGauge(
      "armature_trigger_lag_records", "Changes of the table since the progress of a trigger's furthest-behind shard",
      [stats] { return static_cast<double>(stats->lag_records.load()); }, label);
  return stats;
}

// --- the API's

bool Triggers::HasFunction(std::string_view name) const { return config_.functions.contains(std::string(name)); }

// Whoever calls the API may use what the server's owner has defined, and no other directory or URL.
bool Triggers::HasDestination(std::string_view text) const {
  return DestinationOf(text).is_none() && !FindDestination(config_, text).is_none();
}

Triggers::Ref Triggers::Find(table::TableScope scope, std::string_view uuid) const {
  const Ref mapping = store_.Find(uuid);
  return mapping && !mapping->is_deleted && IsIn(*mapping, scope) ? mapping : nullptr;
}

std::vector<Triggers::Ref> Triggers::List(table::TableScope scope) const {
  std::vector<Ref> mappings = store_.List();
  std::erase_if(mappings, [&](const Ref& mapping) { return mapping->is_deleted || !IsIn(*mapping, scope); });
  return mappings;
}

Task<ApiResult<Triggers::Ref>> Triggers::Create(Mapping mapping) {
  const auto ref = deps_.journal.FindStream(mapping.event_source_arn);
  if (!ref || !ref->stream->is_enabled())
    co_return InvalidParameterValue(fmt::format(messages::kTriggerStreamNotFound, mapping.event_source_arn));
  mapping.uuid = UuidV4(deps_.random);
  mapping.last_modified_millis = deps_.clock.NowMillis();
  if (mapping.starting_position == StartingPosition::kLatest) {
    auto latest = co_await deps_.journal.LatestOfAll(*ref->table);
    if (!latest) co_return model::FromStatus(latest.error());
    mapping.start = std::move(*latest);
  }
  const Ref created = std::make_shared<Mapping>(std::move(mapping));
  const MappingStore::Decide decide = [&](const auto& all) -> ApiResult<Ref> {
    for (const auto& [uuid, other] : all) {
      if (other->is_deleted || other->event_source_arn != created->event_source_arn ||
          other->function_arn() != created->function_arn())
        continue;
      return LambdaError(
          "ResourceConflictException", 409,
          fmt::format(messages::kTriggerExists, created->event_source_arn, created->function_name, uuid));
    }
    return created;
  };
  auto stored = co_await store_.Change(decide);
  Nudge();
  co_return stored;
}

Task<ApiResult<Triggers::Ref>> Triggers::Update(table::TableScope scope, std::string uuid, Edit edit) {
  const MappingStore::Decide decide = [&](const auto& all) -> ApiResult<Ref> {
    const auto found = all.find(uuid);
    if (found == all.end() || found->second->is_deleted || !IsIn(*found->second, scope)) return MissingMapping(uuid);
    Mapping changed = *found->second;
    if (in_file_.contains(uuid))
      return LambdaError("ResourceInUseException", 400, fmt::format(messages::kTriggerOfFile, changed.trigger_name));
    if (auto edited = edit(changed); !edited) return std::move(edited).error();
    changed.last_modified_millis = deps_.clock.NowMillis();
    return Ref(std::make_shared<Mapping>(std::move(changed)));
  };
  auto stored = co_await store_.Change(decide);
  Nudge();
  co_return stored;
}

Task<ApiResult<Triggers::Ref>> Triggers::Delete(table::TableScope scope, std::string uuid) {
  const Edit edit = [](Mapping& mapping) -> ApiResult<void> {
    mapping.is_deleted = true;
    return {};
  };
  co_return co_await Update(scope, std::move(uuid), edit);
}

std::string_view Triggers::StateOf(const Mapping& mapping) const {
  const bool is_left_over = mapping.is_from_file() && !in_file_.contains(mapping.uuid);
  return mapping.is_enabled && !is_left_over ? "Enabled" : "Disabled";
}

std::string Triggers::LastResultOf(const Mapping& mapping) const {
  if (cannot_run_) return "PROBLEM: No thread can be started";
  MutexLock lock(stats_mutex_);
  const auto found = stats_.find(mapping.uuid);
  return found == stats_.end() ? "No records processed" : found->second->last_result();
}

}  // namespace armature::triggers
