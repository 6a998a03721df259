#include "expr/bind/key_condition.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/bind/legacy.h"
#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

using model::KeySchema;
using model::Type;

const KeySchema kHashOnly{.hash = {{"pk", Type::kS}}, .range = {}};
const KeySchema kComposite{.hash = {{"pk", Type::kS}}, .range = {{"sk", Type::kN}}};
const KeySchema kMulti{.hash = {{"h1", Type::kS}, {"h2", Type::kN}}, .range = {{"r1", Type::kS}, {"r2", Type::kN}}};

std::string ShowPredicates(std::span<const KeyPredicate> predicates) {
  std::string out;
  for (const KeyPredicate& predicate : predicates) {
    out += "[" + std::string(predicate.attribute) + " " + std::string(ConditionOpName(predicate.op)) + " " +
           Show(*predicate.value);
    if (predicate.upper != nullptr) out += " " + Show(*predicate.upper);
    out += "]";
  }
  return out;
}

std::string Match(const BoundCondition& condition, KeyConditionForm form, const KeySchema& schema, Arena& arena) {
  const auto predicates = ConvertKeyCondition(condition, form, arena);
  if (!predicates) return predicates.error().message;
  const auto query = MatchKeySchema(*predicates, schema, form, arena);
  if (!query) return query.error().message;
  return ShowPredicates(query->hash) + " " + ShowPredicates(query->range);
}

std::string Query(std::string_view text, const KeySchema& schema = kComposite) {
  TestRequest request({{"#p", "pk"}}, {{":s", "S:a"}, {":t", "S:b"}, {":n", "N:1"}, {":m", "N:2"}});
  const auto bound = request.set().AddCondition(ExpressionKind::kKeyCondition, text);
  if (!bound) return bound.error().message;
  return Match(**bound, KeyConditionForm::kExpression, schema, request.arena());
}

TEST(KeyConditionTest, Accepts) {
  EXPECT_EQ(Query("pk = :s"), "[pk = S:a] ");
  EXPECT_EQ(Query("#p = :s AND sk = :n"), "[pk = S:a] [sk = N:1]");
  EXPECT_EQ(Query("sk > :n AND pk = :s"), "[pk = S:a] [sk > N:1]");
  EXPECT_EQ(Query(":s = pk AND :n <= sk"), "[pk = S:a] [sk >= N:1]");
  EXPECT_EQ(Query(":s = pk AND :n > sk"), "[pk = S:a] [sk < N:1]");
  EXPECT_EQ(Query("(pk = :s) AND (sk BETWEEN :n AND :m)"), "[pk = S:a] [sk BETWEEN N:1 N:2]");
  EXPECT_EQ(Query("(pk = :s AND (sk = :n))"), "[pk = S:a] [sk = N:1]");
  const KeySchema text_range{.hash = {{"pk", Type::kS}}, .range = {{"sk", Type::kS}}};
  EXPECT_EQ(Query("pk = :s AND begins_with(sk, :t)", text_range), "[pk = S:a] [sk begins_with S:b]");
}

