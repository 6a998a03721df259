#include "arena/round.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "arena/history/linearizability.h"
#include "arena/history/serializability.h"

namespace armature::arena {
namespace {

constexpr uint32_t kObserver = 9999;  // the client that looks when all is over

std::string Definition(const Board& board, uint32_t table) {
  constexpr std::string_view kLocal =
      R"("LocalSecondaryIndexes":[{"IndexName":"in-partition","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
      R"({"AttributeName":"grp","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],)";
  return fmt::format(
      R"({{"TableName":"{}","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)"
      R"({{"AttributeName":"pk","AttributeType":"S"}},{{"AttributeName":"sk","AttributeType":"N"}},)"
      R"({{"AttributeName":"grp","AttributeType":"N"}}],)"
      R"("KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}},{{"AttributeName":"sk","KeyType":"RANGE"}}],)"
      R"("GlobalSecondaryIndexes":[{{"IndexName":"by-group","KeySchema":[{{"AttributeName":"grp","KeyType":"HASH"}}],)"
      R"("Projection":{{"ProjectionType":"ALL"}}}}],{})"
      R"("StreamSpecification":{{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}}})",
      board.TableName(table), table == 1 ? kLocal : "");
}

std::string Text(const std::vector<const StreamRecord*>& records, size_t i) {
  if (i >= records.size()) return "(none)";
  return fmt::format("{} {} to {}", records[i]->sequence_number, records[i]->event, Show(records[i]->after));
}

bool AreEqual(const StreamRecord& a, const StreamRecord& b) {
  return a.sequence_number == b.sequence_number && a.before == b.before && a.after == b.after;
}

std::string FirstDifference(const std::vector<const StreamRecord*>& shown,
                            const std::vector<const StreamRecord*>& found) {
  size_t i = 0;
  while (i < std::min(shown.size(), found.size()) && AreEqual(*shown[i], *found[i])) ++i;
  return fmt::format("number {} was {}, is {}", i + 1, Text(shown, i), Text(found, i));
}

}  // namespace

Round::Round(const RoundOptions& options) : board_(options) {
  for (uint32_t key = 0; key < options.keys; ++key) history_.keys.push_back(board_.Name(key));
  for (uint32_t table = 0; table < Board::kTables; ++table)
    live_.push_back(std::make_unique<StreamReader>(board_, table));
}

Task<Status> Round::Prepare(Transport& transport) {
  for (uint32_t table = 0; table < Board::kTables; ++table) {
    const std::string definition = Definition(board_, table);
    const std::string name = fmt::format(R"({{"TableName":"{}"}})", board_.TableName(table));
    const Reply made = co_await transport.Call("CreateTable", definition);
    if (made.status != 200) co_return Status::Unavailable(fmt::format("CreateTable: {} {}", made.status, made.body));
    for (;;) {
      const Reply reply = co_await transport.Call("DescribeTable", name);
      if (reply.status != 200) co_return Status::Unavailable("DescribeTable: " + reply.body);
      if (reply.body.find(R"("TableStatus":"ACTIVE")") != std::string::npos) break;
    }
  }
  co_return Status();
}

Task<void> Round::Remove(Transport& transport) {
  for (uint32_t table = 0; table < Board::kTables; ++table) {
    const std::string body = fmt::format(R"({{"TableName":"{}"}})", board_.TableName(table));
    static_cast<void>(co_await transport.Call("DeleteTable", body));
  }
}

