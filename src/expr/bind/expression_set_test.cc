#include "expr/bind/expression_set.h"

#include <string>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

std::string Condition(std::string_view text, TestRequest::Pairs values = {}, TestRequest::Pairs names = {}) {
  return TestRequest(names, values).Check(text, "");
}
std::string Update(std::string_view text, TestRequest::Pairs values = {}, TestRequest::Pairs names = {}) {
  return TestRequest(names, values).Update(text, "pk=S:k,a=N:1,b=N:2,s=S:x,l=L[]");
}
std::string Projection(std::string_view text, TestRequest::Pairs names = {}) {
  return TestRequest(names, {}).Project(text, "pk=S:k");
}

const std::string kC = "Invalid ConditionExpression: ";
const std::string kU = "Invalid UpdateExpression: ";
const std::string kP = "Invalid ProjectionExpression: ";

TEST(BindTest, ErrorsCarryTheKindOfExpression) {
  const auto with_kind = [](ExpressionKind kind) { return TestRequest({}, {}).Check("status = :v", "", kind); };
  const std::string reserved = ": Attribute name is a reserved keyword; reserved keyword: status";
  EXPECT_EQ(with_kind(ExpressionKind::kCondition), "Invalid ConditionExpression" + reserved);
  EXPECT_EQ(with_kind(ExpressionKind::kFilter), "Invalid FilterExpression" + reserved);
  EXPECT_EQ(with_kind(ExpressionKind::kKeyCondition), "Invalid KeyConditionExpression" + reserved);
  EXPECT_EQ(Update(""), kU + "The expression can not be empty;");
  EXPECT_EQ(Update("INVALID SYNTAX HERE", {{":v", "S:val"}}),
            kU + R"(Syntax error; token: "INVALID", near: "INVALID SYNTAX")");
  EXPECT_EQ(Projection("!!! INVALID !!!"), kP + R"(Syntax error; token: "!", near: "!!")");
}

TEST(BindTest, UndefinedNamesAndValues) {
  const std::string name = "An expression attribute name used in the document path is not defined; attribute name: ";
  const std::string value = "An expression attribute value used in expression is not defined; attribute value: ";
  EXPECT_EQ(Condition("#x = :v", {{":v", "N:1"}}), kC + name + "#x");
  EXPECT_EQ(Condition("a.#x = :v", {{":v", "N:1"}}, {{"#y", "y"}}), kC + name + "#x");
  EXPECT_EQ(Condition("a = :x"), kC + value + ":x");
  EXPECT_EQ(Condition("a = :x", {{":v", "N:1"}}), kC + value + ":x");
  EXPECT_EQ(Condition("a = :x AND #n = :v", {{":v", "N:1"}}), kC + value + ":x");
  EXPECT_EQ(Update("SET attr1 = :v"), kU + value + ":v");
  // Updates report names first.
  EXPECT_EQ(Update("SET a = :x, #n = :v", {{":v", "N:1"}}), kU + name + "#n");
  EXPECT_EQ(Projection("a, #x"), kP + name + "#x");
}

TEST(BindTest, NumberOfOperands) {
  const std::string count = "Incorrect number of operands for operator or function; operator or function: ";
  EXPECT_EQ(Condition("attribute_exists(a, b)"), kC + count + "attribute_exists, number of operands: 2");
  EXPECT_EQ(Condition("begins_with(a)"), kC + count + "begins_with, number of operands: 1");
  EXPECT_EQ(Condition("contains(a, b, c)"), kC + count + "contains, number of operands: 3");
  EXPECT_EQ(Condition("size(a, b) = :v", {{":v", "N:1"}}), kC + count + "size, number of operands: 2");
  EXPECT_EQ(Condition("attribute_type(a)"), kC + count + "attribute_type, number of operands: 1");
  EXPECT_EQ(Update("SET a = if_not_exists(a)"), kU + count + "if_not_exists, number of operands: 1");
  EXPECT_EQ(Update("SET a = list_append(a, b, l)"), kU + count + "list_append, number of operands: 3");
  std::string in = "a IN (:v";
  for (int i = 1; i < 99; ++i) in += ",:v";
  EXPECT_EQ(Condition(in + ")", {{":v", "N:1"}}), "false");
  EXPECT_EQ(Condition(in + ",:v)", {{":v", "N:1"}}), kC + count + "IN, number of operands: 101");
}

