#include "model/codec/table_def_codec.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace armature::model {
namespace {

TableDef Sample() {
  TableDef def;
  def.id = 7;
  def.account = "123456789012";
  def.region = "us-east-1";
  def.name = "Music";
  def.attribute_definitions = {{"pk", Type::kS}, {"sk", Type::kN}};
  def.key_schema = {{{"pk", Type::kS}}, {{"sk", Type::kN}}};
  IndexDef index;
  index.name = "byYear";
  index.key_schema = {{{"sk", Type::kN}}, {}};
  def.indexes.push_back(index);
  def.switches_to_on_demand = {1'700'000'000'000, 1'700'000'060'000};
  def.tags = {{"team", "a"}};
  def.policy = {"{}", 1'700'000'000'000, {{"arn:aws:iam::123456789012:user/bob", "AIDABOB"}}};
  def.stream_policies = {{"2023-11-14T22:13:20.000", {"[]", 1'700'000'000'001, {}}}};
  return def;
}

TEST(TableDefCodecTest, RoundTrip) {
  const std::string record = EncodeTableDef(Sample());
  const auto decoded = DecodeTableDef(record);
  ASSERT_TRUE(decoded) << decoded.error().ToString();
  EXPECT_EQ(EncodeTableDef(*decoded), record);
}

// The example of docs/design/formats.md.
TEST(TableDefCodecTest, BytesAsDocumented) {
  TableDef def;
  def.id = 5;
  def.account = "1";
  def.region = "r";
  def.name = "T";
  def.uuid = "14e0db71-5d35-4eb5-b481-8945cf9d10c2";
  def.created_millis = 1'700'000'000'000;
  def.attribute_definitions = {{"pk", Type::kS}, {"g", Type::kN}};
  def.key_schema = {{{"pk", Type::kS}}, {}};
  IndexDef index;
  index.name = "byG";
  index.id = 1;
  index.keyspace = 6;
  index.key_schema = {{{"g", Type::kN}}, {}};
  def.indexes.push_back(index);
  def.next_index_id = 2;
  EXPECT_EQ(
      EncodeTableDef(def),
      R"({"version":1,"id":5,"account":"1","region":"r","name":"T","uuid":"14e0db71-5d35-4eb5-b481-8945cf9d10c2",)"
      R"("created":1700000000000,"attributeDefinitions":[{"name":"pk","type":"S"},{"name":"g","type":"N"}],)"
      R"("keySchema":{"hash":[{"name":"pk","type":"S"}],"range":[]},"indexes":[{"kind":"global","name":"byG","id":1,)"
      R"("keyspace":6,"keySchema":{"hash":[{"name":"g","type":"N"}],"range":[]},"projection":"ALL","nonKeyAttributes":[],)"
      R"("readUnits":0,"writeUnits":0,"decreasesToday":0,"lastIncrease":0,"lastDecrease":0,"status":"ACTIVE",)"
      R"("backfilling":false}],"nextIndexId":2,"billingMode":"PROVISIONED","payPerRequestSince":0,"readUnits":0,)"
      R"("writeUnits":0,"decreasesToday":0,"lastIncrease":0,"lastDecrease":0,"tableClass":"","tableClassChanged":0,)"
      R"("deletionProtection":false,"sseKms":false,"kmsKeyArn":"","streamEnabled":false,"streamViewType":"",)"
      R"("streamLabel":"","ttlStatus":"DISABLED","ttlAttribute":"","ttlDue":0,"tags":{},"status":"ACTIVE",)"
      R"("transitionDue":0})");
}

TEST(TableDefCodecTest, ANameThatIsNoneIsDamage) {
  for (const std::string& bad :
       {std::string("us-east-1\0x", 11), std::string("eu\xff"), std::string(), std::string("a/b")}) {
    for (std::string TableDef::*member : {&TableDef::region, &TableDef::name, &TableDef::account}) {
      TableDef def = Sample();
      def.*member = bad;
      EXPECT_FALSE(DecodeTableDef(EncodeTableDef(def))) << bad;
    }
  }
}

// Whatever bytes a record has become: it is read or refused.
TEST(TableDefCodecTest, AnyBytesAreReadOrRefused) {
  const std::string record = EncodeTableDef(Sample());
  for (size_t size = 0; size < record.size(); ++size) EXPECT_FALSE(DecodeTableDef(record.substr(0, size)));
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = record;
    for (unsigned i = 0; i <= random() % 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto decoded = DecodeTableDef(damaged);
    if (!decoded) ++refused;
    else EXPECT_TRUE(DecodeTableDef(EncodeTableDef(*decoded)));
  }
  EXPECT_GT(refused, 10'000);
}

}  // namespace
}  // namespace armature::model
