// Power cuts below a table with indexes and a stream: of every state a cut may leave of the disk, opened anew, the
// acknowledged writes are there, sums that transactions keep hold, indexes have exactly the rows their items call
// for, and a replica made of the stream equals the table.

#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "base/mutex.h"
#include "model/codec/item_codec.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"
#include "storage/testing/arena.h"
#include "storage/testing/disk_states.h"
#include "storage/testing/recorded_disk.h"
#include "table/journal/journal.h"
#include "table/keys/keyspace.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

using storage::Durability;
using Items = std::map<std::string, std::string>;  // by key, as Show writes both

constexpr int kClients = 4;
constexpr int kAccounts = 6;
constexpr int kBalance = 100;
constexpr int kRowsPerClient = 4;
constexpr int kOperations = 40;  // of each client
constexpr size_t kShortStates = 30;

model::TableDef MakeDef() {
  model::TableDef def = MakeTableDef("t", /*has_sort_key=*/true);
  def.attribute_definitions.push_back({"g", model::Type::kS});
  def.attribute_definitions.push_back({"w", model::Type::kN});
  for (const auto kind : {model::IndexKind::kLocal, model::IndexKind::kGlobal}) {
    model::IndexDef index;
    const bool is_local = kind == model::IndexKind::kLocal;
    index.kind = kind;
    index.name = is_local ? "local" : "global";
    index.id = def.next_index_id++;
    index.key_schema = {{{is_local ? "pk" : "g", model::Type::kS}}, {{"w", model::Type::kN}}};
    index.projection.type = is_local ? model::ProjectionType::kKeysOnly : model::ProjectionType::kAll;
    def.indexes.push_back(std::move(index));
  }
  return def;
}

// A process over a store: everything a server has of tables.
class Process {
 public:
  static Result<std::unique_ptr<Process>> Start(const std::string& directory, Durability durability, Metrics& metrics,
                                                rocksdb::Env* env = nullptr) {
    storage::RocksDbOptions options;
    options.directory = directory;
    options.durability = durability;
    options.interval_millis = 5;
    options.memory_bytes = 8 << 20;
    options.write_buffer_bytes = 64 << 10;
    options.env = env;
    auto process = std::make_unique<Process>();
    ARMATURE_TRY(process->engine, storage::OpenRocksDbEngine(options, metrics));
    process->layer = std::make_unique<TableLayer>(*process->engine, process->clock);
    if (Status status = RunBlocking(process->layer->catalog.Load()); !status.ok()) return status;
    process->journal =
        std::make_unique<Journal>(*process->engine, process->clock, process->layer->catalog, metrics, JournalOptions());
    if (Status status = RunBlocking(process->journal->Load()); !status.ok()) return status;
    process->table = process->layer->catalog.Find(kScope, "t");
    return process;
  }
  ~Process() {
    table.reset();
    journal.reset();
    layer.reset();
  }

  // All rows of a keyspace.
  Result<std::vector<std::pair<std::string, std::string>>> Rows(const Keyspace& keyspace,
                                                                const PartitionSet& partitions) const {
    const storage::KeyRange range = AllRows(keyspace);
    const auto partition = partitions.Find(0);
    storage::ScanOp scan;
    scan.partition = &partition->handle();
    scan.begin = range.begin;
    scan.end = range.end;
    engine->Scan(scan);
    storage::Await(scan.done);
    if (!scan.status.ok()) return scan.status;
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& row : scan.rows) rows.emplace_back(row.key, row.value);
    return rows;
  }

  ManualClock clock;
  std::unique_ptr<storage::Engine> engine;
  std::unique_ptr<TableLayer> layer;
  std::unique_ptr<Journal> journal;
  std::shared_ptr<Table> table;
};

std::string KeyOf(model::Item item) {
  std::string key;
  for (const auto& entry : item)
    if (entry.name == "pk" || entry.name == "sk") key += expr::Show(entry.value) + "/";
  return key;
}

