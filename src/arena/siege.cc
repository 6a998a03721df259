#include "arena/siege.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arena/client.h"
#include "arena/http_transport.h"
#include "arena/round.h"
#include "arena/server_process.h"
#include "base/clock.h"

namespace armature::arena {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kMaxPauseMillis = 600;
// Below the ten minutes for which a token is remembered: a jump must not make the server forget what it promised.
constexpr int64_t kMaxJumpSeconds = 240;
// How much later than it wants a busy machine may let the server take its samples.
constexpr int64_t kTardinessMillis = 1'500;

struct Fault {
  enum class Kind { kKill, kStop, kPause, kJump };
  uint64_t at_calls = 0;
  Kind kind = Kind::kKill;
  int64_t amount = 0;
};

std::vector<Fault> PlanFaults(const SiegeOptions& options, std::mt19937_64& random) {
  std::vector<Fault> faults;
  for (uint64_t at = options.calls_per_fault / 2; at + 200 < options.round.calls;
       at += options.calls_per_fault / 2 + random() % options.calls_per_fault) {
    Fault fault{at, Fault::Kind::kKill, 0};
    const uint64_t kind = random() % 100;
    if (kind >= 60 && kind < 65) {
      fault.kind = Fault::Kind::kStop;
    } else if (kind >= 65 && kind < 80) {
      fault = {at, Fault::Kind::kPause, 20 + static_cast<int64_t>(random() % kMaxPauseMillis)};
    } else if (kind >= 80 && !options.clock_library.empty()) {
      fault = {at, Fault::Kind::kJump, static_cast<int64_t>(random() % (2 * kMaxJumpSeconds)) - kMaxJumpSeconds};
    }
    faults.push_back(fault);
  }
  return faults;
}

class RoundRun {
 public:
  RoundRun(const SiegeOptions& options, ServerProcess& server, uint64_t number, SiegeReport& report)
      : options_(options),
        server_(server),
        random_(options.seed * 1'000'003 + number),
        report_(report),
        round_(OptionsOf(options, number)),
        observer_(server),
        has_lag_(number % 2 == 1 && options.eventual_lag_millis > 0) {}

  Findings Run() {
    // The clock of the last round is where it was left; a new life begins with the options of this one.
    server_.SetArguments(has_lag_ ? std::vector<std::string>{"--eventual-lag",
                                                             fmt::format("{}", options_.eventual_lag_millis),
                                                             "--stream-shard-age", "10s"}
                                  : std::vector<std::string>{"--stream-shard-age", "30s"});
    if (server_.pid() > 0) server_.Stop();
    if (Status status = server_.Start(); !status.ok()) return Broken(status.message());
    if (Status status = RunBlocking(round_.Prepare(observer_)); !status.ok()) return Broken(status.message());
    StartClients();
    Findings findings = Torment();
    for (std::thread& thread : threads_) thread.join();
    is_over_ = true;
    for (std::thread& thread : readers_) thread.join();
    if (findings.violations.empty()) findings = Judge();
    return findings;
  }

 private:
  static RoundOptions OptionsOf(const SiegeOptions& options, uint64_t number) {
    RoundOptions round = options.round;
    round.prefix = fmt::format("round{}-", number);
    return round;
  }

  static Findings Broken(std::string why) { return {{std::move(why)}, 0}; }

  void StartClients() {
    const int64_t staleness =
        has_lag_ ? options_.eventual_lag_millis * 5 / 4 + kMaxPauseMillis + kTardinessMillis : int64_t{0};
    for (uint32_t i = 0; i < options_.round.clients; ++i) {
      transports_.push_back(std::make_unique<HttpTransport>(server_));
      clients_.push_back(
          std::make_unique<Client>(round_.board(), *transports_.back(), i, random_(), staleness * 1'000'000));
    }
    for (auto& client : clients_) {
      threads_.emplace_back([this, &client] {
        RunBlocking(client->Run());
        ++finished_;
      });
    }
    for (uint32_t table = 0; table < Board::kTables; ++table) readers_.emplace_back([this, table] { Follow(table); });
  }

