#include "dax/translate/expressions/expression_text.h"

#include <deque>

#include <gtest/gtest.h>

#include "dax/codec/cbor.h"
#include "dax/translate/translate_testing.h"

namespace armature::dax {
namespace {

// --- trees, as clients write them

std::string Array(std::initializer_list<std::string> elements) {
  std::string out;
  AppendCborArrayHead(out, elements.size());
  for (const std::string& element : elements) out += element;
  return out;
}
std::string Int(int64_t value) {
  std::string out;
  AppendCborInt(out, value);
  return out;
}
std::string Text(std::string_view text) {
  std::string out;
  AppendCborText(out, text);
  return out;
}
std::string ListIndex(int64_t index) {
  std::string out;
  AppendCborTag(out, 3324);
  return out + Int(index);
}
std::string Path(std::string_view name) { return Array({Int(18), Text(name)}); }
std::string Slot(int64_t slot) { return Array({Int(17), Int(slot)}); }
std::string Node(int op, const std::string& a) { return Array({Int(op), a}); }
std::string Node(int op, const std::string& a, const std::string& b) { return Array({Int(op), a, b}); }
std::string Node(int op, const std::string& a, const std::string& b, const std::string& c) {
  return Array({Int(op), a, b, c});
}
// With the numbers 10, 11, … as values, one for each slot.
std::string Expression(const std::string& tree, int slots = 3) {
  std::string values;
  AppendCborArrayHead(values, static_cast<size_t>(slots));
  for (int i = 0; i < slots; ++i) values += Int(10 + i);
  return Array({Int(1), tree, values});
}

class ExpressionTextTest : public testing::Test {
 protected:
  std::string Condition(const std::string& tree, int slots = 3) {
    ExpressionWriter writer(arena_);
    return Told(writer.Condition(Keep(Expression(tree, slots)), "FilterExpression"));
  }
  std::string Update(std::initializer_list<std::string> actions) {
    ExpressionWriter writer(arena_);
    return Told(writer.Update(Keep(Expression(Array(actions)))));
  }
  std::string Projection(std::initializer_list<std::string> paths) {
    ExpressionWriter writer(arena_);
    return Told(writer.Projection(Keep(Array({Int(1), Array(paths)}))));
  }
  std::string_view Keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }
  static std::string Told(const model::ApiResult<std::string>& result) {
    return result ? *result : result.error().name + ": " + result.error().message;
  }
  static std::string Maps(const ExpressionWriter& writer) {
    std::string out;
    JsonWriter json(out);
    json.BeginObject();
    writer.WriteAttributeMaps(json);
    json.EndObject();
    return out;
  }

