// get, get-consistent: GetItem of uniformly random items.
#include <fmt/format.h>

#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

class Get final : public Workload {
 public:
  Get(const Options& options, const Share& share, bool is_consistent)
      : shape_(options.item_size),
        items_(options.items),
        random_(options.seed + share.thread),
        head_(fmt::format(R"({{"TableName":"{}",{}"Key":)", options.table,
                          is_consistent ? R"("ConsistentRead":true,)" : "")) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "GetItem";
    operation.key = random_.Below(items_);
    body += head_;
    shape_.AppendKey(operation.key, body);
    body += '}';
  }

  // The table may hold any version (a put run may have been over it), but it must be that key's, and whole.
  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (answer.status != 200) {
      why = "not 200";
      return false;
    }
    uint64_t version = 0;
    return reader_.ReadItem(answer.body, "Item", shape_, operation.key, version, why);
  }

 private:
  ItemShape shape_;
  uint64_t items_;
  Random random_;
  std::string head_;
  ItemReader reader_;
};

}  // namespace

std::unique_ptr<Workload> MakeGet(const Options& options, const Share& share) {
  return std::make_unique<Get>(options, share, false);
}
std::unique_ptr<Workload> MakeGetConsistent(const Options& options, const Share& share) {
  return std::make_unique<Get>(options, share, true);
}

}  // namespace armature::cli::bench
