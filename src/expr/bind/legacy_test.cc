#include "expr/bind/legacy.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/apply/evaluate.h"
#include "expr/apply/projection.h"
#include "expr/apply/update.h"
#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

using model::Value;

constexpr std::string_view kItem =
    "s=S:hello-world,n=N:20,b=B:mno,t=BOOL:true,u=NULL,ss=SS[a,b],ns=NS[1,2],l=L[S:x,N:1],m=M{k=S:v},pk=S:k";
const std::string kOoM = "One or more parameter values were invalid: ";

// An entry as text; "-" is an absent list.
struct Entry {
  std::string_view attribute;
  std::string_view op = "";
  std::string_view list = "-";
  std::string_view value = "";
  std::string_view exists = "";
};

std::string Check(const std::vector<Entry>& entries, std::optional<std::string_view> conditional_operator = {},
                  std::string_view item = kItem, bool expected = true) {
  Arena arena;
  std::vector<LegacyCondition> conditions;
  for (const Entry& entry : entries) {
    LegacyCondition condition{.attribute = entry.attribute};
    if (!entry.op.empty()) condition.comparison_operator = entry.op;
    if (entry.list != "-") condition.attribute_value_list = V(arena, entry.list).list();
    if (!entry.value.empty()) condition.value = arena.New<Value>(V(arena, entry.value));
    if (!entry.exists.empty()) condition.exists = entry.exists == "true";
    conditions.push_back(condition);
  }
  const auto bound = expected ? LowerExpected(conditions, conditional_operator, arena)
                              : LowerConditions(conditions, conditional_operator, arena);
  if (!bound) return bound.error().message;
  if (*bound == nullptr) return "(nothing)";
  return Evaluate(**bound, MakeItem(arena, item)) ? "true" : "false";
}

TEST(ExpectedTest, ValueAndExists) {
  EXPECT_EQ(Check({{.attribute = "pk", .exists = "false"}}), "false");
  EXPECT_EQ(Check({{.attribute = "pk", .exists = "false"}}, {}, ""), "true");
  EXPECT_EQ(Check({{.attribute = "s", .value = "S:hello-world"}}), "true");
  EXPECT_EQ(Check({{.attribute = "s", .value = "S:other"}}), "false");
  EXPECT_EQ(Check({{.attribute = "s", .value = "S:hello-world", .exists = "true"}}), "true");
  EXPECT_EQ(Check({{.attribute = "x", .value = "S:hello-world"}}), "false");
  EXPECT_EQ(Check({{.attribute = "n", .op = "EQ", .value = "N:20.0"}}), "true");
  EXPECT_EQ(Check({}), "(nothing)");
}

TEST(ExpectedTest, Errors) {
  EXPECT_EQ(Check({{.attribute = "a", .op = "EQ", .list = "L[N:1]", .value = "N:1"}}),
            kOoM + "Value and AttributeValueList cannot be used together for Attribute: a");
  EXPECT_EQ(Check({{.attribute = "a", .op = "EQ", .value = "N:1", .exists = "true"}}),
            kOoM + "Exists and ComparisonOperator cannot be used together for Attribute: a");
  EXPECT_EQ(Check({{.attribute = "a", .op = "EQ"}}),
            kOoM + "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a");
  EXPECT_EQ(Check({{.attribute = "a", .list = "L[N:1]"}}),
            kOoM + "AttributeValueList can only be used with a ComparisonOperator for Attribute: a");
  EXPECT_EQ(Check({{.attribute = "a"}}), kOoM + "Value must be provided when Exists is null for Attribute: a");
  EXPECT_EQ(Check({{.attribute = "a", .exists = "true"}}),
            kOoM + "Value must be provided when Exists is true for Attribute: a");
  EXPECT_EQ(Check({{.attribute = "a", .value = "N:1", .exists = "false"}}),
            kOoM + "Value cannot be used when Exists is false for Attribute: a");
}