// All or nothing.
std::string Transact(Process& process, const std::vector<std::unique_ptr<TestWrite>>& parts) {
  Arena arena;
  const auto writes = std::make_unique<ItemWrite[]>(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const ItemWrite& from = parts[i]->write();
    writes[i].kind = from.kind;
    writes[i].table = from.table;
    writes[i].key = from.key;
    writes[i].update = from.update;
  }
  const auto done = RunBlocking(process.layer->writes.ExecuteTransaction({writes.get(), parts.size()}, nullptr, arena));
  if (!done) return done.error().name;
  return *done ? "ok" : "cancelled";
}

// Clients that write at the same time, each one thing after the other; what each has of its own after each write.
class Clients {
 public:
  Clients(Process& process, storage::RecordedDisk& disk, uint64_t seed) : process_(process), disk_(disk), seed_(seed) {}

  void Run() {
    std::vector<std::thread> threads;
    for (int client = 0; client < kClients; ++client) threads.emplace_back([this, client] { RunOne(client); });
    for (auto& thread : threads) thread.join();
  }

  // How many writes of each client were acknowledged when the disk noted `note`.
  std::array<size_t, kClients> AcknowledgedAt(uint64_t note) const {
    std::array<size_t, kClients> counts{};
    MutexLock lock(mutex_);
    for (uint64_t i = 0; i < note; ++i) ++counts[static_cast<size_t>(acknowledged_[i])];
    return counts;
  }
  const std::vector<Items>& history(int client) const { return histories_[static_cast<size_t>(client)]; }
  static bool IsOwn(int client, std::string_view key) {
    return key.starts_with(fmt::format("S:c{}/", client)) || key.starts_with(fmt::format("S:r{}/", client));
  }

 private:
  void RunOne(int client) {
    std::mt19937_64 random(seed_ + static_cast<uint64_t>(client));
    auto& history = histories_[static_cast<size_t>(client)];
    history.push_back(ReadOwn(client));
    for (int operation = 0; operation < kOperations; ++operation) {
      ASSERT_EQ(random() % 3 == 0 ? Transfer(client, random) : Write(client, random), "ok");
      {
        MutexLock lock(mutex_);
        acknowledged_.push_back(client);
        disk_.Note(acknowledged_.size());
      }
      history.push_back(ReadOwn(client));
    }
  }

  // Money from one account to another; the client counts it in the same transaction.
  std::string Transfer(int client, std::mt19937_64& random) {
    const auto from = random() % kAccounts, to = (from + 1 + random() % (kAccounts - 1)) % kAccounts;
    const std::string sum = fmt::format("N:{}", random() % 7), weight = fmt::format("N:{}", random() % 50);
    std::vector<std::unique_ptr<TestWrite>> parts;
    parts.push_back(TestWrite::Update(*process_.table, fmt::format("pk=S:a{},sk=N:1", from), "SET b = b - :x, w = :w",
                                      {}, {{":x", sum}, {":w", weight}}));
    parts.push_back(
        TestWrite::Update(*process_.table, fmt::format("pk=S:a{},sk=N:1", to), "SET b = b + :x", {}, {{":x", sum}}));
    parts.push_back(TestWrite::Update(*process_.table, fmt::format("pk=S:c{},sk=N:1", client), "ADD n :one", {},
                                      {{":one", "N:1"}}));
    for (;;) {
      std::string outcome = Transact(process_, parts);
      if (outcome != "cancelled" && outcome != "TransactionConflictException") return outcome;
    }
  }

  std::string Write(int client, std::mt19937_64& random) {
    const std::string key = fmt::format("pk=S:r{},sk=N:{}", client, random() % kRowsPerClient);
    if (random() % 5 == 0) return RunBlocking(TestWrite::Delete(*process_.table, key)->Execute(process_.layer->writes));
    const size_t size = random() % 4 == 0 ? 6000 : 30;
    const std::string item = fmt::format("{},g=S:g{},w=N:{},text=S:{}", key, random() % 3, random() % 50,
                                         std::string(size, static_cast<char>('a' + random() % 26)));
    return RunBlocking(TestWrite::Put(*process_.table, item)->Execute(process_.layer->writes));
  }

