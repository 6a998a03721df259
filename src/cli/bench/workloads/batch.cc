// batch-write-25, batch-get-100, transact-4: several items per request.
//
// Writes go to neighbours in the thread's own share of the keys, every key once per round; at the end the last of them
// are read back. A transaction carries a client token, as every SDK sends one.
#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/control_client.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

class GroupWrite : public Workload {
 public:
  GroupWrite(const Options& options, const Share& share, uint64_t group)
      : shape_(options.item_size),
        share_(share),
        count_(share.Count(options.items)),
        group_(std::min(group, count_)),
        table_(options.table) {}

  // Some version that was sent: another round may have come by since.
  Result<void> Finish(ControlClient& client) override {
    for (size_t i = 0; i < std::min<uint64_t>(acknowledged_, kRemembered); ++i) {
      for (uint64_t n = 0; n < group_; ++n) {
        const uint64_t key = KeyOf(remembered_[i], n);
        std::string body = fmt::format(R"({{"TableName":"{}","ConsistentRead":true,"Key":)", table_);
        shape_.AppendKey(key, body);
        body += '}';
        ARMATURE_TRY(const Answer answer, client.Call("GetItem", body));
        uint64_t found = 0;
        std::string why;
        if (!reader_.ReadItem(answer.body, "Item", shape_, key, found, why))
          return Status::Corruption(fmt::format("acknowledged write of key {} reads back as {}", key, why));
        if (found == 0 || found > sequence_)
          return Status::Corruption(fmt::format("key {} reads back as version {}, which was never sent", key, found));
      }
    }
    return {};
  }

 protected:
  void Begin(Operation& operation) {
    operation.version = ++sequence_;
    operation.key = sequence_ * group_ % count_;  // the place of the first in the share
  }
  uint64_t KeyOf(uint64_t first, uint64_t n) const { return share_.Index((first + n) % count_); }
  void Remember(const Operation& operation) { remembered_[acknowledged_++ % kRemembered] = operation.key; }

  ItemShape shape_;
  Share share_;
  uint64_t count_;
  uint64_t group_;
  std::string table_;
  uint64_t sequence_ = 0;
  ItemReader reader_;

 private:
  static constexpr size_t kRemembered = 16;
  uint64_t acknowledged_ = 0;
  std::array<uint64_t, kRemembered> remembered_{};
};

class BatchWrite final : public GroupWrite {
 public:
  BatchWrite(const Options& options, const Share& share) : GroupWrite(options, share, 25) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "BatchWriteItem";
    Begin(operation);
    fmt::format_to(std::back_inserter(body), R"({{"RequestItems":{{"{}":[)", table_);
    for (uint64_t n = 0; n < group_; ++n) {
      body += n ? R"(,{"PutRequest":{"Item":)" : R"({"PutRequest":{"Item":)";
      shape_.AppendItem(KeyOf(operation.key, n), operation.version, body);
      body += "}}";
    }
    body += "]}}";
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (answer.status == 200 && answer.body == R"({"UnprocessedItems":{}})") {
      Remember(operation);
      return true;
    }
    why = "not 200 with every item processed";
    return false;
  }
};

class Transact final : public GroupWrite {
 public:
  Transact(const Options& options, const Share& share) : GroupWrite(options, share, 4) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "TransactWriteItems";
    Begin(operation);
    fmt::format_to(std::back_inserter(body), R"({{"ClientRequestToken":"{:x}-{:x}-{:x}","TransactItems":[)",
                   share_.run_id & 0xffffffff, share_.thread, operation.version);
    for (uint64_t n = 0; n < group_; ++n) {
      fmt::format_to(std::back_inserter(body), R"({}{{"Put":{{"TableName":"{}","Item":)", n ? "," : "", table_);
      shape_.AppendItem(KeyOf(operation.key, n), operation.version, body);
      body += "}}";
    }
    body += "]}";
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (answer.status == 200 && reader_.IsEmptyObject(answer.body)) {
      Remember(operation);
      return true;
    }
    why = "not 200 with an empty object";
    return false;
  }
};

class BatchGet final : public Workload {
 public:
  BatchGet(const Options& options, const Share& share)
      : shape_(options.item_size),
        items_(options.items),
        group_(std::min<uint64_t>(100, options.items)),
        table_(options.table),
        random_(options.seed + share.thread) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "BatchGetItem";
    operation.key = random_.Below(items_);
    fmt::format_to(std::back_inserter(body), R"({{"RequestItems":{{"{}":{{"Keys":[)", table_);
    for (uint64_t n = 0; n < group_; ++n) {
      if (n) body += ',';
      shape_.AppendKey(KeyOf(operation.key, n), body);
    }
    body += "]}}}";
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (answer.status != 200) {
      why = "not 200";
      return false;
    }
    if (!reader_.ReadBatch(answer.body, table_, shape_, found_, why)) return false;
    wanted_.clear();
    for (uint64_t n = 0; n < group_; ++n) wanted_.push_back(KeyOf(operation.key, n));
    std::sort(wanted_.begin(), wanted_.end());
    std::sort(found_.begin(), found_.end());
    if (found_ == wanted_) return true;
    why = "other items than the ones asked for";
    return false;
  }

 private:
  // Not neighbours in the store: their hashes lie anywhere.
  uint64_t KeyOf(uint64_t first, uint64_t n) const { return (first + n) % items_; }

  ItemShape shape_;
  uint64_t items_;
  uint64_t group_;
  std::string table_;
  Random random_;
  ItemReader reader_;
  std::vector<uint64_t> found_, wanted_;
};

}  // namespace

std::unique_ptr<Workload> MakeBatchWrite25(const Options& options, const Share& share) {
  return std::make_unique<BatchWrite>(options, share);
}
std::unique_ptr<Workload> MakeBatchGet100(const Options& options, const Share& share) {
  return std::make_unique<BatchGet>(options, share);
}
std::unique_ptr<Workload> MakeTransact4(const Options& options, const Share& share) {
  return std::make_unique<Transact>(options, share);
}

}  // namespace armature::cli::bench
