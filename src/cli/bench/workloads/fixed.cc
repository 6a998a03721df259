// fixed: GetItem-shaped requests to a server that gives everybody the same body, such as nginx with `return 200`.
// It measures what HTTP alone costs, with the requests and the verification of a real get.
// get-denied: the same to a server whose policies do not let the caller read.
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

class GetShaped : public Workload {
 public:
  GetShaped(const Options& options, const Share& share)
      : shape_(options.item_size),
        items_(options.items),
        random_(options.seed + share.thread),
        head_(fmt::format(R"({{"TableName":"{}","Key":)", options.table)) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "GetItem";
    body += head_;
    shape_.AppendKey(random_.Below(items_), body);
    body += '}';
  }

 private:
  ItemShape shape_;
  uint64_t items_;
  Random random_;
  std::string head_;
};

class Fixed final : public GetShaped {
 public:
  Fixed(const Options& options, const Share& share) : GetShaped(options, share) {
    std::ifstream file(options.expect_file, std::ios::binary);
    expected_.assign(std::istreambuf_iterator<char>(file), {});
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    static_cast<void>(operation);
    if (answer.status == 200 && !expected_.empty() && answer.body == expected_) return true;
    why = "not 200 with the body of --expect";
    return false;
  }

 private:
  std::string expected_;
};

class GetDenied final : public GetShaped {
 public:
  using GetShaped::GetShaped;

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    static_cast<void>(operation);
    if (answer.status == 400 && answer.body.find("AccessDeniedException") != std::string_view::npos) return true;
    why = "not a denial";
    return false;
  }
};

}  // namespace

std::unique_ptr<Workload> MakeFixed(const Options& options, const Share& share) {
  return std::make_unique<Fixed>(options, share);
}
std::unique_ptr<Workload> MakeGetDenied(const Options& options, const Share& share) {
  return std::make_unique<GetDenied>(options, share);
}

}  // namespace armature::cli::bench