TEST(ConditionsTest, EveryOperator) {
  const auto check = [](std::string_view attribute, std::string_view op, std::string_view list) {
    std::string as_expected = Check({{.attribute = attribute, .op = op, .list = list}});
    EXPECT_EQ(Check({{.attribute = attribute, .op = op, .list = list}}, {}, kItem, false), as_expected);
    return as_expected;
  };
  EXPECT_EQ(check("n", "EQ", "L[N:20]"), "true");
  EXPECT_EQ(check("ss", "EQ", "L[SS[b,a]]"), "true");
  EXPECT_EQ(check("l", "EQ", "L[L[S:x,N:1]]"), "true");
  EXPECT_EQ(check("m", "EQ", "L[M{k=S:v}]"), "true");
  EXPECT_EQ(check("t", "EQ", "L[BOOL:false]"), "false");
  EXPECT_EQ(check("n", "NE", "L[N:20]"), "false");
  EXPECT_EQ(check("n", "NE", "L[S:20]"), "true");
  EXPECT_EQ(check("x", "NE", "L[N:20]"), "true");  // missing
  EXPECT_EQ(check("n", "LE", "L[N:20]"), "true");
  EXPECT_EQ(check("n", "LT", "L[N:20]"), "false");
  EXPECT_EQ(check("n", "GE", "L[N:20]"), "true");
  EXPECT_EQ(check("n", "GT", "L[N:3]"), "true");
  EXPECT_EQ(check("x", "GT", "L[N:3]"), "false");
  EXPECT_EQ(check("u", "NULL", "-"), "false");  // about absence, not about the type
  EXPECT_EQ(check("x", "NULL", "-"), "true");
  EXPECT_EQ(check("u", "NOT_NULL", "-"), "true");
  EXPECT_EQ(check("x", "NOT_NULL", "L[]"), "false");
  EXPECT_EQ(check("s", "CONTAINS", "L[S:lo-w]"), "true");
  EXPECT_EQ(check("ss", "CONTAINS", "L[S:c]"), "false");
  EXPECT_EQ(check("ns", "CONTAINS", "L[N:2]"), "true");
  EXPECT_EQ(check("l", "CONTAINS", "L[N:1]"), "true");
  EXPECT_EQ(check("s", "NOT_CONTAINS", "L[S:lo-w]"), "false");
  EXPECT_EQ(check("ss", "NOT_CONTAINS", "L[S:c]"), "true");
  EXPECT_EQ(check("x", "NOT_CONTAINS", "L[S:c]"), "false");  // missing
  EXPECT_EQ(check("s", "BEGINS_WITH", "L[S:hello]"), "true");
  EXPECT_EQ(check("b", "BEGINS_WITH", "L[B:mn]"), "true");
  EXPECT_EQ(check("n", "IN", "L[N:1,N:20]"), "true");
  EXPECT_EQ(check("s", "IN", "L[S:a]"), "false");
  EXPECT_EQ(check("n", "BETWEEN", "L[N:1,N:20]"), "true");
  EXPECT_EQ(check("s", "BETWEEN", "L[S:i,S:z]"), "false");
}

