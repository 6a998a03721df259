#include "triggers/mappings/mapping.h"

#include <gtest/gtest.h>

#include "base/metrics.h"
#include "storage/memory/memory_engine.h"
#include "triggers/mappings/mapping_store.h"

namespace armature::triggers {
namespace {

Mapping Sample() {
  Mapping mapping;
  mapping.uuid = "14e0db71-5d35-4eb5-b481-8945cf9d10c2";
  mapping.account = "123456789012";
  mapping.region = "eu-west-1";
  mapping.function_name = "f";
  mapping.function_qualifier = "live";
  mapping.event_source_arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/T/stream/2024-01-01T00:00:00.000";
  mapping.starting_position = StartingPosition::kLatest;
  mapping.is_enabled = false;
  mapping.batch_size = 7;
  mapping.batching_window_seconds = 8;
  mapping.parallelization_factor = 9;
  mapping.max_record_age_seconds = 60;
  mapping.max_retry_attempts = 11;
  mapping.bisects_on_error = true;
  mapping.reports_item_failures = true;
  mapping.filters = {R"({"eventName":["INSERT"]})", R"({"eventName":["REMOVE"]})"};
  mapping.on_failure = "/var/lib/failed";
  mapping.last_modified_millis = 1'700'000'000'123;
  mapping.start = {{3, 42}, {5, 7}};
  mapping.is_deleted = true;
  mapping.trigger_name = "t";
  mapping.table_name = "T";
  return mapping;
}

TEST(Mapping, IsTheSameAfterStoring) {
  const Mapping mapping = Sample();
  const auto decoded = DecodeMapping(EncodeMapping(mapping));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(EncodeMapping(*decoded), EncodeMapping(mapping));
  EXPECT_EQ(decoded->filters, mapping.filters);
  // Lanes 3 and 5 were open when it was made.
  const auto start_in = [&](table::LaneId id, table::Position end) {
    table::Lane lane;
    lane.id = id;
    lane.first = 10;
    lane.end = end;
    return decoded->StartIn(lane);
  };
  EXPECT_EQ(start_in(3, 0), 42u);
  EXPECT_EQ(start_in(5, 90), 7u);
  EXPECT_EQ(start_in(4, 60), 60u) << "closed before: none of it";
  EXPECT_EQ(start_in(6, 0), 10u) << "opened since: all of it";
  EXPECT_EQ(decoded->function_arn(), "arn:aws:lambda:eu-west-1:123456789012:function:f:live");
  EXPECT_FALSE(DecodeMapping("{"));
  EXPECT_EQ(DecodeMapping(R"({"version":2})").error().code(), StatusCode::kFormat);
}

// The example of docs/design/formats.md.
TEST(Mapping, BytesAsDocumented) {
  EXPECT_EQ(
      EncodeMapping(Sample()),
      R"({"version":1,"uuid":"14e0db71-5d35-4eb5-b481-8945cf9d10c2","account":"123456789012","region":"eu-west-1",)"
      R"("function":"f","qualifier":"live",)"
      R"("source":"arn:aws:dynamodb:eu-west-1:123456789012:table/T/stream/2024-01-01T00:00:00.000",)"
      R"("position":"LATEST","enabled":false,"batch_size":7,"window_seconds":8,"parallelization":9,"max_age_seconds":60,)"
      R"("max_retries":11,"bisect":true,"item_failures":true,)"
      R"("filters":["{\"eventName\":[\"INSERT\"]}","{\"eventName\":[\"REMOVE\"]}"],"on_failure":"/var/lib/failed",)"
      R"("modified":1700000000123,"start":[{"lane":3,"position":42},{"lane":5,"position":7}],"deleted":true,)"
      R"("trigger":"t","table":"T"})");
}

TEST(Mapping, LimitsAreLambdas) {
  EXPECT_EQ(WhatIsWrong(Sample()), "");
  const auto wrong = [](auto change) {
    Mapping mapping = Sample();
    change(mapping);
    return WhatIsWrong(mapping);
  };
  EXPECT_EQ(
      wrong([](Mapping& m) { m.batch_size = 0; }),
      "1 validation error detected: Value '0' at 'batchSize' failed to satisfy constraint: Member must have value "
      "greater than or equal to 1");
  EXPECT_NE(wrong([](Mapping& m) { m.batch_size = 10'001; }), "");
  EXPECT_NE(wrong([](Mapping& m) { m.batching_window_seconds = 301; }), "");
  EXPECT_NE(wrong([](Mapping& m) { m.parallelization_factor = 0; }), "");
  EXPECT_NE(wrong([](Mapping& m) { m.parallelization_factor = 11; }), "");
  EXPECT_NE(wrong([](Mapping& m) { m.max_retry_attempts = -2; }), "");
  EXPECT_EQ(wrong([](Mapping& m) { m.max_retry_attempts = -1; }), "");
  EXPECT_EQ(wrong([](Mapping& m) { m.max_record_age_seconds = 59; }),
            "MaximumRecordAgeInSeconds must be either -1 (forever) or between 60 and 604800 (inclusive)");
  EXPECT_EQ(wrong([](Mapping& m) { m.max_record_age_seconds = -1; }), "");
  EXPECT_NE(wrong([](Mapping& m) { m.max_record_age_seconds = 604'801; }), "");
  EXPECT_NE(wrong([](Mapping& m) { m.filters = {"{}"}; }).find("Invalid filter pattern definition."),
            std::string::npos);
  EXPECT_NE(wrong([](Mapping& m) { m.filters.assign(11, R"({"a":[1]})"); }), "");
}

TEST(FunctionName, HasManyForms) {
  std::string name, qualifier;
  EXPECT_TRUE(ParseFunctionName("f", name, qualifier));
  EXPECT_EQ(name + "|" + qualifier, "f|");
  EXPECT_TRUE(ParseFunctionName("f-1_x:prod", name, qualifier));
  EXPECT_EQ(name + "|" + qualifier, "f-1_x|prod");
  EXPECT_TRUE(ParseFunctionName("123456789012:function:f", name, qualifier));
  EXPECT_EQ(name + "|" + qualifier, "f|");
  EXPECT_TRUE(ParseFunctionName("arn:aws:lambda:us-east-1:123456789012:function:f:$LATEST", name, qualifier));
  EXPECT_EQ(name + "|" + qualifier, "f|$LATEST");
  EXPECT_FALSE(ParseFunctionName("", name, qualifier));
  EXPECT_FALSE(ParseFunctionName("a b", name, qualifier));
  EXPECT_FALSE(ParseFunctionName("a:b:c", name, qualifier));
  EXPECT_FALSE(ParseFunctionName("a:", name, qualifier));
}

TEST(UuidOfTrigger, DependsOnWhoseAndWhich) {
  const std::string uuid = UuidOfTrigger("1", "r", "t");
  EXPECT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid, UuidOfTrigger("1", "r", "t"));
  EXPECT_NE(uuid, UuidOfTrigger("1", "r", "u"));
  EXPECT_NE(uuid, UuidOfTrigger("1", "s", "t"));
}

TEST(MappingStore, KeepsMappings) {
  Metrics metrics;
  const auto engine = storage::OpenMemoryEngine(metrics);
  MappingStore store(*engine);
  ASSERT_TRUE(RunBlocking(store.Load()).ok());
  const auto put = [](const auto&) -> model::ApiResult<MappingStore::Ref> {
    return MappingStore::Ref(std::make_shared<Mapping>(Sample()));
  };
  ASSERT_TRUE(RunBlocking(store.Change(put)));
  const auto refuse = [](const auto& all) -> model::ApiResult<MappingStore::Ref> {
    EXPECT_EQ(all.size(), 1u);
    return model::ValidationException("no");
  };
  EXPECT_FALSE(RunBlocking(store.Change(refuse)));

  MappingStore again(*engine);
  ASSERT_TRUE(RunBlocking(again.Load()).ok());
  ASSERT_TRUE(again.Find(Sample().uuid));
  EXPECT_EQ(again.Find(Sample().uuid)->batch_size, 7);
  ASSERT_TRUE(RunBlocking(again.Remove(Sample().uuid)).ok());
  EXPECT_TRUE(again.List().empty());
  MappingStore empty(*engine);
  ASSERT_TRUE(RunBlocking(empty.Load()).ok());
  EXPECT_TRUE(empty.List().empty());
}

}  // namespace
}  // namespace armature::triggers
