// update-counter: UpdateItem adds one to a random counter under a condition, and returns the new value.
//
// Every returned value must lie between the acknowledged and the issued increments of its counter, and at the
// end each counter must hold exactly the acknowledged ones: no increment lost, none applied twice.
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/control_client.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

void AppendCounterKey(uint64_t index, std::string& out) {
  fmt::format_to(std::back_inserter(out), R"({{"pk":{{"S":"counter{:09}"}})", index);
}

class LoadCounters final : public Workload {
 public:
  LoadCounters(const Options& options, const Share& share)
      : shape_(options.item_size), share_(share), head_(fmt::format(R"({{"TableName":"{}","Item":)", options.table)) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "PutItem";
    operation.key = share_.Index(sequence_++);
    body += head_;
    AppendCounterKey(operation.key, body);
    body += R"(,"n":{"N":"0"},"data":{"S":")";
    shape_.AppendData(operation.key, 0, body);
    body += R"("}}})";
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    static_cast<void>(operation);
    if (answer.status == 200 && reader_.IsEmptyObject(answer.body)) return true;
    why = "not 200 with an empty object";
    return false;
  }

 private:
  ItemShape shape_;
  Share share_;
  uint64_t sequence_ = 0;
  std::string head_;
  ItemReader reader_;
};

class UpdateCounter final : public Workload {
 public:
  UpdateCounter(const Options& options, const Share& share)
      : share_(share),
        random_(options.seed + share.thread),
        counters_(share.Count(options.items)),
        table_(options.table),
        head_(fmt::format(
            R"({{"TableName":"{}","UpdateExpression":"SET n = n + :one","ConditionExpression":"n >= :zero",)"
            R"("ExpressionAttributeValues":{{":one":{{"N":"1"}},":zero":{{"N":"0"}}}},)"
            R"("ReturnValues":"UPDATED_NEW","Key":)",
            options.table)) {}

  void Next(Operation& operation, std::string& body) override {
    const uint64_t position = random_.Below(counters_.size());
    Counter& counter = counters_[position];
    ++counter.issued;
    operation.target = "UpdateItem";
    operation.key = share_.Index(position);
    operation.version = counter.acknowledged;
    body += head_;
    AppendCounterKey(operation.key, body);
    body += "}}";
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (answer.status != 200) {
      why = "not 200";
      return false;
    }
    Counter& counter = counters_[operation.key / share_.threads];
    uint64_t value = 0;
    if (!reader_.ReadNumber(answer.body, "Attributes", "n", value, why)) return false;
    if (value <= operation.version || value > counter.issued) {
      why = fmt::format("value {} where {} to {} was possible", value, operation.version + 1, counter.issued);
      return false;
    }
    ++counter.acknowledged;
    return true;
  }

  Result<void> Finish(ControlClient& client) override {
    for (uint64_t position = 0; position < counters_.size(); ++position) {
      const Counter& counter = counters_[position];
      if (counter.issued == 0) continue;
      std::string body = fmt::format(R"({{"TableName":"{}","ConsistentRead":true,"Key":)", table_);
      AppendCounterKey(share_.Index(position), body);
      body += "}}";
      ARMATURE_TRY(const Answer answer, client.Call("GetItem", body));
      uint64_t value = 0;
      std::string why;
      if (!reader_.ReadNumber(answer.body, "Item", "n", value, why)) return Status::Corruption(why);
      if (value < counter.acknowledged || value > counter.issued) {
        return Status::Corruption(fmt::format("counter {} ends at {}, but {} increments were acknowledged and {} sent",
                                              share_.Index(position), value, counter.acknowledged, counter.issued));
      }
    }
    return {};
  }

 private:
  // issued - acknowledged is what is in flight or was lost with its connection; without losses Finish finds them equal.
  struct Counter {
    uint32_t issued = 0;
    uint32_t acknowledged = 0;
  };

  Share share_;
  Random random_;
  std::vector<Counter> counters_;
  std::string table_;
  std::string head_;
  ItemReader reader_;
};

}  // namespace

std::unique_ptr<Workload> MakeLoadCounters(const Options& options, const Share& share) {
  return std::make_unique<LoadCounters>(options, share);
}
std::unique_ptr<Workload> MakeUpdateCounter(const Options& options, const Share& share) {
  return std::make_unique<UpdateCounter>(options, share);
}

}  // namespace armature::cli::bench