  Items ReadOwn(int client) const {
    std::vector<std::string> keys{fmt::format("pk=S:c{},sk=N:1", client)};
    for (int row = 0; row < kRowsPerClient; ++row) keys.push_back(fmt::format("pk=S:r{},sk=N:{}", client, row));
    Items items;
    for (const std::string& key : keys) {
      const std::string item = ReadItem(process_.layer->reads, *process_.table, key);
      Arena arena;
      if (item != "(none)") items[KeyOf(expr::MakeItem(arena, key))] = item;
    }
    return items;
  }

  Process& process_;
  storage::RecordedDisk& disk_;
  const uint64_t seed_;
  mutable Mutex mutex_;
  std::vector<int> acknowledged_ ARMATURE_GUARDED_BY(mutex_);
  std::array<std::vector<Items>, kClients> histories_;
};

// --- what must hold of a state; each returns what is wrong, or nothing

std::string CheckItems(const Items& items, const Clients& clients, const std::array<size_t, kClients>& acknowledged) {
  for (int client = 0; client < kClients; ++client) {
    Items own;
    for (const auto& [key, item] : items)
      if (Clients::IsOwn(client, key)) own[key] = item;
    const auto& history = clients.history(client);
    const size_t least = acknowledged[static_cast<size_t>(client)];
    if (std::find(history.begin() + static_cast<std::ptrdiff_t>(least), history.end(), own) == history.end())
      return fmt::format("client {} had {} writes acknowledged and has lost some", client, least);
  }
  return {};
}

std::string CheckSum(const std::vector<model::Item>& items) {
  int64_t sum = 0, accounts = 0;
  for (const model::Item item : items) {
    for (const auto& entry : item) {
      if (entry.name != "b") continue;
      sum += std::stoll(expr::Show(entry.value).substr(2));
      ++accounts;
    }
  }
  if (accounts == kAccounts && sum == kAccounts * kBalance) return {};
  return fmt::format("{} accounts hold {}", accounts, sum);
}

std::string CheckIndexes(const Process& process, const std::vector<model::Item>& items) {
  const auto schema = process.table->schema();
  for (const IndexSchema& index : schema->indexes()) {
    const Keyspace& keyspace = index.keyspace;
    std::set<std::string> expected, found;
    for (const model::Item item : items) {
      if (!HasRow(keyspace, item)) continue;
      std::string key;
      AppendRowKey(keyspace, item, key);
      expected.insert(key);
    }
    auto rows = process.Rows(keyspace, index.is_global() ? *index.partitions : process.table->partitions());
    if (!rows) return rows.error().ToString();
    for (const auto& [key, value] : *rows) found.insert(key);
    if (found != expected)
      return fmt::format("index {} has {} rows, its items call for {}", index.def->name, found.size(), expected.size());
  }
  return {};
}

std::string CheckStream(Process& process, const Items& items) {
  Items replica;
  const auto state = process.table->journal().state();
  if (state->streams.size() != 1) return fmt::format("there are {} streams", state->streams.size());
  for (const Lane* lane : state->LanesOf(state->streams.front())) {
    Position next = lane->trimmed;
    for (bool is_caught_up = false; !is_caught_up;) {
      Arena arena;
      auto page = RunBlocking(
          process.journal->Read(*process.table, lane->id, next, {1000, 1 << 20}, model::kBothImages, arena));
      if (!page) return page.error().ToString();
      for (const auto& record : page->records) {
        const std::string key = KeyOf(record.keys);
        const std::string before = record.has_old ? expr::Show(record.old_image) : "";
        if ((replica.contains(key) ? replica[key] : "") != before) return "a record is missing before one of " + key;
        if (record.has_new) replica[key] = expr::Show(record.new_image);
        else replica.erase(key);
      }
      next = page->next;
      is_caught_up = page->is_caught_up;
    }
  }
  return replica == items ? "" : "a replica made of the stream is not the table";
}

