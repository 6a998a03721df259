#include "storage/narrow/lanes.h"

#include <utility>

#include <fmt/core.h>

#include "base/memory/memory_reserve.h"

namespace armature::storage {
namespace {

Status Closed() { return Status::Unavailable("the store is closed"); }

}  // namespace

Lanes::Lanes(Engine& inner, LateThread& late, const NarrowFaultRates& rates, uint64_t seed)
    : inner_(inner),
      late_(late),
      faults_(rates, seed),
      // Lives as long as its engine.
      system_(
          std::make_shared<NarrowPartition>(std::shared_ptr<OpenPartition>(std::shared_ptr<void>(), &inner.system()))) {
  MutexLock lock(mutex_);
  lanes_[kSystemPartition].Open(system_);
}

Lane* Lanes::Find(PartitionId id) {
  const auto found = lanes_.find(id);
  return found == lanes_.end() ? nullptr : &found->second;
}

void Lanes::Post(const Jobs& jobs) {
  for (const auto& answer : jobs.answers) late_.Post(answer);
  for (const PartitionId id : jobs.to_write) late_.PostSlowly([this, id] { WriteSome(id); });
}

// --- commits

void Lanes::Commit(CommitOp& op) {
  const Essential ordered;  // and answered
  Jobs jobs;
  {
    MutexLock lock(mutex_);
    Order(op, jobs);
  }
  Post(jobs);
}

void Lanes::Order(CommitOp& op, Jobs& jobs) {
  if (!is_closed_ && lanes_.at(op.partition->id()).is_changing()) {
    jobs.answers.emplace_back([this, &op] { Commit(op); });
    return;
  }
  op.status = Place(op, jobs);
  jobs.answers.emplace_back([this, &op, crashes = crashes_] { Finish(op, crashes); });
}

Status Lanes::Place(CommitOp& op, Jobs& jobs) {
  if (is_closed_) return Closed();
  if (Status status = CheckAlive(op.partition); !status.ok()) return status;
  if (Status status = CheckBatch(*op.partition, *op.batch); !status.ok()) return status;
  const PartitionId id = op.partition->id();
  Lane& lane = lanes_.at(id);
  if (id == kSystemPartition) return PlaceInSystem(lane, op, jobs);
  const NarrowFaults::Fault fault = faults_.OfCommit(id);
  const bool can_be_doubtful = !op.partition->info().is_ended;
  Lane::Answers answers;
  Status status;
  switch (fault.kind) {
    case NarrowFaults::Kind::kBusy: return Status::Busy(fmt::format("partition {} has too much to write", id));
    case NarrowFaults::Kind::kFence:
      lane.Die(faults_.Survivors(lane.overlay().size()), true, answers);
      status = CheckAlive(op.partition);
      break;
    case NarrowFaults::Kind::kUnknown:
      if (!can_be_doubtful) {
        lane.Order(op, std::nullopt);
        break;
      }
      op.sequence = lane.NextSequence(*op.batch);
      if (fault.is_done) lane.Order(op, std::nullopt);
      lane.Die(fault.is_done ? lane.overlay().size() : faults_.Survivors(lane.overlay().size()), false, answers);
      status = Status::Unknown(fmt::format("no answer from partition {}", id));
      break;
    case NarrowFaults::Kind::kDoubt:
      lane.Order(op, can_be_doubtful ? std::optional(fault.is_done) : std::nullopt);
      break;
    case NarrowFaults::Kind::kNone: lane.Order(op, std::nullopt); break;
  }
  AnswerLate(answers, jobs);
  Schedule(id, lane, jobs);
  return status;
}

// Its handle never dies: what became of a commit is settled when it is answered.
Status Lanes::PlaceInSystem(Lane& lane, CommitOp& op, Jobs& jobs) {
  const NarrowFaults::Fault fault = faults_.PlannedOfCommit(kSystemPartition);
  if (fault.kind == NarrowFaults::Kind::kBusy) return Status::Busy("the system partition has too much to write");
  const bool is_unknown = fault.kind == NarrowFaults::Kind::kUnknown;
  op.sequence = lane.NextSequence(*op.batch);
  if (!is_unknown || fault.is_done) lane.Order(op, std::nullopt);
  Schedule(kSystemPartition, lane, jobs);
  return is_unknown ? Status::Unknown("no answer from the system partition") : Status();
}

void Lanes::Finish(CommitOp& op, uint64_t crashes) {
  {
    MutexLock lock(mutex_);
    if (crashes != crashes_ && op.status.ok()) op.status = Status::Unknown("the process crashed");
  }
  op.done.Finish();
}

void Lanes::Schedule(PartitionId id, Lane& lane, Jobs& jobs) {
  if (lane.is_scheduled || lane.overlay().empty() || faults_.IsHeld(id)) return;
  lane.is_scheduled = true;
  jobs.to_write.push_back(id);
}

// --- waiting

void Lanes::WhenDurable(DurableOp& op) {
  const Essential parked;  // or answered
  Jobs jobs;
  {
    MutexLock lock(mutex_);
    if (Judge(op, jobs)) jobs.answers.emplace_back([&op] { op.done.Finish(); });
  }
  Post(jobs);
}

bool Lanes::Judge(DurableOp& op, Jobs& jobs) {
  const PartitionId id = op.partition->id();
  Lane& lane = lanes_.at(id);
  if (const auto known = lane.Judge(op.mark)) {
    op.status = *known;
    return true;
  }
  // What is being written cannot be lost any more.
  const size_t before = lane.CountBefore(op.mark);
  const bool can_be_fenced =
      lane.is_open() && id != kSystemPartition && !lane.handle()->info().is_ended && before >= lane.in_flight();
  if (!can_be_fenced || !faults_.FencesWait(id)) {
    lane.Park(op);
    return false;
  }
  Lane::Answers answers;
  lane.Die(faults_.Survivors(before), true, answers);
  AnswerLate(answers, jobs);
  Schedule(id, lane, jobs);
  op.status = Status::Fenced(fmt::format("partition {} has another owner", id));
  return true;
}

void Lanes::AnswerLate(const Lane::Answers& answers, Jobs& jobs) {
  for (const Lane::Answer& answer : answers) {
    answer.op->status = answer.status;
    jobs.answers.emplace_back([op = answer.op] { op->done.Finish(); });
  }
}

Mark Lanes::DurableUpTo(const OpenPartition& partition) const {
  MutexLock lock(mutex_);
  const auto found = lanes_.find(partition.id());
  return found == lanes_.end() ? 0 : found->second.DurableUpTo(partition);
}

// --- partitions

Result<std::shared_ptr<OpenPartition>> Lanes::Open(PartitionId id, Epoch epoch) {
  if (id == kSystemPartition) return std::shared_ptr<OpenPartition>(system_);
  Lane* lane = nullptr;
  bool must_settle = false;
  {
    MutexLock lock(mutex_);
    if (is_closed_) return Closed();
    lane = Find(id);
    if (lane && lane->handle()) {
      const Epoch current = lane->handle()->info().epoch;
      if (lane->is_open() && epoch == current) return std::shared_ptr<OpenPartition>(lane->handle());
      if (lane->is_unsettled() && epoch <= current)
        return Status::Fenced(fmt::format("partition {} is to be opened above epoch {}", id, current));
      if (epoch > current) lane->handle()->Kill();
      must_settle = !lane->is_open();
    }
  }
  if (must_settle) Settle(*lane);
  auto opened = RunBlocking(inner_.OpenPartitionAt(id, epoch));
  if (!opened) return opened.error();
  auto handle = std::make_shared<NarrowPartition>(std::move(*opened));
  MutexLock lock(mutex_);
  lanes_[id].Open(handle);
  return std::shared_ptr<OpenPartition>(std::move(handle));
}

Status Lanes::Change(PartitionId id, bool is_drop, const std::function<Status()>& change) {
  Lane* lane = nullptr;
  Jobs jobs;
  bool is_fenced = false;
  {
    MutexLock lock(mutex_);
    if (is_closed_) return Closed();
    lane = Find(id);
    is_fenced = lane && !is_drop && lane->is_open() && !lane->handle()->info().is_ended && faults_.FencesSplit(id);
    if (is_fenced) {
      Lane::Answers answers;
      lane->Die(faults_.Survivors(lane->overlay().size()), true, answers);
      AnswerLate(answers, jobs);
      Schedule(id, *lane, jobs);
    } else if (lane) {
      lane->SetChanging(true);
    }
  }
  Post(jobs);
  if (is_fenced) return Status::Fenced(fmt::format("partition {} has another owner", id));
  if (lane) Settle(*lane);
  Status status = change();
  if (lane) {
    MutexLock lock(mutex_);
    lane->SetChanging(false);
    if (status.ok()) lane->End(is_drop);
  }
  return status;
}

void Lanes::SettleKeyspace(KeyspaceId keyspace) {
  std::vector<Lane*> lanes;
  {
    MutexLock lock(mutex_);
    if (is_closed_) return;
    for (auto& [id, lane] : lanes_)
      if (id != kSystemPartition && lane.handle() && lane.handle()->info().keyspace == keyspace) lanes.push_back(&lane);
  }
  for (Lane* lane : lanes) Settle(*lane);
}

// --- the end

void Lanes::Refuse() {
  MutexLock lock(mutex_);
  is_closed_ = true;
}

void Lanes::SettleAll() {
  std::vector<Lane*> lanes;
  {
    MutexLock lock(mutex_);
    for (auto& [id, lane] : lanes_) lanes.push_back(&lane);
  }
  for (Lane* lane : lanes) Settle(*lane);
}

// --- controls

void Lanes::PlanFault(PartitionId id, NarrowFaults::Fault fault) {
  MutexLock lock(mutex_);
  faults_.Next(id, fault);
}

void Lanes::PlanBusy(PartitionId id, size_t count) {
  MutexLock lock(mutex_);
  faults_.BusyNext(id, count);
}

void Lanes::HoldBack(PartitionId id) {
  MutexLock lock(mutex_);
  faults_.HoldBack(id);
}

void Lanes::LetGo(PartitionId id) {
  Jobs jobs;
  {
    MutexLock lock(mutex_);
    faults_.LetGo(id);
    if (Lane* lane = Find(id)) Schedule(id, *lane, jobs);
  }
  Post(jobs);
}

void Lanes::Crash() {
  Jobs jobs;
  {
    MutexLock lock(mutex_);
    ++crashes_;
    Lane::Answers answers;
    for (auto& [id, lane] : lanes_) lane.Crash(answers);
    AnswerLate(answers, jobs);
  }
  Post(jobs);
}

size_t Lanes::queued(PartitionId id) const {
  MutexLock lock(mutex_);
  const auto found = lanes_.find(id);
  return found == lanes_.end() ? 0 : found->second.overlay().size();
}

size_t Lanes::queued() const {
  MutexLock lock(mutex_);
  size_t sum = 0;
  for (const auto& [id, lane] : lanes_) sum += lane.overlay().size();
  return sum;
}

}  // namespace armature::storage