TEST(ConditionsTest, Arguments) {
  const auto check = [](std::string_view op, std::string_view list) {
    return Check({{.attribute = "a", .op = op, .list = list}}, {}, kItem, false);
  };
  for (std::string_view op : {"EQ", "NE", "LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"}) {
    const std::string error = kOoM + "Invalid number of argument(s) for the " + std::string(op) + " ComparisonOperator";
    EXPECT_EQ(check(op, "L[]"), error);
    EXPECT_EQ(check(op, "-"), error);
    EXPECT_EQ(check(op, "L[S:a,S:b]"), error);
  }
  for (std::string_view op : {"NULL", "NOT_NULL"})
    EXPECT_EQ(check(op, "L[S:a]"),
              kOoM + "Invalid number of argument(s) for the " + std::string(op) + " ComparisonOperator");
  EXPECT_EQ(check("BETWEEN", "L[S:a]"), kOoM + "Invalid number of argument(s) for the BETWEEN ComparisonOperator");
  EXPECT_EQ(check("IN", "L[]"), kOoM + "Invalid number of argument(s) for the IN ComparisonOperator");
  EXPECT_EQ(check("IN", "L[S:a,N:1]"), kOoM + "AttributeValues inside AttributeValueList must be of same type");
  EXPECT_EQ(check("BETWEEN", "L[S:a,N:1]"), kOoM + "AttributeValues inside AttributeValueList must be of same type");
  for (std::string_view op : {"LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "IN"})
    EXPECT_EQ(check(op, "L[L[]]"),
              kOoM + "ComparisonOperator " + std::string(op) + " is not valid for L AttributeValue type");
  EXPECT_EQ(check("BEGINS_WITH", "L[N:1]"),
            kOoM + "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type");
  EXPECT_EQ(check("BETWEEN", "L[SS[a],SS[b]]"),
            kOoM + "ComparisonOperator BETWEEN is not valid for SS AttributeValue type");
  EXPECT_EQ(check("BETWEEN", "L[N:2,N:1]"),
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound");
}

TEST(ConditionsTest, ConditionalOperator) {
  const Entry yes{.attribute = "n", .op = "EQ", .list = "L[N:20]"};
  const Entry no{.attribute = "s", .op = "EQ", .list = "L[S:admin]"};
  EXPECT_EQ(Check({yes, no}), "false");
  EXPECT_EQ(Check({yes, no}, "AND"), "false");
  EXPECT_EQ(Check({yes, no}, "OR"), "true");
  EXPECT_EQ(Check({yes, yes}, "AND"), "true");
  EXPECT_EQ(Check({yes}, "OR"),
            "ConditionalOperator can only be used when Filter or Expected has two or more elements");
  EXPECT_EQ(Check({}, "OR"), "ConditionalOperator cannot be used without Filter or Expected");
}

struct UpdateEntry {
  std::string_view attribute;
  std::string_view action;
  std::string_view value = "";
};

std::string Update(const std::vector<UpdateEntry>& entries, std::string_view item) {
  Arena arena;
  std::vector<LegacyUpdate> updates;
  for (const UpdateEntry& entry : entries) {
    LegacyUpdate update{.attribute = entry.attribute};
    if (!entry.action.empty()) update.action = entry.action;
    if (!entry.value.empty()) update.value = arena.New<Value>(V(arena, entry.value));
    updates.push_back(update);
  }
  const auto bound = LowerAttributeUpdates(updates, arena);
  if (!bound) return bound.error().message;
  const bool exists = item != "(none)";
  const auto updated =
      ApplyUpdate(**bound, exists ? MakeItem(arena, item) : model::Item(), exists, MakeItem(arena, "pk=S:k"), arena);
  if (!updated) return updated.error().message;
  return updated->exists ? Show(updated->item) : "(none)";
}

TEST(AttributeUpdatesTest, Actions) {
  EXPECT_EQ(Update({{"d", "PUT", "S:new"}}, "a=N:1"), "a=N:1,d=S:new");
  EXPECT_EQ(Update({{"d", "", "S:new"}}, "d=S:old"), "d=S:new");
  EXPECT_EQ(Update({{"t", "DELETE", "SS[b]"}}, "t=SS[a,b,c]"), "t=SS[a,c]");
  EXPECT_EQ(Update({{"t", "DELETE"}}, "t=SS[a,b,c]"), "");
  EXPECT_EQ(Update({{"c", "ADD", "N:5"}}, "c=N:10"), "c=N:15");
  EXPECT_EQ(Update({{"c", "ADD", "N:5"}}, "(none)"), "c=N:5,pk=S:k");
  EXPECT_EQ(Update({{"t", "ADD", "SS[c,d]"}}, "t=SS[a,b]"), "t=SS[a,b,c,d]");
  EXPECT_EQ(Update({{"l", "ADD", "L[N:2]"}}, "l=L[N:1]"), "l=L[N:1,N:2]");
  EXPECT_EQ(Update({{"l", "ADD", "L[N:2]"}}, "a=N:1"), "a=N:1,l=L[N:2]");
  EXPECT_EQ(Update({{"name", "PUT", "S:new"}, {"count", "ADD", "N:9"}, {"extra", "DELETE"}},
                   "count=N:1,extra=S:x,name=S:old"),
            "count=N:10,name=S:new");
  EXPECT_EQ(Update({{"a.b", "PUT", "N:1"}}, "a=M{}"), "a=M{},a.b=N:1");
  EXPECT_EQ(Update({}, "(none)"), "pk=S:k");
  EXPECT_EQ(Update({{"x", "DELETE"}}, "(none)"), "(none)");
}

TEST(AttributeUpdatesTest, Errors) {
  const std::string no_value = kOoM + "Only DELETE action is allowed when no attribute value is specified";
  EXPECT_EQ(Update({{"a", "PUT"}}, ""), no_value);
  EXPECT_EQ(Update({{"a", "ADD"}}, ""), no_value);
  EXPECT_EQ(Update({{"a", ""}}, ""), no_value);
  EXPECT_EQ(Update({{"a", "DELETE", "S:x"}}, ""), kOoM + "DELETE action with value is not supported for the type S");
  EXPECT_EQ(Update({{"a", "ADD", "S:x"}}, ""), kOoM + "ADD action is not supported for the type S");
  EXPECT_EQ(Update({{"a", "ADD", "M{}"}}, ""), kOoM + "ADD action is not supported for the type M");
  EXPECT_EQ(Update({{"a", "ADD", "N:1"}}, "a=S:x"), "Type mismatch for attribute to update");
  EXPECT_EQ(Update({{"a", "DELETE", "SS[x]"}}, "a=NS[1]"), "Type mismatch for attribute to update");
}

TEST(AttributesToGetTest, ProjectsTopLevelAttributes) {
  Arena arena;
  const std::string_view attributes[] = {"s", "gone", "n", "m.k"};
  const auto bound = LowerAttributesToGet(attributes, arena);
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(Show(Project(**bound, MakeItem(arena, kItem), arena)), "n=N:20,s=S:hello-world");
  const std::string_view twice[] = {"a", "b", "a"};
  EXPECT_EQ(LowerAttributesToGet(twice, arena).error().message, kOoM + "Duplicate value in attribute name: a");
}

}  // namespace
}  // namespace armature::expr
