#include "workers/kinesis/kinesis_delivery.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <xxhash.h>

#include "base/log.h"
#include "model/messages/streams.h"
#include "table/keys/key_layout.h"
#include "wire/json/change_json.h"

namespace armature::workers {

using model::KinesisDestinationDef;
using model::KinesisStatus;
using std::chrono::milliseconds;
namespace messages = model::messages;

namespace {

constexpr milliseconds kFirstBackOff(100);
constexpr milliseconds kLongestBackOff(5000);

std::string FollowerName(const KinesisDestinationDef& destination) {
  return fmt::format("kinesis-{}", destination.generation);
}

// As AWS: 32 hexadecimal digits that say nothing about the item but are the same for all its records.
std::string PartitionKey(const table::Table& table, model::Item keys) {
  std::string storage_key;
  table::AppendItemKey(table.key_schema(), keys, storage_key);
  const XXH128_hash_t hash = XXH3_128bits(storage_key.data(), storage_key.size());
  return fmt::format("{:016X}{:016X}", hash.high64, hash.low64);
}

KinesisDelivery::Outcome Again() { return {KinesisDelivery::Next::kAgain, {}}; }
KinesisDelivery::Outcome Pause(milliseconds pause) { return {KinesisDelivery::Next::kPause, pause}; }

}  // namespace

KinesisMeters::KinesisMeters(Metrics& metrics, const Clock& clock)
    : delivered(metrics.GetCounter("armature_kinesis_records_delivered_total", "Change records Kinesis took")),
      dropped(metrics.GetCounter("armature_kinesis_records_dropped_total",
                                 "Change records that were given up: larger than Kinesis takes, or trimmed")),
      failures(metrics.GetCounter("armature_kinesis_failures_total",
                                  "Requests to Kinesis that failed as a whole or in part, and were repeated")),
      lag_(std::make_shared<Lag>()) {
  metrics.AddGauge("armature_kinesis_lag_seconds", "Age of the oldest change read but not yet taken by Kinesis",
                   [lag = lag_, &clock] {
                     MutexLock lock(lag->mutex);
                     int64_t oldest = INT64_MAX;
                     for (const auto& [table, millis] : lag->oldest_millis) oldest = std::min(oldest, millis);
                     if (oldest == INT64_MAX) return 0.0;
                     return static_cast<double>(std::max<int64_t>(clock.NowMillis() - oldest, 0)) / 1000.0;
                   });
}

void KinesisMeters::SetOldest(uint64_t table_id, int64_t created_millis) {
  MutexLock lock(lag_->mutex);
  if (created_millis == 0) lag_->oldest_millis.erase(table_id);
  else lag_->oldest_millis[table_id] = created_millis;
}

KinesisDelivery::KinesisDelivery(const Deps& deps, std::shared_ptr<table::Table> table)
    : deps_(deps), table_(std::move(table)) {}

KinesisDelivery::~KinesisDelivery() { deps_.meters.SetOldest(table_->id(), 0); }

// --- states

KinesisDelivery::Outcome KinesisDelivery::Step(const std::stop_token& stop) {
  const auto def = table_->def();
  if (deps_.catalog.Find({def->account, def->region}, def->name) != table_) return {Next::kEnd, {}};
  const KinesisDestinationDef* destination = def->LiveKinesisDestination();
  if (!destination) return {Next::kEnd, {}};
  const int64_t due = destination->since_millis + deps_.catalog.control_plane_delay_millis();
  const int64_t wait = due - deps_.clock.NowMillis();
  switch (destination->status) {
    case KinesisStatus::kEnabling: return wait > 0 ? Pause(milliseconds(wait)) : Enable(*destination, stop);
    case KinesisStatus::kDisabling: return wait > 0 ? Pause(milliseconds(wait)) : Disable(*destination, stop);
    case KinesisStatus::kUpdating:
      if (wait <= 0) return Change(*destination, KinesisStatus::kActive, {});
      break;
    default: break;
  }
  return Deliver(*destination, stop);
}

// The stream is looked at before anything depends on it, and records are kept from before the destination is ACTIVE on.
KinesisDelivery::Outcome KinesisDelivery::Enable(const KinesisDestinationDef& destination,
                                                 const std::stop_token& stop) {
  const auto fail = [&](std::string_view why) { return Change(destination, KinesisStatus::kEnableFailed, why); };
  if (!deps_.client.has_endpoint()) return fail(messages::kKinesisNoEndpoint);
  const auto stream = model::ParseKinesisStreamArn(destination.stream_arn);
  if (!stream) return fail(messages::kKinesisNotPermitted);
  if (stream->region != table_->def()->region) return fail(messages::kKinesisOtherRegion);

  const auto status = deps_.client.StreamStatus(*stream, stop);
  if (!status && status.error().kind == KinesisFailure::kUnavailable) {
    if (stop.stop_requested()) return Pause(kFirstBackOff);
    const bool is_patient = deps_.clock.NowMillis() - destination.since_millis < kEnableMillis;
    if (is_patient) return BackOff(status.error().message);
    return fail(
        fmt::format(messages::kKinesisUnreachable, deps_.client.EndpointFor(stream->region), status.error().message));
  }
  if (!status || *status == "CREATING") return fail(messages::kKinesisNotPermitted);
  if (*status == "DELETING") return fail(messages::kKinesisStreamNotActive);

  attempts_ = 0;
  const Status followed = RunBlocking(
      deps_.journal.Follow(table_, FollowerName(destination), model::kBothImages, table::Retention::kAtMostADay));
  if (!followed.ok()) return BackOff(followed.ToString());
  return Change(destination, KinesisStatus::kActive, {});
}

// What was written before is delivered if Kinesis takes it without ado.
KinesisDelivery::Outcome KinesisDelivery::Disable(const KinesisDestinationDef& destination,
                                                  const std::stop_token& stop) {
  if (deps_.clock.NowMillis() - destination.since_millis < kDrainMillis) {
    const Outcome outcome = Deliver(destination, stop);
    if (outcome.next == Next::kAgain || stop.stop_requested()) return outcome;
  }
  const Status removed = RunBlocking(followers::LaneWalker::Remove(deps_.journal, table_, FollowerName(destination)));
  if (!removed.ok()) return BackOff(removed.ToString());
  Forget();
  return Change(destination, KinesisStatus::kDisabled, {});
}

KinesisDelivery::Outcome KinesisDelivery::Change(const KinesisDestinationDef& from, KinesisStatus status,
                                                 std::string_view description) {
  const auto def = table_->def();
  const table::Catalog::Change apply = [&](model::TableDef& table) -> model::ApiResult<void> {
    KinesisDestinationDef* destination =
        table.id == table_->id() ? table.FindKinesisDestination(from.stream_arn) : nullptr;
    if (!destination || destination->generation != from.generation || destination->status != from.status)
      return model::ResourceInUseException("the destination has changed");
    destination->status = status;
    destination->status_description = description;
    destination->since_millis = deps_.clock.NowMillis();
    return {};
  };
  const auto changed = RunBlocking(deps_.catalog.Update({def->account, def->region}, def->name, apply));
  if (!changed) return BackOff(changed.error().message);
  LogInfo("table {}: Kinesis destination {} is {}{}{}", def->name, from.stream_arn, model::KinesisStatusName(status),
          description.empty() ? "" : ": ", description);
  return Again();
}

// --- reading the journal

Status KinesisDelivery::TakeUp(const KinesisDestinationDef& destination) {
  if (walker_ && generation_ == destination.generation) return Status::Ok();
  Forget();
  auto following = followers::FollowingOf(table_, FollowerName(destination), model::kBothImages);
  auto walker = RunBlocking(followers::LaneWalker::Open(deps_.journal, std::move(following)));
  if (!walker) return std::move(walker).error();
  walker_ = std::move(*walker);
  generation_ = destination.generation;
  return Status::Ok();
}

Result<bool> KinesisDelivery::Gather(const KinesisDestinationDef& destination) {
  if (Status status = TakeUp(destination); !status.ok()) return status;
  if (!table_->journal().state()->FindFollower(FollowerName(destination)))
    return Status::NotFound("the journal does not know the destination");
  const followers::Deliver deliver = [&](const auto& lane, followers::LaneBatch& batch) {
    return TakeOn(destination, lane, batch);
  };
  const auto walked = RunBlocking(walker_->Walk({.records = KinesisClient::kMaxRecords}, deliver));
  if (!walked) return walked.error();
  if (walked->was_trimmed) {
    LogWarn("table {}: changes older than the journal keeps were not delivered to {}", table_->def()->name,
            destination.stream_arn);
    deps_.meters.dropped.Add();
  }
  return walked->has_news;
}

Task<Status> KinesisDelivery::TakeOn(const KinesisDestinationDef& destination,
                                     const std::shared_ptr<followers::FollowedLane>& lane,
                                     followers::LaneBatch& batch) {
  const auto def = table_->def();
  const wire::ChangeSource source{.region = def->region, .table_name = def->name, .stream_arn = {}};
  for (; !batch.left().empty(); batch.TakeFirst()) {
    const model::ChangeRecord& record = batch.left().front();
    Pending pending{{}, lane, record.position};
    pending.record.partition_key = PartitionKey(*table_, record.keys);
    wire::AppendKinesisRecord(record, source, destination.precision, pending.record.data);
    pending_.push_back(std::move(pending));
  }
  co_return Status::Ok();
}

void KinesisDelivery::FinishFirst() {
  pending_.front().lane->Finished(pending_.front().position);
  pending_.pop_front();
}

Status KinesisDelivery::StoreProgress() {
  if (!walker_ || !has_moved_) return Status::Ok();
  if (Status status = RunBlocking(walker_->Checkpoint()); !status.ok()) return status;
  has_moved_ = false;
  return Status::Ok();
}

// --- sending

KinesisDelivery::Outcome KinesisDelivery::Deliver(const KinesisDestinationDef& destination,
                                                  const std::stop_token& stop) {
  const auto stream = model::ParseKinesisStreamArn(destination.stream_arn);
  if (!stream) return BackOff("the stream's ARN is damaged");
  if (generation_ != destination.generation) Forget();
  if (pending_.empty()) {
    // Of a request that Kinesis took, but whose cursors could not be stored.
    if (Status status = StoreProgress(); !status.ok()) return BackOff(status.ToString());
    const auto has_news = Gather(destination);
    has_moved_ = has_moved_ || !has_news || *has_news;
    if (!has_news) return BackOff(has_news.error().ToString());
    if (!*has_news) return {Next::kAwaitRecords, {}};
  }
  ShowLag();
  if (!pending_.empty()) {
    const Outcome outcome = Send(*stream, stop);
    ShowLag();
    if (!pending_.empty()) return outcome;
  }
  if (Status status = StoreProgress(); !status.ok()) return BackOff(status.ToString());
  return Again();
}

size_t KinesisDelivery::NextRequestSize() const {
  size_t count = 0, bytes = 0;
  for (const Pending& pending : pending_) {
    bytes += pending.record.data.size() + pending.record.partition_key.size();
    if (count > 0 && (count >= request_limit_ || bytes > KinesisClient::kMaxRequestBytes)) break;
    ++count;
  }
  return count;
}

KinesisDelivery::Outcome KinesisDelivery::Send(const model::KinesisStreamArn& stream, const std::stop_token& stop) {
  const size_t count = NextRequestSize();
  std::vector<const KinesisRecord*> records;
  records.reserve(count);
  for (size_t i = 0; i < count; ++i) records.push_back(&pending_[i].record);
  const auto result = deps_.client.PutRecords(stream, records, stop);
  if (!result) {
    if (stop.stop_requested()) return Pause(kFirstBackOff);
    return HandleFailure(result.error(), count);
  }
  if (!Settle(*result)) {
    const auto failed = std::ranges::find_if(*result, [](const std::string& error) { return !error.empty(); });
    return BackOff(*failed);
  }
  request_limit_ = KinesisClient::kMaxRecords;
  attempts_ = 0;
  return Again();
}

KinesisDelivery::Outcome KinesisDelivery::HandleFailure(const KinesisError& error, size_t sent) {
  if (error.kind != KinesisFailure::kRefused) return BackOff(error.message);
  if (sent > 1) {
    // Perhaps one of them is at fault: smaller requests will tell which.
    request_limit_ = sent / 2;
    return Again();
  }
  const KinesisRecord& record = pending_.front().record;
  const bool is_too_large = record.data.size() + record.partition_key.size() > KinesisClient::kMaxRecordBytes;
  if (!is_too_large) return BackOff(error.message);
  LogWarn("table {}: a change record of {} bytes is more than Kinesis takes and was given up: {}", table_->def()->name,
          record.data.size(), error.message);
  deps_.meters.dropped.Add();
  FinishFirst();
  return Again();
}

bool KinesisDelivery::Settle(const std::vector<std::string>& errors) {
  std::set<std::string, std::less<>> behind;  // partition keys with a record that was not taken
  std::deque<Pending> kept;
  size_t taken = 0;
  for (const std::string& error : errors) {
    Pending& pending = pending_.front();
    if (error.empty()) ++taken;
    if (!error.empty() || behind.contains(pending.record.partition_key)) {
      behind.insert(pending.record.partition_key);
      kept.push_back(std::move(pending));
      pending_.pop_front();
    } else {
      FinishFirst();
    }
  }
  deps_.meters.delivered.Add(taken);
  pending_.insert(pending_.begin(), std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end()));
  return kept.empty();
}

KinesisDelivery::Outcome KinesisDelivery::BackOff(std::string_view why) {
  deps_.meters.failures.Add();
  if (attempts_ == 0) LogWarn("table {}: delivery to Kinesis goes on later: {}", table_->def()->name, why);
  const milliseconds pause = std::min(kFirstBackOff * (1 << std::min(attempts_, 10)), kLongestBackOff);
  ++attempts_;
  return Pause(pause * 3 / 4 + milliseconds(deps_.random.Below(static_cast<uint64_t>(pause.count()) / 4 + 1)));
}

void KinesisDelivery::Forget() {
  generation_ = 0;
  pending_.clear();
  walker_.reset();
  has_moved_ = false;
  request_limit_ = KinesisClient::kMaxRecords;
  ShowLag();
}

void KinesisDelivery::ShowLag() { deps_.meters.SetOldest(table_->id(), walker_ ? walker_->oldest_millis() : 0); }

}  // namespace armature::workers
