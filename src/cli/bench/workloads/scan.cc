// scan: Scan from a random item on, and through the whole table at the end.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/control_client.h"
#include "cli/bench/item_shape.h"
#include "cli/bench/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

constexpr uint64_t kPageItems = 500;

class Scan final : public Workload {
 public:
  Scan(const Options& options, const Share& share)
      : shape_(options.item_size),
        items_(options.items),
        checks_all_(share.thread == 0),
        random_(options.seed + share.thread),
        table_(OrderedTable(options)),
        head_(fmt::format(R"({{"TableName":"{}","Limit":{},"ExclusiveStartKey":)", table_, kPageItems)) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "Scan";
    operation.key = random_.Below(items_);
    body += head_;
    shape_.AppendOrderedKey(operation.key, body);
    body += '}';
  }

  // The rest of the item's partition comes first; which partitions follow is the server's business.
  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (answer.status != 200) {
      why = "not 200";
      return false;
    }
    if (!reader_.ReadPage(answer.body, shape_, found_, why)) return false;
    const uint64_t partition_end =
        std::min(items_, (operation.key / ItemShape::kPartitionItems + 1) * ItemShape::kPartitionItems);
    const uint64_t rest = std::min(kPageItems, partition_end - operation.key - 1);
    bool is_right = found_.size() >= rest && found_.size() <= kPageItems;
    for (uint64_t i = 0; is_right && i < rest; ++i) is_right = found_[i] == operation.key + 1 + i;
    std::sort(found_.begin(), found_.end());
    is_right = is_right && std::adjacent_find(found_.begin(), found_.end()) == found_.end();
    if (!is_right) why = "other items than the ones behind the start key";
    return is_right;
  }

  // The whole table has every item, each once.
  Result<void> Finish(ControlClient& client) override {
    if (!checks_all_) return {};
    std::vector<bool> seen;
    simdjson::dom::parser parser;
    std::string start;
    do {
      ARMATURE_TRY(const Answer answer, client.Call("Scan", fmt::format(R"({{"TableName":"{}"{}}})", table_, start)));
      std::string why;
      if (answer.status != 200 || !reader_.ReadPage(answer.body, shape_, found_, why))
        return Status::Corruption(fmt::format("a whole Scan answers {}: {}", answer.status, why));
      for (const uint64_t index : found_) {
        if (index >= seen.size()) seen.resize(index + 1);
        if (seen[index]) return Status::Corruption(fmt::format("a whole Scan returns item {} twice", index));
        seen[index] = true;
      }
      start.clear();
      simdjson::dom::element key;
      if (parser.parse(answer.body.data(), answer.body.size())["LastEvaluatedKey"].get(key) == simdjson::SUCCESS)
        start = R"(,"ExclusiveStartKey":)" + simdjson::minify(key);
    } while (!start.empty());
    seen.resize(std::max<size_t>(seen.size(), items_));
    const auto missing = std::find(seen.begin(), seen.begin() + static_cast<int64_t>(items_), false) - seen.begin();
    if (static_cast<uint64_t>(missing) == items_) return {};
    return Status::Corruption(fmt::format("a whole Scan does not return item {}", missing));
  }

 private:
  ItemShape shape_;
  uint64_t items_;
  bool checks_all_;  // one thread looks at the whole table at the end
  Random random_;
  std::string table_;
  std::string head_;
  ItemReader reader_;
  std::vector<uint64_t> found_;
};

}  // namespace

std::unique_ptr<Workload> MakeScan(const Options& options, const Share& share) {
  return std::make_unique<Scan>(options, share);
}

}  // namespace armature::cli::bench
