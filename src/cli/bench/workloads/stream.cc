// stream-put, stream-load: put and load into a table with a stream. stream-read: full pages of its records.
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "cli/bench/control_client.h"
#include "cli/bench/dataset.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

constexpr size_t kPageRecords = 1000;
constexpr std::string_view kGetRecords = "DynamoDBStreams_20120810.GetRecords";

Options WithStreamedTable(Options options) {
  options.table = StreamedTable(options);
  return options;
}

// Goes through the oldest shard page by page, and again from its start when the pages come to an end.
class StreamRead final : public Workload {
 public:
  explicit StreamRead(const Options& options) : shape_(options.item_size) {
    ControlClient client(options);
    auto first = FirstIterator(client, StreamedTable(options));
    if (first) starts_.push_back(std::move(*first));
    else failure_ = first.error().ToString();
    last_page_ = options.items / kPageRecords;
  }

  void Next(Operation& operation, std::string& body) override {
    operation.target = kGetRecords;
    operation.key = starts_.empty() ? 0 : turn_++ % starts_.size();
    body += fmt::format(R"({{"Limit":{},"ShardIterator":"{}"}})", kPageRecords,
                        starts_.empty() ? "none" : starts_[operation.key]);
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (!failure_.empty()) {
      why = failure_;
      return false;
    }
    std::string next;
    if (answer.status != 200) {
      why = fmt::format("status {}", answer.status);
      return false;
    }
    if (!reader_.ReadRecords(answer.body, shape_, kPageRecords, next, why)) return false;
    // The last pages may not be full: only as many starts as full pages are known to follow.
    if (operation.key + 1 == starts_.size() && starts_.size() < last_page_) starts_.push_back(std::move(next));
    return true;
  }

 private:
  static Result<std::string> Ask(ControlClient& client, std::string_view target, const std::string& body,
                                 const char* pointer) {
    ARMATURE_TRY(const Answer answer, client.Call(target, body));
    simdjson::dom::parser parser;
    std::string_view text;
    if (answer.status != 200 ||
        parser.parse(answer.body.data(), answer.body.size()).at_pointer(pointer).get(text) != simdjson::SUCCESS)
      return Status::Unavailable(fmt::format("{} answered {}: {}", target, answer.status, answer.body.substr(0, 300)));
    return std::string(text);
  }

  static Result<std::string> FirstIterator(ControlClient& client, const std::string& table) {
    ARMATURE_TRY(const std::string arn,
                 Ask(client, "DescribeTable", fmt::format(R"({{"TableName":"{}"}})", table), "/Table/LatestStreamArn"));
    ARMATURE_TRY(const std::string shard,
                 Ask(client, "DynamoDBStreams_20120810.DescribeStream", fmt::format(R"({{"StreamArn":"{}"}})", arn),
                     "/StreamDescription/Shards/0/ShardId"));
    return Ask(client, "DynamoDBStreams_20120810.GetShardIterator",
               fmt::format(R"({{"StreamArn":"{}","ShardId":"{}","ShardIteratorType":"TRIM_HORIZON"}})", arn, shard),
               "/ShardIterator");
  }

  ItemShape shape_;
  ItemReader reader_;
  std::vector<std::string> starts_;  // iterators of pages known to be full
  uint64_t turn_ = 0;
  uint64_t last_page_ = 0;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Workload> MakeStreamPut(const Options& options, const Share& share) {
  return MakePut(WithStreamedTable(options), share);
}
std::unique_ptr<Workload> MakeStreamLoad(const Options& options, const Share& share) {
  return MakeLoad(WithStreamedTable(options), share);
}
std::unique_ptr<Workload> MakeStreamRead(const Options& options, const Share& share) {
  static_cast<void>(share);
  return std::make_unique<StreamRead>(options);
}

}  // namespace armature::cli::bench
