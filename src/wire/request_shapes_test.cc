// Every list and map of every operation's request, with everything in it that should not be: what is decoded is whole.
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "wire/decode.h"
#include "wire/json/json_document.h"
#include "wire/testing/request_samples.h"

namespace armature::wire {
namespace {

// Walks a decoded request as operations may: every element is a value.
class Wholeness {
 public:
  void Check(const ShapeDesc& shape, const void* value, bool is_element) {
    switch (shape.kind) {
      case Kind::kStructure: return CheckStructure(shape, value, is_element);
      case Kind::kList: return CheckList(shape, *static_cast<const RawList*>(value), shape.element, 0);
      case Kind::kMap: return CheckList(shape, *static_cast<const RawList*>(value), shape.element, shape.value_offset);
      case Kind::kAttributeValue:
        if (is_element) { EXPECT_NE(static_cast<const AttributeField*>(value)->value, nullptr); }
        return;
      case Kind::kAttributeMap:
        if (is_element) { EXPECT_TRUE(static_cast<const AttributeMap*>(value)->present); }
        return;
      case Kind::kString:
      case Kind::kBlob:
        if (is_element) { EXPECT_NE(static_cast<const std::string_view*>(value)->data(), nullptr); }
        return;
      default: return;
    }
  }

 private:
  void CheckStructure(const ShapeDesc& shape, const void* value, bool is_element) {
    // A structure lies in a list itself; a member points to it, or to nothing.
    const void* structure = is_element ? value : *static_cast<const void* const*>(value);
    if (structure == nullptr) return;
    for (const MemberDesc& member : shape.members)
      Check(*member.shape, static_cast<const char*>(structure) + member.offset, /*is_element=*/false);
  }

  void CheckList(const ShapeDesc& shape, const RawList& list, const ShapeDesc* element, size_t offset) {
    for (size_t i = 0; i < list.count; ++i)
      Check(*element, static_cast<const char*>(list.data) + i * shape.size + offset, /*is_element=*/true);
  }
};

// The error of a request, or nothing; checks what was decoded.
std::string DecodeError(const OperationSchema& schema, const std::string& json) {
  const auto document = JsonDocument::Parse(json);
  if (!document) return "no JSON";
  Arena arena;
  DecodeErrors errors;
  void* request = arena.Allocate(schema.input->size);
  if (auto decoded = DecodeRequest(schema, document->root(), arena, errors, request); !decoded)
    return decoded.error().message;
  Wholeness().Check(*schema.input, request, /*is_element=*/true);
  const auto validated = ValidateRequest(schema, errors.WordingOf(schema), request);
  return validated ? "" : validated.error().message;
}

std::string PathText(const ShapePath& path, const std::string& key) {
  std::string out;
  for (const MemberDesc* step : path.steps) {
    if (!out.empty()) out += '.';
    if (step != nullptr) out += step->path_name;
    else out += key + ".member";
  }
  return out;
}

TEST(RequestShapesTest, EveryDecodedElementIsAValue) {
  size_t paths = 0;
  for (const OperationSchema& schema : AllOperations()) {
    for (const ShapePath& path : CollectionPaths(schema)) {
      ++paths;
      uint64_t seed = 0;
      for (const JsonTree& value : HostileValues()) {
        SeededRandom random(++seed);
        const Choose choose = [&](size_t count) { return random.Below(count); };
        for (int variant = 0; variant < 4; ++variant) {
          const std::string json = SampleWith(schema, path, value, choose).ToString();
          SCOPED_TRACE(std::string(schema.name) + " " + json);
          DecodeError(schema, json);
          ASSERT_FALSE(testing::Test::HasFailure());
        }
      }
    }
  }
  EXPECT_GT(paths, 200u);
}

// Of lists the path is known without looking at keys, so the text is checked whole.
TEST(RequestShapesTest, ANullInAListIsNamedByItsPath) {
  size_t lists = 0;
  const Choose first = [](size_t) { return 0; };
  for (const OperationSchema& schema : AllOperations()) {
    for (const ShapePath& path : CollectionPaths(schema)) {
      const bool is_element = path.steps.back() == nullptr;
      const bool has_error_of_its_own =
          path.shape->kind == Kind::kAttributeValue || path.shape->kind == Kind::kAttributeMap;
      bool passes_map = false;
      const ShapeDesc* at = schema.input;
      for (const MemberDesc* step : path.steps) {
        passes_map = passes_map || (step == nullptr && at->kind != Kind::kList);
        at = step != nullptr ? step->shape : at->element;
      }
      if (!is_element || passes_map || has_error_of_its_own) continue;
      ++lists;
      const std::string json = SampleWith(schema, path, JsonTree(), first).ToString();
      EXPECT_EQ(DecodeError(schema, json), "1 validation error detected: Value null at '" + PathText(path, "1") +
                                               "' failed to satisfy constraint: Member must not be null")
          << schema.name << " " << json;
    }
  }
  EXPECT_GT(lists, 30u);
}

TEST(RequestShapesTest, ANullInAMapIsNamedByItsKey) {
  EXPECT_EQ(DecodeError(SchemaOf(OperationId::kBatchGetItem), R"({"RequestItems":{"Tbl":null}})"),
            "1 validation error detected: Value null at 'requestItems.Tbl.member' failed to satisfy constraint: "
            "Member must not be null");
  EXPECT_EQ(DecodeError(SchemaOf(OperationId::kScan),
                        R"({"TableName":"Tbl","ExpressionAttributeNames":{"#a":"a","#b":null}})"),
            "1 validation error detected: Value null at 'expressionAttributeNames.#b.member' failed to satisfy "
            "constraint: Member must not be null");
}

}  // namespace
}  // namespace armature::wire