TEST(KeyConditionTest, RefusesWhatIsNoKeyCondition) {
  EXPECT_EQ(Query("pk = :s OR sk = :n"), "Invalid operator used in KeyConditionExpression: OR");
  EXPECT_EQ(Query("NOT pk = :s"), "Invalid operator used in KeyConditionExpression: NOT");
  EXPECT_EQ(Query("pk <> :s"), "Invalid operator used in KeyConditionExpression: <>");
  EXPECT_EQ(Query("pk IN (:s)"), "Invalid operator used in KeyConditionExpression: IN");
  EXPECT_EQ(Query("pk = :s AND contains(sk, :t)"), "Invalid operator used in KeyConditionExpression: contains");
  EXPECT_EQ(Query("attribute_exists(pk)"), "Invalid operator used in KeyConditionExpression: attribute_exists");
  EXPECT_EQ(Query("pk.a = :s"), "KeyConditionExpressions cannot have conditions on nested attributes");
  EXPECT_EQ(Query("size(pk) = :n"), "KeyConditionExpressions cannot contain nested operations");
  EXPECT_EQ(Query("pk = :s AND sk > :n AND sk < :m"),
            "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key");
  EXPECT_EQ(Query("pk = sk"),
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
  EXPECT_EQ(Query(":s = :t"), "Invalid condition in KeyConditionExpression: No key attribute specified");
}

TEST(KeyConditionTest, MatchesTheSchema) {
  EXPECT_EQ(Query("sk = :n"), "Query condition missed key schema element: pk");
  EXPECT_EQ(Query("attr1 = :s"), "Query condition missed key schema element: pk");
  EXPECT_EQ(Query("pk = :s AND x = :n"), "Query condition missed key schema element: sk");
  EXPECT_EQ(Query("pk = :s AND sk = :n AND x = :n"),
            "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)");
  EXPECT_EQ(Query("pk > :s"), "Query key condition not supported");
  EXPECT_EQ(Query("begins_with(pk, :s)"), "Query key condition not supported");
  EXPECT_EQ(Query("pk = :s AND x = :n", kHashOnly),
            "The number of query conditions (2) exceeds the number of key attributes defined in the schema (1)");
  const std::string type =
      "One or more parameter values were invalid: Condition parameter type does not match schema type";
  EXPECT_EQ(Query("pk = :n"), type);
  EXPECT_EQ(Query("pk = :s AND sk = :s"), type);
  EXPECT_EQ(Query("pk = :s AND begins_with(sk, :t)"), type);
}

TEST(KeyConditionTest, MatchesSchemasOfSeveralAttributes) {
  EXPECT_EQ(Query("h2 = :n AND h1 = :s", kMulti), "[h1 = S:a][h2 = N:1] ");
  EXPECT_EQ(Query("h2 = :n AND r2 < :m AND r1 = :t AND h1 = :s", kMulti), "[h1 = S:a][h2 = N:1] [r1 = S:b][r2 < N:2]");
  EXPECT_EQ(Query("h1 = :s", kMulti), "Query condition missed key schema element: h2");
  const std::string gap =
      "RANGE key attributes r1 must have equality conditions specified in the query because a condition is present on "
      "key attribute r2";
  EXPECT_EQ(Query("h1 = :s AND h2 = :n AND r2 = :m", kMulti), gap);
  EXPECT_EQ(Query("h1 = :s AND h2 = :n AND r1 > :t AND r2 = :m", kMulti), gap);
}

TEST(KeyConditionTest, TakesLegacyConditionsToo) {
  Arena arena;
  const auto query = [&](std::string_view op, std::string_view list) {
    const LegacyCondition conditions[] = {
        {.attribute = "pk", .comparison_operator = "EQ", .attribute_value_list = V(arena, "L[S:a]").list()},
        {.attribute = "sk", .comparison_operator = op, .attribute_value_list = V(arena, list).list()}};
    const auto bound = LowerConditions(conditions, std::nullopt, arena);
    if (!bound) return bound.error().message;
    return Match(**bound, KeyConditionForm::kLegacy, kComposite, arena);
  };
  EXPECT_EQ(query("GT", "L[N:3]"), "[pk = S:a] [sk > N:3]");
  EXPECT_EQ(query("BETWEEN", "L[N:3,N:4]"), "[pk = S:a] [sk BETWEEN N:3 N:4]");
  for (const auto& [op, list] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"NE", "L[N:3]"},
                                                                            {"IN", "L[N:3]"},
                                                                            {"CONTAINS", "L[N:3]"},
                                                                            {"NOT_CONTAINS", "L[N:3]"},
                                                                            {"NULL", "L[]"},
                                                                            {"NOT_NULL", "L[]"}})
    EXPECT_EQ(query(op, list), "Attempted conditional constraint is not an indexable operation") << op;
}

}  // namespace
}  // namespace armature::expr
