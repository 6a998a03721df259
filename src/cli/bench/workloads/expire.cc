// load-expired: PutItem of items whose time is over. ttl-sweep itself is get, after Time to Live was turned on.
#include <chrono>

#include <fmt/format.h>

#include "cli/bench/dataset.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

// Items beside those of load: another key, and an hour past their time.
class LoadExpired final : public Workload {
 public:
  LoadExpired(const Options& options, const Share& share)
      : shape_(options.item_size), share_(share), table_(options.table) {
    using std::chrono::system_clock;
    const auto past = system_clock::now() - std::chrono::hours(1);
    expiry_ = std::chrono::duration_cast<std::chrono::seconds>(past.time_since_epoch()).count();
  }

  void Next(Operation& operation, std::string& body) override {
    operation.target = "PutItem";
    operation.key = share_.Index(sequence_++);
    body += fmt::format(R"({{"TableName":"{}","Item":{{"pk":{{"S":"gone{:012}"}},"{}":{{"N":"{}"}},"data":{{"S":")",
                        table_, operation.key, kExpiryAttribute, expiry_);
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
  std::string table_;
  int64_t expiry_ = 0;
  uint64_t sequence_ = 0;
  ItemReader reader_;
};

}  // namespace

std::unique_ptr<Workload> MakeLoadExpired(const Options& options, const Share& share) {
  return std::make_unique<LoadExpired>(options, share);
}

}  // namespace armature::cli::bench