TEST(BindTest, OperandsMustBeDistinct) {
  const std::string distinct =
      "The first operand must be distinct from the remaining operands for this operator or function; operator: ";
  EXPECT_EQ(Condition("a = a"), kC + distinct + "=, first operand: [a]");
  EXPECT_EQ(Condition("a.b[1] < #a.b[1]", {}, {{"#a", "a"}}), kC + distinct + "<, first operand: [a, b, [1]]");
  EXPECT_EQ(Condition("contains(a, a)"), kC + distinct + "contains, first operand: [a]");
  EXPECT_EQ(Condition("a BETWEEN :v AND a", {{":v", "N:1"}}), kC + distinct + "BETWEEN, first operand: [a]");
  EXPECT_EQ(Condition("a.b = a"), "false");
}

TEST(BindTest, TypesOfOperandsInConditions) {
  const std::string type = "Incorrect operand type for operator or function; operator or function: ";
  for (std::string_view op : {"<", "<=", ">", ">="})
    for (const auto& [value, name] :
         std::initializer_list<std::pair<std::string_view, std::string>>{{"BOOL:true", "BOOL"},
                                                                         {"NULL", "NULL"},
                                                                         {"SS[a]", "SS"},
                                                                         {"NS[1]", "NS"},
                                                                         {"BS[a]", "BS"},
                                                                         {"L[]", "L"},
                                                                         {"M{}", "M"}})
      EXPECT_EQ(Condition("a " + std::string(op) + " :v", {{":v", value}}),
                kC + type + std::string(op) + ", operand type: " + name);
  EXPECT_EQ(Condition("a BETWEEN :v AND :w", {{":v", "N:1"}, {":w", "L[]"}}), kC + type + "BETWEEN, operand type: L");
  EXPECT_EQ(Condition("begins_with(a, :v)", {{":v", "N:1"}}), kC + type + "begins_with, operand type: N");
  EXPECT_EQ(Condition("begins_with(:v, a)", {{":v", "L[]"}}), kC + type + "begins_with, operand type: L");
  EXPECT_EQ(Condition("begins_with(a, size(b))"), kC + type + "begins_with, operand type: N");
  EXPECT_EQ(Condition("contains(:v, a)", {{":v", "N:1"}}), kC + type + "contains, operand type: N");
  EXPECT_EQ(Condition("contains(:v, a)", {{":v", "M{}"}}), kC + type + "contains, operand type: M");
  EXPECT_EQ(Condition("contains(a, :v)", {{":v", "M{}"}}), "false");
  EXPECT_EQ(Condition("size(:v) = a", {{":v", "N:1"}}), kC + type + "size, operand type: N");
  EXPECT_EQ(Condition("size(:v) = a", {{":v", "BOOL:true"}}), kC + type + "size, operand type: BOOL");
  EXPECT_EQ(Condition("size(size(a)) = :v", {{":v", "N:1"}}), kC + type + "size, operand type: N");
  EXPECT_EQ(Condition("attribute_type(a, :v)", {{":v", "N:1"}}), kC + type + "attribute_type, operand type: N");
  EXPECT_EQ(Condition("attribute_type(a, b)"),
            kC + type +
                "attribute_type, operand type: "
                "{S,SS,N,NS,B,BS,BOOL,NULL,L,M,HD,DOUBLE,FLOAT,HDS,FS,DOUBLESET,DICT,DECIMAL,INT,DECIMALSET,INTSET}");
  EXPECT_EQ(Condition("attribute_type(a, :v)", {{":v", "S:DOG"}}),
            kC + "Invalid attribute type name found; type: DOG, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}");
  const std::string path = "Operator or function requires a document path; operator or function: ";
  EXPECT_EQ(Condition("attribute_exists(:v)", {{":v", "N:1"}}), kC + path + "attribute_exists");
  EXPECT_EQ(Condition("attribute_not_exists(size(a))"), kC + path + "attribute_not_exists");
}

TEST(BindTest, BoundsOfBetween) {
  EXPECT_EQ(Condition("a BETWEEN :v AND :w", {{":v", "N:1"}, {":w", "S:a"}}),
            kC + "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: "
                 "AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}");
  EXPECT_EQ(Condition("a BETWEEN :v AND :w", {{":v", "N:2"}, {":w", "N:1"}}),
            kC + "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound "
                 "operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}");
  EXPECT_EQ(Condition("a BETWEEN b AND :w", {{":w", "N:1"}}), "false");
}

