#include "arena/simulation.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/request_context.h"
#include "arena/client.h"
#include "arena/deferring_engine.h"
#include "arena/round.h"
#include "auth/accept_any.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "front/pipeline.h"
#include "front/testing/call_testing.h"
#include "net/http_message.h"
#include "wire/envelope/envelope.h"
#include "workers/index_backfill.h"

namespace armature::arena {
namespace {

// Runs what is posted one by one, in an order that is the scheduler's choice.
class ChosenExecutor final : public Executor {
 public:
  void Post(std::coroutine_handle<> handle) override { ready_.push_back(handle); }
  size_t ready() const { return ready_.size(); }

  void RunOne(size_t number) {
    std::swap(ready_[number], ready_.back());
    const auto handle = ready_.back();
    ready_.pop_back();
    Within([&] { handle.resume(); });
  }
  void Start(Task<void> task) {
    Within([&] { Detach(std::move(task)); });
  }
  auto Yield() {
    struct Awaiter {
      ChosenExecutor& executor;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> caller) const { executor.Post(caller); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }

 private:
  template <class Body>
  void Within(Body body) {
    Executor* const outer = Current();
    SetCurrent(this);
    body();
    SetCurrent(outer);
  }

  std::vector<std::coroutine_handle<>> ready_;
};

// What a server process has, without its network and threads.
struct Life {
  Life(uint32_t number_, storage::Engine& engine, const Clock& clock, RandomSource& random)
      : number(number_),
        catalog(engine, clock, 0),
        journal(engine, clock, catalog, metrics,
                {.lane_age_millis = 20'000, .split = {.writes_per_second = 30, .seconds = 2, .most_for_heat = 4}}),
        writes(engine, clock),
        reads(engine),
        tokens(engine, clock),
        index_backfill(engine, clock, catalog, writes, metrics),
        services{engine, catalog, reads, writes, tokens, journal, clock, random} {
    catalog.AddListener(index_backfill);
  }

  Status Load() {
    if (Status status = RunBlocking(catalog.Load()); !status.ok()) return status;
    if (Status status = RunBlocking(journal.Load()); !status.ok()) return status;
    return RunBlocking(index_backfill.Load());
  }

  const uint32_t number;
  Metrics metrics;
  table::Catalog catalog;
  table::Journal journal;
  table::WritePath writes;
  table::ReadPath reads;
  table::TokenStore tokens;
  workers::IndexBackfill index_backfill;
  api::Services services;
  const auth::AcceptAnyVerifier verifier{"123456789012"};
  const front::Pipeline pipeline{{.region = "us-east-1"}, services, verifier};
  size_t under_way = 0;  // calls and chores that use it
};

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options)
      : options_(options), random_(options.seed), ids_(options.seed), round_(options.round) {}

  SimulationReport Run();

  class Connection;

 private:
  using Point = storage::FaultyEngine::Point;

  uint64_t Pick(uint64_t count) { return random_() % count; }

  Status StartLife();
  void Crash();
  void Fail();
  void Heal();
  void Step();
  Task<void> RunClient(Client& client);
  Task<void> RunReader(uint32_t table);
  Task<void> KeepHouse();

  const SimulationOptions options_;
  std::mt19937_64 random_;
  SeededRandom ids_;
  ManualClock clock_;
  Metrics engine_metrics_;
  const std::unique_ptr<storage::FaultyEngine> faulty_ =
      storage::OpenFaultyEngine({.is_auto_sync = false, .is_delayed = false}, engine_metrics_);
  DeferringEngine engine_{*faulty_};
  ChosenExecutor executor_;
  std::unique_ptr<Life> life_;
  bool is_up_ = false;
  std::vector<Time> deaths_{0};
  Round round_;
  Time now_ = 0;  // steps
  size_t running_ = 0;
  bool is_over_ = false;
  bool is_keeping_house_ = false;
  SimulationReport report_;
};

// A client's way to whatever life there is.
class Simulation::Connection final : public Transport {
 public:
  explicit Connection(Simulation& simulation) : simulation_(simulation) {}

  Task<Reply> Call(std::string_view target, std::string_view json) override {
    Reply reply;
    if (!simulation_.is_up_) co_return reply;
    Life& life = *simulation_.life_;
    number_ = life.number;
    ++life.under_way;
    const front::LocalRequest request(target, json);
    Arena arena;
    net::HttpResponse response;
    const auto answered = co_await front::CallLocally(life.pipeline, request.http(), arena, response.body);
    if (!answered) wire::SetError(answered.error(), response);
    --life.under_way;
    if (!simulation_.is_up_) co_return reply;  // it died before it could send this
    reply.status = answered ? 200 : response.status;
    reply.body = std::move(response.body);
    co_return reply;
  }
  Task<bool> Reconnect() override {
    while (!simulation_.is_up_) co_await simulation_.executor_.Yield();
    co_return true;
  }
  Time Now() const override { return ++simulation_.now_; }
  uint32_t life() const override { return number_; }

