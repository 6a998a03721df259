// fixed: GetItem-shaped requests to a server that gives everybody the same body, such as nginx with `return 200`.
// It measures what HTTP alone costs, with the requests and the verification of a real get.
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

class Fixed final : public Workload {
 public:
  Fixed(const Options& options, const Share& share)
      : shape_(options.item_size),
        items_(options.items),
        random_(options.seed + share.thread),
        head_(fmt::format(R"({{"TableName":"{}","Key":)", options.table)) {
    std::ifstream file(options.expect_file, std::ios::binary);
    expected_.assign(std::istreambuf_iterator<char>(file), {});
  }

  void Next(Operation& operation, std::string& body) override {
    operation.target = "GetItem";
    body += head_;
    shape_.AppendKey(random_.Below(items_), body);
    body += '}';
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    static_cast<void>(operation);
    if (answer.status == 200 && !expected_.empty() && answer.body == expected_) return true;
    why = "not 200 with the body of --expect";
    return false;
  }

 private:
  ItemShape shape_;
  uint64_t items_;
  Random random_;
  std::string head_;
  std::string expected_;
};

}  // namespace

std::unique_ptr<Workload> MakeFixed(const Options& options, const Share& share) {
  return std::make_unique<Fixed>(options, share);
}

}  // namespace armature::cli::bench