TEST(BindTest, TypesOfOperandsInUpdates) {
  const std::string add = kU + "Incorrect operand type for operator or function; operator: ADD, operand type: ";
  EXPECT_EQ(Update("ADD a :v", {{":v", "S:x"}}), add + "STRING");
  EXPECT_EQ(Update("ADD a :v", {{":v", "B:x"}}), add + "BINARY");
  EXPECT_EQ(Update("ADD a :v", {{":v", "BOOL:true"}}), add + "BOOLEAN");
  EXPECT_EQ(Update("ADD a :v", {{":v", "NULL"}}), add + "NULL");
  EXPECT_EQ(Update("ADD a :v", {{":v", "L[]"}}), add + "LIST");
  EXPECT_EQ(Update("ADD a :v", {{":v", "M{}"}}), add + "MAP");
  EXPECT_EQ(Update("DELETE a :v", {{":v", "N:1"}}),
            kU + "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER");
  const std::string type = kU + "Incorrect operand type for operator or function; operator or function: ";
  EXPECT_EQ(Update("SET a = a + :v", {{":v", "S:x"}}), type + "+, operand type: S");
  EXPECT_EQ(Update("SET a = :v - a", {{":v", "L[]"}}), type + "-, operand type: L");
  EXPECT_EQ(Update("SET a = a + list_append(l, l)"), type + "+, operand type: L");
  EXPECT_EQ(Update("SET a = a + if_not_exists(a, :v)", {{":v", "S:x"}}), type + "+, operand type: S");
  EXPECT_EQ(Update("SET a = list_append(l, :v)", {{":v", "N:1"}}), type + "list_append, operand type: N");
  EXPECT_EQ(Update("SET a = if_not_exists(:v, a)", {{":v", "N:1"}}),
            kU + "Operator or function requires a document path; operator or function: if_not_exists");
  EXPECT_EQ(Update("SET a = size(b)"), kU + "The function is not allowed in an update expression; function: size");
  EXPECT_EQ(Update("SET a = list_append(if_not_exists(a, list_append(l, l)), l)"),
            kU + "The function is not allowed to be used this way in an expression; function: list_append");
}

TEST(BindTest, PathsThatOverlapOrConflict) {
  const std::string overlap =
      "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ";
  const std::string conflict =
      "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ";
  EXPECT_EQ(Projection("a, a.b"), kP + overlap + "[a], path two: [a, b]");
  EXPECT_EQ(Projection("a.b, a"), kP + overlap + "[a, b], path two: [a]");
  EXPECT_EQ(Projection("x, a, y, a"), kP + overlap + "[a], path two: [a]");
  EXPECT_EQ(Projection("a.b, a[1]"), kP + conflict + "[a, b], path two: [a, [1]]");
  EXPECT_EQ(Projection("a.b, a[1], a.b.c"), kP + overlap + "[a, b], path two: [a, b, c]");
  EXPECT_EQ(Projection("#x, a", {{"#x", "a"}}), kP + overlap + "[a], path two: [a]");
  EXPECT_EQ(Projection("a.b, a.c, a2, a.d[0], a.d[1]"), "");
  EXPECT_EQ(Update("SET a = :v, a = :v", {{":v", "N:1"}}), kU + overlap + "[a], path two: [a]");
  EXPECT_EQ(Update("SET a = :v REMOVE a.b", {{":v", "N:1"}}), kU + overlap + "[a], path two: [a, b]");
  EXPECT_EQ(Update("REMOVE a[0] ADD a.b :v", {{":v", "N:1"}}), kU + conflict + "[a, [0]], path two: [a, b]");
  // What is read may be what is written.
  EXPECT_EQ(Update("SET a = b, b = a"), "a=N:2,b=N:1,l=L[],pk=S:k,s=S:x");
  // Undefined values come before, wrong operands after.
  EXPECT_EQ(Update("SET a = :v, a = :x", {{":v", "N:1"}}),
            kU + "An expression attribute value used in expression is not defined; attribute value: :x");
  EXPECT_EQ(Update("SET a = :v + :v, a = :v", {{":v", "S:1"}}), kU + overlap + "[a], path two: [a]");
}