 private:
  Simulation& simulation_;
  uint32_t number_ = 0;
};

Status Simulation::StartLife() {
  Heal();
  engine_.SetDeferred(false);
  engine_.GoUp();
  life_ = std::make_unique<Life>(static_cast<uint32_t>(deaths_.size()), engine_, clock_, ids_);
  if (Status status = life_->Load(); !status.ok()) return status;
  deaths_.push_back(kNever);
  is_up_ = true;
  engine_.SetDeferred(true);
  return {};
}

// What was not synced is gone, and everybody who was waiting for an answer waits in vain.
void Simulation::Crash() {
  is_up_ = false;
  faulty_->Crash();
  engine_.GoDown();
  while (life_->under_way > 0 && executor_.ready() > 0) executor_.RunOne(Pick(executor_.ready()));
  if (life_->under_way > 0) {
    report_.findings.violations.emplace_back("a call waits for something that no crash ends");
    return;
  }
  deaths_.back() = ++now_;
  ++report_.crashes;
  if (Status status = StartLife(); !status.ok()) report_.findings.violations.push_back("start: " + status.ToString());
}

void Simulation::Fail() {
  static constexpr Point kPoints[] = {Point::kGet, Point::kMultiGet, Point::kScan, Point::kCommit, Point::kSync};
  const Point point = kPoints[Pick(std::size(kPoints))];
  const Status statuses[] = {Status::IoError("made"), Status::NoSpace("made"), Status::Fenced("made")};
  faulty_->FailNext(point, 1 + Pick(2), statuses[Pick(point == Point::kCommit ? 3 : 2)]);
  ++report_.faults;
}

// What is still to fail, will not.
void Simulation::Heal() {
  for (const Point point : {Point::kGet, Point::kMultiGet, Point::kScan, Point::kCommit, Point::kSync})
    faulty_->FailNext(point, 0, {});
}

Task<void> Simulation::RunClient(Client& client) {
  co_await client.Run();
  --running_;
}

Task<void> Simulation::RunReader(uint32_t table) {
  Connection connection(*this);
  StreamReader& reader = round_.live_reader(table);
  while (!is_over_ && reader.problem().empty()) {
    const bool is_read = co_await reader.Poll(connection);
    if (!is_read) static_cast<void>(co_await connection.Reconnect());
    for (int i = 0; i < 20; ++i) co_await executor_.Yield();
  }
  --running_;
}

Task<void> Simulation::KeepHouse() {
  Life& life = *life_;
  ++life.under_way;
  is_keeping_house_ = true;
  static_cast<void>(co_await life.journal.KeepHouse());
  static_cast<void>(co_await life.tokens.RemoveExpired());
  is_keeping_house_ = false;
  --life.under_way;
}

void Simulation::Step() {
  ++now_;
  ++report_.steps;
  const uint64_t choice = Pick(1'000);
  if (choice < 550 && executor_.ready() > 0) return executor_.RunOne(Pick(executor_.ready()));
  if (choice < 900 && engine_.waiting() > 0) return engine_.RunOne(Pick(engine_.waiting()));
  if (choice < 950) return static_cast<void>(faulty_->Sync());
  if (choice < 955) return clock_.AdvanceMillis(static_cast<int64_t>(Pick(5'000)));
  if (choice < 958) return clock_.AdvanceMillis(-static_cast<int64_t>(Pick(3'000)));
  if (choice < 962 && !is_keeping_house_) return executor_.Start(KeepHouse());
  if (choice < 963 && options_.has_faults) return Crash();
  if (choice < 966 && options_.has_faults) return Fail();
}

SimulationReport Simulation::Run() {
  Connection observer(*this);
  Status status = StartLife();
  engine_.SetDeferred(false);
  if (status.ok()) status = RunBlocking(round_.Prepare(observer));
  if (!status.ok()) {
    report_.findings.violations.push_back(status.ToString());
    return std::move(report_);
  }
  engine_.SetDeferred(true);
  std::vector<std::unique_ptr<Connection>> connections;
  std::vector<std::unique_ptr<Client>> clients;
  for (uint32_t i = 0; i < options_.round.clients; ++i) {
    connections.push_back(std::make_unique<Connection>(*this));
    clients.push_back(std::make_unique<Client>(round_.board(), *connections.back(), i, random_(), Time{0}));
  }
  running_ = clients.size();
  for (auto& client : clients) executor_.Start(RunClient(*client));
  const auto run_until_done = [&] {
    while (running_ > 0 && report_.findings.ok()) Step();
  };
  std::vector<Told> told;
  running_ += Board::kTables;
  for (uint32_t table = 0; table < Board::kTables; ++table) executor_.Start(RunReader(table));
  while (running_ > Board::kTables && report_.findings.ok()) Step();
  is_over_ = true;
  run_until_done();
  while (is_keeping_house_) Step();
  Heal();
  engine_.SetDeferred(false);
  static_cast<void>(faulty_->Sync());
  // Once a second by a server: after a failure, lanes are not read until their state is stored.
  static_cast<void>(RunBlocking(life_->journal.KeepHouse()));

  for (auto& client : clients) {
    if (!client->problem().empty())
      report_.findings.violations.push_back("an answer that cannot be right: " + client->problem());
    std::move(client->told().begin(), client->told().end(), std::back_inserter(told));
    for (const auto& [name, count] : client->calls()) report_.calls += count;
  }
  for (uint32_t table = 0; table < Board::kTables; ++table)
    if (const auto& problem = round_.live_reader(table).problem(); !problem.empty())
      report_.findings.violations.push_back("following a stream: " + problem);
  if (!report_.findings.ok()) return std::move(report_);
  report_.operations = told.size();
  report_.findings.Add(RunBlocking(round_.Judge(observer, std::move(told), deaths_)));
  for (const Operation& operation : round_.history().operations) {
    report_.unknown += operation.outcome == Outcome::kUnknown;
    report_.fingerprint =
        report_.fingerprint * 1'000'003 + std::hash<std::string>()(Describe(round_.history(), operation));
  }
  return std::move(report_);
}

}  // namespace

SimulationReport RunSimulation(const SimulationOptions& options) {
  SetLogLevel(LogLevel::kOff);  // failures are what it is for
  return Simulation(options).Run();
}

std::string SimulationReport::ToString() const {
  return fmt::format("{} calls, {} operations ({} unknown), {} steps, {} crashes, {} faults, fingerprint {:x}", calls,
                     operations, unknown, steps, crashes, faults, fingerprint);
}

}  // namespace armature::arena
