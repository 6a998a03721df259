// Queries at a chosen place and the whole Scan, by their bodies and by what they think of answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "cli/bench/control_client.h"
#include "cli/bench/http/response_parser.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

Options MakeOptions(uint64_t items, uint64_t partition_items) {
  Options options;
  options.table = "t";
  options.items = items;
  options.partition_items = partition_items;
  return options;
}

// A page of the items from `first` to `last`, in that order.
std::string Page(const Options& options, uint64_t first, uint64_t last, std::string_view last_key = {}) {
  const ItemShape shape(options.item_size, options.partition_items);
  std::string items;
  uint64_t count = 0;
  for (uint64_t index = first;; index += first <= last ? 1 : uint64_t(-1)) {
    if (count++ > 0) items += ',';
    shape.AppendOrderedItem(index, 0, items);
    if (index == last) break;
  }
  std::string body = fmt::format(R"({{"Items":[{}],"Count":{}{}{}}})", items, count,
                                 last_key.empty() ? "" : R"(,"LastEvaluatedKey":)", last_key);
  body.reserve(body.size() + ResponseParser::kPadding);
  return body;
}

class QueryPlaceTest : public ::testing::Test {
 protected:
  // Where the pages of 100 of a partition of 100,000 begin.
  static void ExpectPages(Place place, bool is_reverse, uint64_t lowest, uint64_t highest) {
    Options options = MakeOptions(100'000, 100'000);
    options.place = place;
    const auto query = is_reverse ? MakeQuery100Reverse(options, Share()) : MakeQuery100(options, Share());
    for (int i = 0; i < 200; ++i) {
      Operation operation;
      std::string body;
      query->Next(operation, body);
      EXPECT_THAT(operation.key, AllOf(Ge(lowest), Le(highest)));
      EXPECT_THAT(body, HasSubstr(R"("TableName":"t-ordered-100000")"));
      EXPECT_THAT(body, HasSubstr(fmt::format(R"(":s":{{"N":"{}"}})", operation.key)));
      if (i > 0) continue;
      const uint64_t last = is_reverse ? operation.key - 99 : operation.key + 99;
      std::string why;
      EXPECT_TRUE(query->Verify(operation, {200, Page(options, operation.key, last)}, why)) << why;
      EXPECT_FALSE(query->Verify(operation, {200, Page(options, last, operation.key)}, why));
    }
  }
};

TEST_F(QueryPlaceTest, Start) {
  ExpectPages(Place::kStart, false, 0, 998);
  ExpectPages(Place::kStart, true, 99, 998 + 99);
}
TEST_F(QueryPlaceTest, Middle) { ExpectPages(Place::kMiddle, false, 49'400, 50'500); }
TEST_F(QueryPlaceTest, End) {
  ExpectPages(Place::kEnd, false, 99'901 - 999, 99'900);
  ExpectPages(Place::kEnd, true, 100'000 - 999, 99'999);
}
TEST_F(QueryPlaceTest, Anywhere) { ExpectPages(Place::kAnywhere, false, 0, 99'900); }

class ScanAllTest : public ::testing::Test {
 protected:
  std::string Ask() {
    EXPECT_TRUE(scan_->HasNext());
    std::string body;
    scan_->Next(operation_, body);
    EXPECT_FALSE(scan_->HasNext());  // one connection, one page at a time
    return body;
  }
  bool Take(const std::string& body) { return scan_->Verify(operation_, {200, body}, why_); }
  bool IsComplete() {
    ControlClient client(options_);  // not used
    return scan_->Finish(client).has_value();
  }

  static Options OneConnection() {
    Options options = MakeOptions(300, 100);
    options.connections = 1;
    return options;
  }
  Options options_ = OneConnection();
  std::unique_ptr<Workload> scan_ = MakeScanAll(options_, Share());
  Operation operation_;
  std::string why_;
};

TEST_F(ScanAllTest, GoesFromPageToPageAndStops) {
  EXPECT_EQ(Ask(), R"({"TableName":"t-ordered-100"})");
  EXPECT_TRUE(Take(Page(options_, 100, 199, R"({"pk":{"S":"x"}})"))) << why_;
  EXPECT_EQ(Ask(), R"({"TableName":"t-ordered-100","ExclusiveStartKey":{"pk":{"S":"x"}}})");
  scan_->Lost(operation_);
  EXPECT_THAT(Ask(), HasSubstr("ExclusiveStartKey"));
  EXPECT_TRUE(Take(Page(options_, 200, 299, R"({"pk":{"S":"y"}})"))) << why_;
  Ask();
  EXPECT_TRUE(Take(Page(options_, 0, 99))) << why_;
  EXPECT_FALSE(scan_->HasNext());
  EXPECT_TRUE(IsComplete());
}

TEST_F(ScanAllTest, NoticesWhatComesTwiceOrNotAtAll) {
  Ask();
  EXPECT_TRUE(Take(Page(options_, 100, 199, R"({"pk":{"S":"x"}})"))) << why_;
  Ask();
  EXPECT_FALSE(Take(Page(options_, 199, 299)));
  EXPECT_THAT(why_, HasSubstr("item 199 a second time"));
  EXPECT_FALSE(IsComplete());
}

TEST(ScanSegmentsTest, EachConnectionHasItsOwn) {
  Options options = MakeOptions(1000, 100);
  options.connections = 4;
  options.threads = 2;
  const auto scan = MakeScanAll(options, Share{.thread = 1, .threads = 2});
  std::vector<std::string> bodies;
  while (scan->HasNext()) {
    Operation operation;
    scan->Next(operation, bodies.emplace_back());
  }
  EXPECT_THAT(bodies, ::testing::UnorderedElementsAre(HasSubstr(R"("Segment":1,"TotalSegments":4)"),
                                                      HasSubstr(R"("Segment":3,"TotalSegments":4)")));
}

}  // namespace
}  // namespace armature::cli::bench