TEST(ExpressionSetTest, UnusedNamesThenValues) {
  TestRequest both({{"#unused", "x"}, {"#b", "b"}, {"#c", "c"}}, {{":v", "N:1"}, {":u", "N:2"}});
  EXPECT_EQ(both.Check("a = :v", ""), "false");
  EXPECT_EQ(both.CheckAllUsed(),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused, #b, #c}");
  EXPECT_EQ(both.Project("#unused, #b, #c", ""), "");
  EXPECT_EQ(both.CheckAllUsed(), "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}");
  EXPECT_EQ(both.Update("SET a = :u", "pk=S:k"), "a=N:2,pk=S:k");
  EXPECT_EQ(both.CheckAllUsed(), "");
}

TEST(ExpressionSetTest, UseIsDecidedByTheTextNotByEvaluation) {
  TestRequest request({{"#a", "a"}}, {{":v", "N:1"}, {":w", "N:2"}});
  EXPECT_EQ(request.Check("attribute_not_exists(x) OR #a = :v OR b = :w", ""), "true");
  EXPECT_EQ(request.CheckAllUsed(), "");
}

TEST(ExpressionSetTest, KeysOfTheMaps) {
  EXPECT_EQ(TestRequest({{"x", "a"}}, {}).CheckBindings(),
            R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "x")");
  EXPECT_EQ(TestRequest({{"#", "a"}}, {}).CheckBindings(),
            R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "#")");
  EXPECT_EQ(TestRequest({}, {{"#v", "N:1"}}).CheckBindings(),
            R"(ExpressionAttributeValues contains invalid key: Syntax error; key: "#v")");
  EXPECT_EQ(TestRequest({{"#a b", "a"}}, {{"v", "N:1"}}).CheckBindings(),
            R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "#a b")");
  EXPECT_EQ(TestRequest({{"#a", "a"}, {"#0", "b"}}, {{":_v", "N:1"}}).CheckBindings(), "");
  EXPECT_EQ(TestRequest({{"#a", ""}}, {}).CheckBindings(),
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a");
  EXPECT_NE(TestRequest({{"#" + std::string(255, 'a'), "a"}}, {}).CheckBindings(), "");
}

TEST(ExpressionSetTest, EmptyMapsAreRefusedAndAbsentOnesAreNot) {
  Arena arena;
  EXPECT_EQ(ExpressionSet(arena, std::span<const NameBinding>(), std::nullopt).CheckBindings().error().message,
            "ExpressionAttributeNames must not be empty");
  EXPECT_EQ(ExpressionSet(arena, std::nullopt, std::span<const ValueBinding>()).CheckBindings().error().message,
            "ExpressionAttributeValues must not be empty");
  EXPECT_TRUE(ExpressionSet(arena, std::nullopt, std::nullopt).CheckBindings().has_value());
  EXPECT_TRUE(ExpressionSet(arena, std::nullopt, std::nullopt).CheckAllUsed().has_value());
}

TEST(ExpressionSetTest, FindsReferencesAmongMany) {
  Arena arena;
  std::vector<NameBinding> names;
  for (int i = 0; i < 1000; ++i) {
    const std::string_view alias = arena.Copy("#a" + std::to_string(i));
    names.push_back({alias, alias.substr(1)});
  }
  ExpressionSet set(arena, names, std::nullopt);
  EXPECT_EQ(*set.UseName("#a777"), "a777");
  EXPECT_EQ(set.UseName("#b"), nullptr);
  EXPECT_TRUE(set.AddProjection("#a0, #a999").has_value());
}

TEST(ExpressionSetTest, BoundConditionsNameTheirPaths) {
  TestRequest request({{"#b", "x"}}, {{":v", "N:1"}});
  const auto bound =
      request.set().AddCondition(ExpressionKind::kFilter, "a.c = :v AND (attribute_exists(#b) OR d < e[1])");
  ASSERT_TRUE(bound.has_value());
  std::string shown;
  for (const Path& path : (*bound)->paths) shown += FormatPath(path);
  EXPECT_EQ(shown, "[a, c][x][d][e, [1]]");
}

TEST(ExpressionSetTest, BoundUpdatesKnowTheirActions) {
  TestRequest request({}, {{":v", "N:1"}, {":s", "SS[a]"}});
  const auto bound = request.set().AddUpdate("SET z.b = :v, y = :v REMOVE a ADD c :v DELETE d :s");
  ASSERT_TRUE(bound.has_value());
  EXPECT_TRUE((*bound)->creates_item);
  EXPECT_EQ(FormatPath((*bound)->paths[0]), "[z, b]");
  EXPECT_EQ(FormatPath((*bound)->actions[0].path), "[a]");
  EXPECT_FALSE((*request.set().AddUpdate("REMOVE a DELETE d :s"))->creates_item);
}

}  // namespace
}  // namespace armature::expr