class TablePowerCutTest : public testing::TestWithParam<Durability> {
 protected:
  // A table with its accounts, closed in good order. `acknowledged` is called after each step.
  void MakeStore(
      const std::string& directory, rocksdb::Env* env = nullptr, const std::function<void()>& acknowledged = [] {}) {
    auto started = Process::Start(directory, GetParam(), metrics_, env);
    ASSERT_TRUE(started.has_value());
    Process& process = **started;
    ASSERT_TRUE(RunBlocking(process.layer->catalog.Create(MakeDef())).has_value());
    acknowledged();
    const auto changed =
        RunBlocking(process.layer->catalog.Update(kScope, "t", [](model::TableDef& def) -> model::ApiResult<void> {
          def.stream = {true, "NEW_AND_OLD_IMAGES", "label"};
          return {};
        }));
    ASSERT_TRUE(changed.has_value());
    process.table = process.layer->catalog.Find(kScope, "t");
    ASSERT_TRUE(RunBlocking(process.journal->FollowDefinition(process.table)).ok());
    acknowledged();
    for (int account = 0; account < kAccounts; ++account) {
      const std::string item = fmt::format("pk=S:a{},sk=N:1,g=S:g{},w=N:1,b=N:{}", account, account % 3, kBalance);
      ASSERT_EQ(RunBlocking(TestWrite::Put(*process.table, item)->Execute(process.layer->writes)), "ok");
      acknowledged();
    }
    ASSERT_TRUE(process.engine->Close().ok());
  }

  // Of the steps that MakeStore makes, the first so many are there, all acknowledged ones among them.
  std::string CheckMaking(const std::string& directory, uint64_t acknowledged) {
    auto started = Process::Start(directory, GetParam(), metrics_);
    if (!started) return "it does not open: " + started.error().ToString();
    Process& process = **started;
    if (!process.table) return acknowledged == 0 ? "" : "the table is gone";
    auto rows = process.Rows(ItemsKeyspace(*process.table->def()), process.table->partitions());
    if (!rows) return rows.error().ToString();
    const bool has_stream = process.table->def()->stream.enabled;
    if (!has_stream && (acknowledged > 1 || !rows->empty())) return "the stream is gone";
    if (rows->size() + 2 < acknowledged) return fmt::format("{} accounts are left", rows->size());
    Arena arena;
    std::vector<model::Item> decoded;
    Items items;
    if (!DecodeAll(*rows, arena, decoded, items)) return "an item cannot be read";
    for (size_t account = 0; account < items.size(); ++account)
      if (!items.contains(fmt::format("S:a{}/N:1/", account))) return fmt::format("account {} is missing", account);
    if (std::string wrong = CheckIndexes(process, decoded); !wrong.empty() || !has_stream) return wrong;
    // Its journal may still have to follow the definition.
    if (Status status = RunBlocking(process.journal->FollowDefinition(process.table)); !status.ok())
      return status.ToString();
    return CheckStream(process, items);
  }

  // False if one of the rows cannot be read.
  template <class Rows>
  static bool DecodeAll(const Rows& rows, Arena& arena, std::vector<model::Item>& decoded, Items& items) {
    for (const auto& [key, value] : rows) {
      const auto item = model::DecodeItem(value, arena);
      if (!item) return false;
      decoded.push_back(item->item);
      items[KeyOf(item->item)] = expr::Show(item->item);
    }
    return true;
  }

  std::string Check(const std::string& directory, const Clients& clients,
                    const std::array<size_t, kClients>& acknowledged) {
    auto started = Process::Start(directory, GetParam(), metrics_);
    if (!started) return "it does not open: " + started.error().ToString();
    Process& process = **started;
    if (!process.table) return "the table is gone";
    auto rows = process.Rows(ItemsKeyspace(*process.table->def()), process.table->partitions());
    if (!rows) return rows.error().ToString();
    Arena arena;
    std::vector<model::Item> decoded;
    Items items;
    if (!DecodeAll(*rows, arena, decoded, items)) return "an item cannot be read";
    if (std::string wrong = CheckItems(items, clients, acknowledged); !wrong.empty()) return wrong;
    if (std::string wrong = CheckSum(decoded); !wrong.empty()) return wrong;
    if (std::string wrong = CheckIndexes(process, decoded); !wrong.empty()) return wrong;
    return CheckStream(process, items);
  }

