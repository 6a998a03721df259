#include <set>
#include <string>

#include <gtest/gtest.h>

#include "wire/requests.h"

namespace armature::wire {
namespace {

TEST(SchemaTest, EveryOperationHasItsParts) {
  ASSERT_EQ(AllOperations().size(), kOperationCount);
  std::set<std::string_view> names;
  for (size_t i = 0; i < kOperationCount; ++i) {
    const OperationSchema& schema = AllOperations()[i];
    SCOPED_TRACE(std::string(schema.name));
    EXPECT_EQ(schema.index, i);
    EXPECT_TRUE(names.insert(schema.name).second);
    const bool is_ours = schema.service == "Armature_20261116";
    EXPECT_TRUE(is_ours || schema.service == "DynamoDB_20120810" || schema.service == "DynamoDBStreams_20120810");
    EXPECT_EQ(schema.is_streams, schema.service == "DynamoDBStreams_20120810");
    EXPECT_TRUE(schema.iam_action.starts_with(is_ours ? "armature:" : "dynamodb:"));
    ASSERT_NE(schema.input, nullptr);
    EXPECT_EQ(schema.input->kind, Kind::kStructure);
    EXPECT_EQ(schema.input->name, std::string(schema.name) + "Input");
    EXPECT_FALSE(schema.errors.empty() && schema.name != "DescribeEndpoints");
    EXPECT_EQ(FindOperation(schema.service, schema.name), &schema);
  }
  EXPECT_EQ(names.size(), 64u);  // 58 of DynamoDB, 4 of its Streams and 2 of our own
}

// Every shape an operation can reach is whole: element shapes, sizes, printable enums.
void CheckShape(const ShapeDesc& shape, std::set<const ShapeDesc*>& seen) {
  if (!seen.insert(&shape).second) return;
  SCOPED_TRACE(std::string(shape.name));
  switch (shape.kind) {
    case Kind::kStructure:
      for (const MemberDesc& member : shape.members) {
        EXPECT_LT(member.offset, shape.size);
        EXPECT_EQ(member.name.substr(1), member.path_name.substr(1));
        ASSERT_NE(member.shape, nullptr);
        CheckShape(*member.shape, seen);
      }
      break;
    case Kind::kMap:
      ASSERT_NE(shape.key, nullptr);
      EXPECT_GE(shape.value_offset, sizeof(std::string_view));
      [[fallthrough]];
    case Kind::kList:
      ASSERT_NE(shape.element, nullptr);
      EXPECT_GT(shape.size, 0u);
      CheckShape(*shape.element, seen);
      break;
    default: break;
  }
  EXPECT_EQ(shape.enum_values.empty(), shape.enum_text.empty());
  EXPECT_EQ(shape.pattern == Pattern::kNone, shape.pattern_text.empty());
  if (shape.has_min && shape.has_max) { EXPECT_LE(shape.min, shape.max); }
}

TEST(SchemaTest, EveryShapeIsWhole) {
  std::set<const ShapeDesc*> seen;
  for (const OperationSchema& schema : AllOperations()) CheckShape(*schema.input, seen);
  EXPECT_GT(seen.size(), 200u);
}

TEST(SchemaTest, NamesAreCaseSensitiveAndBoundToTheirService) {
  EXPECT_NE(FindOperation("DynamoDB_20120810", "GetItem"), nullptr);
  EXPECT_EQ(FindOperation("DynamoDB_20120810", "getItem"), nullptr);
  EXPECT_EQ(FindOperation("DynamoDB_20111205", "GetItem"), nullptr);
  EXPECT_EQ(FindOperation("DynamoDBStreams_20120810", "GetItem"), nullptr);
  EXPECT_NE(FindOperation("DynamoDBStreams_20120810", "GetRecords"), nullptr);
  EXPECT_NE(FindOperation("Armature_20261116", "ListPartitions"), nullptr);
  EXPECT_EQ(FindOperation("DynamoDB_20120810", "ListPartitions"), nullptr);
  EXPECT_EQ(FindOperation("DynamoDB_20120810", ""), nullptr);
  EXPECT_EQ(SchemaOf(OperationId::kGetItem).kind, OperationKind::kRead);
  EXPECT_EQ(SchemaOf(OperationId::kPutItem).kind, OperationKind::kWrite);
  EXPECT_EQ(SchemaOf(OperationId::kCreateTable).kind, OperationKind::kControl);
}

}  // namespace
}  // namespace armature::wire
