// query-10, query-100, query-100-reverse: Query of neighbours within a partition, from a random place on, or from one
// near its start, middle or end (--where).
#include <algorithm>

#include <fmt/format.h>

#include "cli/bench/dataset.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

class Query final : public Workload {
 public:
  Query(const Options& options, const Share& share, uint64_t limit, bool is_reverse)
      : shape_(options.item_size, options.partition_items),
        partition_items_(std::min(options.items, options.partition_items)),
        partitions_(std::max<uint64_t>(1, options.items / options.partition_items)),
        limit_(std::min(limit, partition_items_)),
        places_(partition_items_ - limit_ + 1),
        window_(options.place == Place::kAnywhere ? places_ : std::max<uint64_t>(1, places_ / 100)),
        window_start_(options.place == Place::kMiddle ? (places_ - window_) / 2
                      : options.place == Place::kEnd  ? places_ - window_
                                                      : 0),
        is_reverse_(is_reverse),
        random_(options.seed + share.thread),
        head_(fmt::format(R"({{"TableName":"{}","Limit":{},"KeyConditionExpression":"pk = :p AND sk {} :s",{})"
                          R"("ExpressionAttributeValues":{{":p":{{"S":")",
                          OrderedTable(options), limit_,
                          is_reverse ? "<=" : ">=", is_reverse ? R"("ScanIndexForward":false,)" : "")) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "Query";
    const uint64_t partition = random_.Below(partitions_);
    const uint64_t first = window_start_ + random_.Below(window_) + (is_reverse_ ? limit_ - 1 : 0);
    operation.key = partition * shape_.partition_items() + first;
    body += head_;
    shape_.AppendPartitionText(partition, body);
    fmt::format_to(std::back_inserter(body), R"("}},":s":{{"N":"{}"}}}}}})", first);
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (answer.status != 200) {
      why = "not 200";
      return false;
    }
    if (!reader_.ReadPage(answer.body, shape_, found_, why)) return false;
    bool is_right = found_.size() == limit_;
    for (uint64_t i = 0; is_right && i < limit_; ++i)
      is_right = found_[i] == (is_reverse_ ? operation.key - i : operation.key + i);
    if (!is_right) why = "other items than the ones asked for";
    return is_right;
  }

 private:
  ItemShape shape_;
  uint64_t partition_items_;
  uint64_t partitions_;
  uint64_t limit_;
  uint64_t places_;  // where a page can begin,
  uint64_t window_;  // and how many of these are used, from window_start_ on
  uint64_t window_start_;
  bool is_reverse_;
  Random random_;
  std::string head_;
  ItemReader reader_;
  std::vector<uint64_t> found_;
};

}  // namespace

std::unique_ptr<Workload> MakeQuery10(const Options& options, const Share& share) {
  return std::make_unique<Query>(options, share, 10, false);
}
std::unique_ptr<Workload> MakeQuery100(const Options& options, const Share& share) {
  return std::make_unique<Query>(options, share, 100, false);
}
std::unique_ptr<Workload> MakeQuery100Reverse(const Options& options, const Share& share) {
  return std::make_unique<Query>(options, share, 100, true);
}

}  // namespace armature::cli::bench
