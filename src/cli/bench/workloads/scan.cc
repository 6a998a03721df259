// scan: Scan from a random item on, and through the whole table at the end. scan-all: the whole table once.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/control_client.h"
#include "cli/bench/dataset.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

constexpr uint64_t kPageItems = 500;

// Which items a pass through the table has met.
class SeenItems {
 public:
  bool Add(uint64_t index) {
    if (index >= seen_.size()) seen_.resize(index + 1);
    if (seen_[index]) return false;
    return seen_[index] = true;
  }
  // The first of `items` that is missing, or `items`.
  uint64_t FirstMissing(uint64_t items) {
    seen_.resize(std::max<size_t>(seen_.size(), items));
    return static_cast<uint64_t>(std::find(seen_.begin(), seen_.begin() + static_cast<int64_t>(items), false) -
                                 seen_.begin());
  }

 private:
  std::vector<bool> seen_;
};

class Scan final : public Workload {
 public:
  Scan(const Options& options, const Share& share)
      : shape_(options.item_size, options.partition_items),
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
        std::min(items_, (operation.key / shape_.partition_items() + 1) * shape_.partition_items());
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
    SeenItems seen;
    std::string last_key;
    do {
      std::string body = fmt::format(R"({{"TableName":"{}")", table_);
      if (!last_key.empty()) body += R"(,"ExclusiveStartKey":)" + last_key;
      body += '}';
      ARMATURE_TRY(const Answer answer, client.Call("Scan", body));
      std::string why;
      if (answer.status != 200 || !reader_.ReadPage(answer.body, shape_, found_, why, &last_key))
        return Status::Corruption(fmt::format("a whole Scan answers {}: {}", answer.status, why));
      for (const uint64_t index : found_)
        if (!seen.Add(index)) return Status::Corruption(fmt::format("a whole Scan returns item {} twice", index));
    } while (!last_key.empty());
    const uint64_t missing = seen.FirstMissing(items_);
    if (missing == items_) return {};
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

// The whole table once, page by page, in as many segments as there are connections.
class ScanAll final : public Workload {
 public:
  ScanAll(const Options& options, const Share& share)
      : shape_(options.item_size, options.partition_items),
        share_(share),
        items_(options.items),
        segments_(std::clamp<uint64_t>(options.items / kSegmentItems, 1, options.connections)),
        head_(fmt::format(R"({{"TableName":"{}")", OrderedTable(options))),
        last_keys_(share.Count(segments_)) {
    for (uint64_t i = 0; i < last_keys_.size(); ++i) waiting_.push_back(i);
  }

  bool HasNext() const override { return !waiting_.empty(); }

  void Next(Operation& operation, std::string& body) override {
    operation.target = "Scan";
    operation.key = waiting_.back();
    waiting_.pop_back();
    body += head_;
    if (segments_ > 1)
      body += fmt::format(R"(,"Segment":{},"TotalSegments":{})", share_.Index(operation.key), segments_);
    if (const std::string& last_key = last_keys_[operation.key]; !last_key.empty())
      body.append(R"(,"ExclusiveStartKey":)").append(last_key);
    body += '}';
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (answer.status != 200) {
      why = "not 200";
      return false;
    }
    if (!reader_.ReadPage(answer.body, shape_, found_, why, &last_keys_[operation.key])) return false;
    for (const uint64_t index : found_) {
      if (seen_.Add(index)) continue;
      why = fmt::format("item {} a second time", index);
      return false;
    }
    if (!last_keys_[operation.key].empty()) waiting_.push_back(operation.key);
    return true;
  }

  void Lost(const Operation& operation) override { waiting_.push_back(operation.key); }

  // With several threads none has seen all.
  Result<void> Finish(ControlClient& client) override {
    static_cast<void>(client);
    if (share_.threads > 1) return {};
    const uint64_t missing = seen_.FirstMissing(items_);
    if (missing == items_) return {};
    return Status::Corruption(fmt::format("item {} was not returned", missing));
  }

 private:
  static constexpr uint64_t kSegmentItems = 100;  // at least, so that there are fewer pages than items

  ItemShape shape_;
  Share share_;
  uint64_t items_;
  uint64_t segments_;
  std::string head_;
  std::vector<std::string> last_keys_;  // by segment of this thread; empty at its start
  std::vector<uint64_t> waiting_;       // segments whose next page has not been asked for
  SeenItems seen_;
  ItemReader reader_;
  std::vector<uint64_t> found_;
};

}  // namespace

std::unique_ptr<Workload> MakeScanAll(const Options& options, const Share& share) {
  return std::make_unique<ScanAll>(options, share);
}
std::unique_ptr<Workload> MakeScan(const Options& options, const Share& share) {
  return std::make_unique<Scan>(options, share);
}

}  // namespace armature::cli::bench