  Arena arena_;
  std::deque<std::string> kept_;
};

const std::string kA = Path("a");
const std::string kB = Path("b");
const std::string kC = Path("c");
const std::string kEqual = Node(0, kA, Slot(0));
const std::string kLess = Node(2, kB, Slot(1));
const std::string kExists = Node(11, kC);

TEST_F(ExpressionTextTest, TheProtocolsExamples) {
  ExpressionWriter writer(arena_);
  EXPECT_EQ(Told(writer.Condition(Keep(Bytes("83 01 82 0c 82 12 66 417274697374 80")), "ConditionExpression")),
            "attribute_not_exists(#0)");
  EXPECT_EQ(Told(writer.Condition(Keep(Bytes("83 01 83 06 83 00 82 12 66 73656e736f72 82 11 00 83 04 82 12 61 74 82 11 "
                                             "01 82 05 29")),
                                  "KeyConditionExpression")),
            "#1=:0 AND t>:1");
  EXPECT_EQ(Told(writer.Update(Keep(Bytes("83 01 82 83 13 82 12 65 506c617973 83 18 19 83 17 82 12 65 506c617973 82 11 "
                                          "00 82 11 01 82 16 82 12 65 5072696365 82 00 01")))),
            "SET #2=if_not_exists(#2,:2)+:3 REMOVE #3");
  EXPECT_EQ(Maps(writer),
            R"({"ExpressionAttributeNames":{"#0":"Artist","#1":"sensor","#2":"Plays","#3":"Price"},)"
            R"("ExpressionAttributeValues":{":0":{"N":"5"},":1":{"N":"-10"},":2":{"N":"0"},":3":{"N":"1"}}})");
}

TEST_F(ExpressionTextTest, EveryOperatorOfConditions) {
  EXPECT_EQ(Condition(Node(0, kA, Slot(0))), "a=:0");
  EXPECT_EQ(Condition(Node(1, kA, Slot(0))), "a<>:0");
  EXPECT_EQ(Condition(Node(2, kA, Slot(0))), "a<:0");
  EXPECT_EQ(Condition(Node(3, kA, Slot(0))), "a>=:0");
  EXPECT_EQ(Condition(Node(4, kA, Slot(0))), "a>:0");
  EXPECT_EQ(Condition(Node(5, kA, Slot(0))), "a<=:0");
  EXPECT_EQ(Condition(Node(6, kEqual, kLess)), "a=:0 AND b<:1");
  EXPECT_EQ(Condition(Node(7, kEqual, kLess)), "a=:0 OR b<:1");
  EXPECT_EQ(Condition(Node(8, kEqual)), "NOT a=:0");
  EXPECT_EQ(Condition(Node(9, kA, Slot(0), Slot(1))), "a BETWEEN :0 AND :1");
  EXPECT_EQ(Condition(Node(10, kA, Array({Slot(0), kB, Slot(1)}))), "a IN (:0,b,:1)");
  EXPECT_EQ(Condition(Node(11, kA)), "attribute_exists(a)");
  EXPECT_EQ(Condition(Node(12, kA)), "attribute_not_exists(a)");
  EXPECT_EQ(Condition(Node(13, kA, Slot(0))), "attribute_type(a,:0)");
  EXPECT_EQ(Condition(Node(14, kA, Slot(0))), "begins_with(a,:0)");
  EXPECT_EQ(Condition(Node(15, kA, Slot(0))), "contains(a,:0)");
  EXPECT_EQ(Condition(Node(0, Node(16, kA), Slot(0))), "size(a)=:0");
}

TEST_F(ExpressionTextTest, EveryOperatorOfUpdates) {
  EXPECT_EQ(Update({Node(19, kA, Slot(0))}), "SET a=:0");
  EXPECT_EQ(Update({Node(20, kA, Slot(0))}), "ADD a :0");
  EXPECT_EQ(Update({Node(21, kA, Slot(0))}), "DELETE a :0");
  EXPECT_EQ(Update({Node(22, kA)}), "REMOVE a");
  EXPECT_EQ(Update({Node(19, kA, Node(23, kB, Slot(0)))}), "SET a=if_not_exists(b,:0)");
  EXPECT_EQ(Update({Node(19, kA, Node(24, kB, Slot(0)))}), "SET a=list_append(b,:0)");
  EXPECT_EQ(Update({Node(19, kA, Node(25, kB, Slot(0)))}), "SET a=b+:0");
  EXPECT_EQ(Update({Node(19, kA, Node(26, kB, Slot(0)))}), "SET a=b-:0");
}

TEST_F(ExpressionTextTest, SectionsStandWhereTheirFirstActionStood) {
  EXPECT_EQ(Update({Node(22, kB), Node(19, kC, Slot(1)), Node(22, kA), Node(20, Path("d"), Slot(2)),
                    Node(19, Path("e"), Slot(0))}),
            "REMOVE b,a SET c=:0,e=:1 ADD d :2");
}

TEST_F(ExpressionTextTest, ParenthesesOnlyWherePrecedenceNeedsThem) {
  EXPECT_EQ(Condition(Node(6, Node(7, kEqual, kLess), kExists)), "(a=:0 OR b<:1) AND attribute_exists(c)");
  EXPECT_EQ(Condition(Node(6, kExists, Node(7, kEqual, kLess))), "attribute_exists(c) AND (a=:0 OR b<:1)");
  EXPECT_EQ(Condition(Node(7, Node(6, kEqual, kLess), kExists)), "a=:0 AND b<:1 OR attribute_exists(c)");
  EXPECT_EQ(Condition(Node(7, kExists, Node(6, kEqual, kLess))), "attribute_exists(c) OR a=:0 AND b<:1");
  EXPECT_EQ(Condition(Node(6, kEqual, Node(6, kLess, kExists))), "a=:0 AND b<:1 AND attribute_exists(c)");
  EXPECT_EQ(Condition(Node(7, Node(7, kEqual, kLess), kExists)), "a=:0 OR b<:1 OR attribute_exists(c)");
  EXPECT_EQ(Condition(Node(8, Node(6, kEqual, kLess))), "NOT (a=:0 AND b<:1)");
  EXPECT_EQ(Condition(Node(8, Node(7, kEqual, kLess))), "NOT (a=:0 OR b<:1)");
  EXPECT_EQ(Condition(Node(6, Node(8, kEqual), kLess)), "NOT a=:0 AND b<:1");
  EXPECT_EQ(Condition(Node(8, Node(8, kExists))), "NOT NOT attribute_exists(c)");
  EXPECT_EQ(Condition(Node(8, Node(9, kA, Slot(0), Slot(1)))), "NOT a BETWEEN :0 AND :1");
  EXPECT_EQ(Condition(Node(6, Node(9, kA, Slot(0), Slot(1)), kLess)), "a BETWEEN :0 AND :1 AND b<:1");
}

TEST_F(ExpressionTextTest, WhatDynamoDbWillRefuseIsWrittenAllTheSame) {
  EXPECT_EQ(Condition(Node(0, kEqual, kLess)), "(a=:0)=(b<:1)");
  EXPECT_EQ(Condition(Node(0, kExists, Slot(0))), "attribute_exists(c)=:0");
  EXPECT_EQ(Condition(kA), "a");
  EXPECT_EQ(Condition(Node(10, kA, Array({}))), "a IN ()");
  EXPECT_EQ(Update({}), "");
  EXPECT_EQ(Update({Node(19, kA, Node(26, kB, Node(25, kC, Slot(0))))}), "SET a=b-(c+:0)");
  EXPECT_EQ(Update({Node(19, kA, Node(26, Node(25, kC, Slot(0)), kB))}), "SET a=(c+:0)-b");
  EXPECT_EQ(Update({Node(20, kA, kB)}), "ADD a b");
  EXPECT_EQ(Update({Node(19, kA, Node(24, Node(23, kB, Node(25, kC, Slot(0))), Slot(1)))}),
            "SET a=list_append(if_not_exists(b,c+:0),:1)");
  EXPECT_EQ(Projection({}), "");
}

TEST_F(ExpressionTextTest, Paths) {
  EXPECT_EQ(Projection({kA, Array({Int(18), Text("m"), Text("deep"), Text("q")}),
                        Array({Int(18), Text("l"), ListIndex(0), ListIndex(12), Text("x.y")})}),
            "a,m.#0.q,l[0][12].#1");
}

TEST_F(ExpressionTextTest, NamesAreWhateverTheyAre) {
  ExpressionWriter writer(arena_);
  EXPECT_EQ(Told(writer.Projection(
                Keep(Array({Int(1), Array({Path("a.b"), Path(""), Path("7"), Path("grün"), Path("a.b")})})))),
            "#0,#1,#2,#3,#0");
  EXPECT_EQ(Maps(writer), R"({"ExpressionAttributeNames":{"#0":"a.b","#1":"","#2":"7","#3":"grün"}})");
}

TEST_F(ExpressionTextTest, EqualValuesShareAPlaceholderAcrossExpressions) {
  ExpressionWriter writer(arena_);
  const std::string same = Array({Int(1), Node(7, kEqual, kLess), Array({Text("x"), Text("x")})});
  EXPECT_EQ(Told(writer.Condition(Keep(same), "KeyConditionExpression")), "a=:0 OR b<:0");
  EXPECT_EQ(
      Told(writer.Condition(Keep(Array({Int(1), kLess, Array({Text("unused"), Text("x")})})), "FilterExpression")),
      "b<:0");
  EXPECT_EQ(Maps(writer), R"({"ExpressionAttributeValues":{":0":{"S":"x"}}})") << "what is not used is not sent";
}

TEST_F(ExpressionTextTest, PlaceholdersGrowAfterSixtyTwo) {
  std::string paths;
  AppendCborArrayHead(paths, 64);
  std::string expected;
  for (int i = 0; i < 64; ++i) {
    paths += Path("name" + std::to_string(i));
    if (i > 0) expected += ',';
    if (i < 10) expected += "#" + std::to_string(i);
    else if (i < 36) expected += std::string("#") + static_cast<char>('a' + i - 10);
    else if (i < 62) expected += std::string("#") + static_cast<char>('A' + i - 36);
    else expected += i == 62 ? "#00" : "#01";
  }
  ExpressionWriter writer(arena_);
  EXPECT_EQ(Told(writer.Projection(Keep(Array({Int(1), paths})))), expected);
}

TEST_F(ExpressionTextTest, TreesThatAreNone) {
  const std::string malformed = "ValidationException: Invalid FilterExpression: The expression is malformed;";
  EXPECT_EQ(Condition(Array({})), malformed);
  EXPECT_EQ(Condition(Int(5)), malformed);
  EXPECT_EQ(Condition(Node(27, kA, kB)), malformed) << "no such operator";
  EXPECT_EQ(Condition(Node(-1, kA, kB)), malformed);
  EXPECT_EQ(Condition(Node(0, kA)), malformed) << "too few arguments";
  EXPECT_EQ(Condition(Node(8, kA, kB)), malformed) << "too many";
  EXPECT_EQ(Condition(Node(10, kA, kB)), malformed) << "IN without its array";
  EXPECT_EQ(Condition(Node(0, kA, Slot(3))), malformed) << "no such value";
  EXPECT_EQ(Condition(Node(0, kA, Slot(-1))), malformed);
  EXPECT_EQ(Condition(Array({Int(18)})), malformed) << "an empty path";
  EXPECT_EQ(Condition(Array({Int(18), ListIndex(0)})), malformed) << "a list of nothing";
  EXPECT_EQ(Condition(Array({Int(18), Text("a"), Int(0)})), malformed);
  EXPECT_EQ(Condition(Node(22, kA)), malformed) << "an action in a condition";
  EXPECT_EQ(Condition(Node(8, Node(22, kA))), malformed);
  EXPECT_EQ(Update({kEqual}), "ValidationException: Invalid UpdateExpression: The expression is malformed;");
  EXPECT_EQ(Projection({kEqual}), "ValidationException: Invalid ProjectionExpression: The expression is malformed;");
  ExpressionWriter writer(arena_);
  EXPECT_EQ(Told(writer.Condition("", "FilterExpression")), malformed);
  EXPECT_EQ(Told(writer.Condition(Keep(Array({Int(2), kA, Array({})})), "FilterExpression")), malformed) << "a format";
  EXPECT_EQ(Told(writer.Condition(Keep(Array({Int(1), kA})), "FilterExpression")), malformed) << "no values";
  EXPECT_EQ(Told(writer.Condition(Keep(Expression(kA) + Int(1)), "FilterExpression")), malformed) << "more behind it";
}

TEST_F(ExpressionTextTest, DepthAndSizeAreBounded) {
  std::string deep = kExists;
  for (int i = 0; i < 300; ++i) deep = Node(8, deep);
  EXPECT_EQ(Condition(deep).size(), 4u * 300 + std::string("attribute_exists(c)").size());
  for (int i = 0; i < 300; ++i) deep = Node(8, deep);
  EXPECT_EQ(
      Condition(deep),
      "ValidationException: Invalid FilterExpression: The expression contains too many operators; operator count: 301");
  std::string wide;
  AppendCborArrayHead(wide, 20'000);
  for (int i = 0; i < 20'000; ++i) wide += kB;
  EXPECT_EQ(Condition(Node(10, kA, wide)),
            "ValidationException: Invalid FilterExpression: Expression size has exceeded the maximum allowed size;");
  // As wide as a text of 4096 characters can be.
  std::string widest;
  AppendCborArrayHead(widest, 2040);
  for (int i = 0; i < 2040; ++i) widest += kB;
  EXPECT_EQ(Condition(Node(10, kA, widest)).size(), 4086u);
}

}  // namespace
}  // namespace armature::dax