  void Follow(uint32_t table) {
    HttpTransport transport(server_);
    StreamReader& reader = round_.live_reader(table);
    while (!is_over_ && reader.problem().empty()) {
      if (!RunBlocking(reader.Poll(transport)) && reader.problem().empty()) RunBlocking(transport.Reconnect());
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  Findings Torment() {
    for (const Fault& fault : PlanFaults(options_, random_)) {
      if (!AwaitCalls(fault.at_calls)) return Ended();
      if (finished_ == threads_.size()) break;
      switch (fault.kind) {
        case Fault::Kind::kKill:
        case Fault::Kind::kStop:
          if (fault.kind == Fault::Kind::kKill) {
            if (!server_.Kill()) return Ended();
            ++report_.kills;
          } else {
            if (const int code = server_.Stop(); code != 0) {
              server_.Retire();
              return Broken(fmt::format("the server stopped with {}", code));
            }
            ++report_.stops;
          }
          if (Status status = server_.Start(); !status.ok()) {
            server_.Retire();
            return Broken("after a kill: " + status.message());
          }
          break;
        case Fault::Kind::kPause:
          server_.Pause();
          std::this_thread::sleep_for(milliseconds(fault.amount));
          server_.Resume();
          ++report_.pauses;
          break;
        case Fault::Kind::kJump:
          server_.ShiftClock(fault.amount);
          ++report_.jumps;
          break;
      }
    }
    return AwaitCalls(UINT64_MAX) ? Findings{} : Ended();
  }

  // Until so many calls were made, or all clients have finished; false if the server has ended meanwhile.
  bool AwaitCalls(uint64_t calls) {
    while (round_.board().calls() < calls && finished_ < threads_.size()) {
      if (server_.HasEnded()) return false;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }

  // A kill that came later must not hide it.
  Findings Ended() {
    server_.Retire();
    return Broken("the server ended by itself");
  }

  Findings Judge() {
    std::vector<Told> told;
    for (auto& client : clients_) {
      // Nothing fails under this server: what it cannot explain is its own fault.
      if (!client->internal_error().empty()) return Broken("an internal error: " + client->internal_error());
      if (!client->problem().empty()) return Broken("an answer that cannot be right: " + client->problem());
      std::move(client->told().begin(), client->told().end(), std::back_inserter(told));
      for (const auto& [name, count] : client->calls()) report_.calls_by_name[name] += count, report_.calls += count;
    }
    for (uint32_t table = 0; table < Board::kTables; ++table)
      if (const std::string& problem = round_.live_reader(table).problem(); !problem.empty())
        return Broken("following a stream: " + problem);
    report_.operations += told.size();
    report_.keys += options_.round.keys;
    report_.unknown += static_cast<uint64_t>(std::count_if(
        told.begin(), told.end(), [](const Told& one) { return one.operation.outcome == Outcome::kUnknown; }));
    const int64_t begin = MonotonicNanos();
    // Judged by a new life whose reads are all current.
    const int code = server_.Stop();
    if (code != 0) return Broken(fmt::format("the server stopped with {}", code));
    server_.SetArguments({});
    if (Status status = server_.Start(); !status.ok()) return Broken(status.message());
    if (RunBlocking(observer_.Call("ListTables", "{}")).status == 0) RunBlocking(observer_.Reconnect());
    Findings findings = RunBlocking(round_.Judge(observer_, std::move(told), server_.deaths()));
    RunBlocking(round_.Remove(observer_));
    report_.checking_seconds += static_cast<double>(MonotonicNanos() - begin) / 1e9;
    return findings;
  }

  const SiegeOptions& options_;
  ServerProcess& server_;
  std::mt19937_64 random_;
  SiegeReport& report_;
  Round round_;
  HttpTransport observer_;
  const bool has_lag_;
  std::vector<std::unique_ptr<HttpTransport>> transports_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::thread> threads_;
  std::vector<std::thread> readers_;
  std::atomic<size_t> finished_{0};
  std::atomic<bool> is_over_{false};
};

}  // namespace

SiegeReport RunSiege(const SiegeOptions& options) {
  SiegeReport report;
  ServerProcess server({options.binary, options.directory + "/data", {}, options.clock_library});
  const int64_t begin = MonotonicNanos();
  const auto seconds = [&] { return static_cast<double>(MonotonicNanos() - begin) / 1e9; };
  while (report.findings.violations.empty() &&
         (options.minutes > 0 ? seconds() < options.minutes * 60 : report.calls < options.operations)) {
    report.findings.Add(RoundRun(options, server, report.rounds, report).Run());
    ++report.rounds;
    report.seconds = seconds();
    if (!options.is_quiet) {
      std::printf("round %lu: %lu calls, %lu operations, %lu kills, %.0f calls a second%s\n", report.rounds,
                  report.calls, report.operations, report.kills, static_cast<double>(report.calls) / report.seconds,
                  report.findings.violations.empty() ? "" : ": VIOLATION");
      std::fflush(stdout);
    }
  }
  if (server.pid() > 0) {
    const int code = server.Stop();
    if (code != 0) report.findings.violations.push_back(fmt::format("the server stopped with {}", code));
  }
  return report;
}

std::string SiegeReport::ToJson() const {
  std::vector<std::string> names;
  for (const auto& [name, count] : calls_by_name) names.push_back(fmt::format(R"("{}":{})", name, count));
  return fmt::format(
      R"({{"rounds":{},"calls":{},"operations":{},"unknown":{},"keys":{},"kills":{},"stops":{},"pauses":{},)"
      R"("clock_jumps":{},"seconds":{:.1f},"checking_seconds":{:.1f},"violations":{},"undecided":{},"calls_by_name":{{{}}}}})",
      rounds, calls, operations, unknown, keys, kills, stops, pauses, jumps, seconds, checking_seconds,
      findings.violations.size(), findings.undecided, fmt::join(names, ","));
}

}  // namespace armature::arena