  // A run of the clients, and so many states of what a cut may leave of it. The first thing that is wrong, or nothing.
  std::string RunOnce(size_t states, std::mt19937_64& random, const std::string& forgotten_syncs = {}) {
    const std::string root = root_.path() + "/live", state = root_.path() + "/state";
    std::filesystem::remove_all(root);
    MakeStore(root);
    auto disk = std::make_shared<storage::RecordedDisk>(root);
    disk->ForgetSyncs(forgotten_syncs);
    const auto env = rocksdb::NewCompositeEnv(disk);
    auto process = Process::Start(root, GetParam(), metrics_, env.get());
    if (!process) return process.error().ToString();
    Clients clients(**process, *disk, random());
    clients.Run();
    EXPECT_TRUE((*process)->engine->Close().ok());
    process->reset();

    storage::DiskStates cuts(*disk);
    for (const size_t moment : cuts.PickMoments(states, random)) {
      cuts.GoTo(moment);
      const auto files = cuts.Cut(random);
      storage::WriteState(state, files);
      // Only with kFsync is an acknowledgement a promise against power cuts.
      const uint64_t promised = GetParam() == Durability::kFsync ? cuts.note() : 0;
      const std::string wrong = Check(state, clients, clients.AcknowledgedAt(promised));
      ++checked_;
      if (wrong.empty()) continue;
      const std::string kept = root_.path() + "-cut";
      if (forgotten_syncs.empty()) storage::WriteState(kept, files);
      return fmt::format("cut after {} of {} events: {} (the state is in {})", moment, cuts.count(), wrong, kept);
    }
    return {};
  }

  storage::TemporaryDirectory root_;
  Metrics metrics_;
  size_t checked_ = 0;
};

TEST_P(TablePowerCutTest, EveryStateIsOneThatTheWritesPassedThrough) {
  std::mt19937_64 random(storage::ArenaSeed());
  for (storage::ArenaClock clock(2); clock.GoesOn() && !HasFailure();)
    EXPECT_EQ(RunOnce(kShortStates / 2 * (storage::ArenaTime().count() == 0 ? 1 : 4), random), "");
  fmt::print("{} states of the disk\n", checked_);
}

// The first start, the catalogue and the first table are recorded too.
TEST_P(TablePowerCutTest, ATableCutInItsMakingIsThereOrNot) {
  std::mt19937_64 random(storage::ArenaSeed());
  const std::string root = root_.path() + "/live", state = root_.path() + "/state";
  for (storage::ArenaClock clock(2); clock.GoesOn() && !HasFailure();) {
    std::filesystem::remove_all(root);
    std::filesystem::create_directory(root);
    auto disk = std::make_shared<storage::RecordedDisk>(root);
    const auto env = rocksdb::NewCompositeEnv(disk);
    uint64_t steps = 0;
    MakeStore(root, env.get(), [&] { disk->Note(++steps); });
    ASSERT_EQ(steps, 2u + kAccounts);
    storage::DiskStates cuts(*disk);
    for (const size_t moment : cuts.PickMoments(kShortStates, random)) {
      cuts.GoTo(moment);
      storage::WriteState(state, cuts.Cut(random));
      ++checked_;
      ASSERT_EQ(CheckMaking(state, GetParam() == Durability::kFsync ? cuts.note() : 0), "")
          << "cut after " << moment << " of " << cuts.count() << " events";
    }
  }
  fmt::print("{} states of the disk\n", checked_);
}

// That it would be seen.
TEST_P(TablePowerCutTest, ALogThatIsNotSyncedIsFound) {
  if (GetParam() != Durability::kFsync) return;  // the others promise nothing that would be broken
  std::mt19937_64 random(storage::ArenaSeed());
  std::string wrong;
  for (int run = 0; run < 20 && wrong.empty(); ++run) wrong = RunOnce(kShortStates, random, ".log");
  EXPECT_NE(wrong, "");
}

INSTANTIATE_TEST_SUITE_P(Durabilities, TablePowerCutTest, testing::Values(Durability::kFsync, Durability::kNone),
                         [](const auto& instance) { return instance.param == Durability::kFsync ? "Fsync" : "None"; });

}  // namespace
}  // namespace armature::table