// What is in the tables and their indexes now; the items also as reads of the history.
Task<bool> Round::ReadEnd(Transport& transport, Findings& findings) {
  AnswerReader answers(board_);
  for (uint32_t table = 0; table < Board::kTables; ++table) {
    const std::string name = board_.TableName(table);
    const Time invoked = transport.Now();
    const std::string scan = fmt::format(R"({{"TableName":"{}","ConsistentRead":true}})", name);
    const Reply scanned = co_await transport.Call("Scan", scan);
    const auto items = answers.ReadRows(table, scanned);
    if (!items) {
      end_problem_ = answers.problem();
      co_return false;
    }
    Items of_table;
    for (const auto& [key, state] : *items) of_table[key] = state;
    for (uint32_t key = 0; key < board_.options().keys; ++key) {
      if (Board::TableOf(key) != table) continue;
      Operation operation{kObserver, "Scan", invoked, transport.Now(), Outcome::kOk, {}, false};
      operation.accesses.emplace_back().key = key;
      operation.accesses.back().before = Sighting::Whole(of_table.contains(key) ? of_table[key] : ItemState{});
      history_.operations.push_back(std::move(operation));
    }
    for (const char* index : {"by-group", "in-partition"}) {
      if (table == 0 && std::string_view(index) == "in-partition") continue;
      const std::string index_scan = fmt::format(R"({{"TableName":"{}","IndexName":"{}"}})", name, index);
      const Reply reply = co_await transport.Call("Scan", index_scan);
      const auto rows = answers.ReadRows(table, reply);
      if (!rows) {
        end_problem_ = answers.problem();
        co_return false;
      }
      findings.Add(CheckIndex(history_, name + "/" + index, of_table, *rows));
    }
    items_.merge(of_table);
  }
  co_return true;
}

// What a reader was shown while all went on is what a reader finds afterwards.
Findings Round::CompareStreams(const StreamReader& live, const StreamReader& fresh) const {
  Findings findings;
  std::vector<std::vector<const StreamRecord*>> by_key[2];
  for (const bool is_fresh : {false, true}) {
    by_key[is_fresh].resize(history_.keys.size());
    for (const StreamRecord& record : (is_fresh ? fresh : live).records())
      by_key[is_fresh][record.key].push_back(&record);
  }
  for (uint32_t key = 0; key < history_.keys.size(); ++key) {
    const auto& shown = by_key[0][key];
    const auto& found = by_key[1][key];
    if (!std::equal(shown.begin(), shown.end(), found.begin(), found.end(),
                    [](const auto* a, const auto* b) { return AreEqual(*a, *b); }))
      findings.violations.push_back(
          fmt::format("stream: item {}: a reader that followed was shown {} records, one that came later finds {}: {}",
                      history_.keys[key], shown.size(), found.size(), FirstDifference(shown, found)));
  }
  return findings;
}

Task<Findings> Round::Judge(Transport& transport, std::vector<Told> told, const std::vector<Time>& deaths) {
  for (Told& one : told) {
    if (one.operation.outcome == Outcome::kUnknown)
      one.operation.returned = one.life < deaths.size() ? deaths[one.life] : kNever;
    history_.operations.push_back(std::move(one.operation));
  }
  Findings findings;
  const bool is_read = co_await ReadEnd(transport, findings);
  if (!is_read) {
    findings.violations.push_back("what is there at the end cannot be: " + end_problem_);
    co_return findings;
  }
  std::vector<StreamRecord> records;
  for (uint32_t table = 0; table < Board::kTables; ++table) {
    StreamReader fresh(board_, table);
    bool is_drained = co_await live_[table]->Drain(transport);
    if (is_drained) is_drained = co_await fresh.Drain(transport);
    if (!is_drained) {
      findings.violations.push_back(fmt::format("the stream of {} could not be read: {}{}", board_.TableName(table),
                                                live_[table]->problem(), fresh.problem()));
      co_return findings;
    }
    findings.Add(CompareStreams(*live_[table], fresh));
    records.insert(records.end(), fresh.records().begin(), fresh.records().end());
  }
  StreamVerdict stream = CheckStream(history_, records, items_);
  findings.Add(std::move(stream.findings));
  if (findings.ok()) findings.Add(CheckStaleReads(history_, records));
  findings.Add(CheckItems(history_));
  findings.Add(CheckTransactions(history_, stream.orders));
  co_return findings;
}

}  // namespace armature::arena
