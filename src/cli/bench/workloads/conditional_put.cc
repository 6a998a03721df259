// conditional-put: PutItem with attribute_not_exists. Every key is sent twice: the first must succeed, and the
// second, sent only after the first was acknowledged, must be refused.
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/items/item_shape.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

constexpr uint64_t kFirst = 1;
constexpr uint64_t kSecond = 2;

class ConditionalPut final : public Workload {
 public:
  ConditionalPut(const Options& options, const Share& share)
      : shape_(options.item_size),
        share_(share),
        head_(fmt::format(R"json({{"TableName":"{}","ConditionExpression":"attribute_not_exists(pk)",)json"
                          R"("Item":{{"pk":{{"S":"once-{}-)",
                          options.table, share.run_id)) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "PutItem";
    if (!acknowledged_.empty() && (++turn_ & 1) == 0) {
      operation.key = acknowledged_.back();
      acknowledged_.pop_back();
      operation.note = kSecond;
    } else {
      operation.key = share_.Index(sequence_++);
      operation.note = kFirst;
    }
    body += head_;
    fmt::format_to(std::back_inserter(body), R"({}"}},"data":{{"S":")", operation.key);
    shape_.AppendData(operation.key, 0, body);
    body += R"("}}})";
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (operation.note == kFirst) {
      if (answer.status != 200 || !reader_.IsEmptyObject(answer.body)) {
        why = "refused although the key is new";
        return false;
      }
      acknowledged_.push_back(operation.key);
      return true;
    }
    if (answer.status != 400 || reader_.ReadErrorType(answer.body) != "ConditionalCheckFailedException") {
      why = "not refused although the key exists";
      return false;
    }
    return true;
  }

 private:
  ItemShape shape_;
  Share share_;
  std::string head_;
  uint64_t sequence_ = 0;
  uint64_t turn_ = 0;
  std::vector<uint64_t> acknowledged_;  // first put done, second not yet sent
  ItemReader reader_;
};

}  // namespace

std::unique_ptr<Workload> MakeConditionalPut(const Options& options, const Share& share) {
  return std::make_unique<ConditionalPut>(options, share);
}

}  // namespace armature::cli::bench
