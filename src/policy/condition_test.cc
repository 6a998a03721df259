// The truth tables of conditions: every operator with a value, without one, with IfExists and over sets.
#include "policy/condition.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

// Whether a policy with this condition lets a request with these condition keys through.
bool Holds(const std::string& condition, const TestConditions& conditions, const Principal& principal = kBob) {
  const auto policy = MakeStatements("{'Effect':'Allow','Action':'*','Resource':'*','Condition':" + condition + "}");
  const Request request{"dynamodb:GetItem", kTableArn, {}, principal, conditions};
  return Evaluate(request, {.identity = {&policy, 1}}).allowed();
}

// One operator on the key "t:k", whose values in the request are these; nullopt: absent.
bool Compare(const std::string& operation, const std::string& policy_values,
             std::optional<std::vector<std::string>> request_values) {
  TestConditions conditions;
  if (request_values) conditions.Set("t:k", *request_values);
  return Holds("{'" + operation + "':{'t:k':" + policy_values + "}}", conditions);
}
bool Is(const std::string& operation, const std::string& policy_values, const std::string& value) {
  return Compare(operation, policy_values, std::vector{value});
}

TEST(Condition, Strings) {
  EXPECT_TRUE(Is("StringEquals", "'abc'", "abc"));
  EXPECT_FALSE(Is("StringEquals", "'abc'", "ABC"));
  EXPECT_FALSE(Is("StringEquals", "'a*'", "abc"));
  EXPECT_TRUE(Is("StringEquals", "'a*'", "a*"));
  EXPECT_TRUE(Is("StringEquals", "['x','abc']", "abc"));
  EXPECT_TRUE(Is("StringEqualsIgnoreCase", "'aBc'", "AbC"));
  EXPECT_FALSE(Is("StringEqualsIgnoreCase", "'abc'", "abcd"));
  EXPECT_TRUE(Is("StringLike", "'a*c?'", "abbcd"));
  EXPECT_FALSE(Is("StringLike", "'A*'", "abc"));
  EXPECT_TRUE(Is("StringLike", "'abc'", "abc"));
  EXPECT_TRUE(Is("StringEquals", "''", ""));
}

// The negated form of a list is none of it.
TEST(Condition, NegatedOperatorsWantNoneOfTheValues) {
  EXPECT_FALSE(Is("StringNotEquals", "['x','abc']", "abc"));
  EXPECT_TRUE(Is("StringNotEquals", "['x','y']", "abc"));
  EXPECT_FALSE(Is("StringNotEqualsIgnoreCase", "'ABC'", "abc"));
  EXPECT_FALSE(Is("StringNotLike", "['x*','a*']", "abc"));
  EXPECT_TRUE(Is("StringNotLike", "['x*','y*']", "abc"));
  EXPECT_FALSE(Is("NumericNotEquals", "['1','2']", "2.0"));
  EXPECT_TRUE(Is("DateNotEquals", "'2026-01-01T00:00:00Z'", "2026-01-02T00:00:00Z"));
  EXPECT_FALSE(Is("ArnNotLike", "'arn:aws:iam::*:user/*'", "arn:aws:iam::111122223333:user/bob"));
  EXPECT_FALSE(Is("ArnNotEquals", "'arn:aws:iam::1:user/a'", "arn:aws:iam::1:user/a"));
  EXPECT_FALSE(Is("NotIpAddress", "['10.0.0.0/8','192.168.0.0/16']", "10.1.1.1"));
}

TEST(Condition, Numbers) {
  EXPECT_TRUE(Is("NumericEquals", "'10'", "10.0"));
  EXPECT_TRUE(Is("NumericEquals", "10", "1e1"));
  EXPECT_FALSE(Is("NumericEquals", "'10'", "11"));
  EXPECT_TRUE(Is("NumericLessThan", "'10'", "9.99"));
  EXPECT_FALSE(Is("NumericLessThan", "'10'", "10"));
  EXPECT_TRUE(Is("NumericLessThanEquals", "'10'", "10"));
  EXPECT_TRUE(Is("NumericGreaterThan", "'-5'", "-4"));
  EXPECT_FALSE(Is("NumericGreaterThan", "'10'", "9"));
  EXPECT_TRUE(Is("NumericGreaterThanEquals", "[100,'10']", "10"));
  // Not by their digits.
  EXPECT_TRUE(Is("NumericLessThan", "'100'", "20"));
  // Exactly, beyond what a double holds.
  EXPECT_FALSE(Is("NumericEquals", "'9007199254740993'", "9007199254740992"));
}

TEST(Condition, WhatIsNoNumberEqualsNothing) {
  EXPECT_FALSE(Is("NumericEquals", "'x'", "x"));
  EXPECT_FALSE(Is("NumericLessThan", "'10'", "x"));
  EXPECT_TRUE(Is("NumericNotEquals", "'10'", "x"));
}

TEST(Condition, Dates) {
  EXPECT_TRUE(Is("DateEquals", "'2026-11-18T11:30:00Z'", "2026-11-18T12:30:00+01:00"));
  EXPECT_TRUE(Is("DateLessThan", "'2026-11-18T11:30:00Z'", "2026-11-18T11:29:59Z"));
  EXPECT_FALSE(Is("DateLessThan", "'2026-11-18T11:30:00Z'", "2026-11-18T11:30:00Z"));
  EXPECT_TRUE(Is("DateLessThanEquals", "'2026-11-18T11:30:00Z'", "2026-11-18T11:30:00Z"));
  EXPECT_TRUE(Is("DateGreaterThan", "'2026-11-18'", "2026-11-18T00:00:01Z"));
  EXPECT_TRUE(Is("DateGreaterThanEquals", "1700000000", "2023-11-14T22:13:20Z"));
  EXPECT_FALSE(Is("DateGreaterThan", "1700000000", "1699999999"));
  EXPECT_FALSE(Is("DateGreaterThan", "1700000000", "later"));
}

TEST(Condition, Booleans) {
  EXPECT_TRUE(Is("Bool", "'true'", "true"));
  EXPECT_TRUE(Is("Bool", "true", "True"));
  EXPECT_TRUE(Is("Bool", "'FALSE'", "false"));
  EXPECT_FALSE(Is("Bool", "'true'", "false"));
  EXPECT_FALSE(Is("Bool", "'yes'", "yes"));
}

TEST(Condition, BinaryIsComparedByItsBytes) {
  EXPECT_TRUE(Is("BinaryEquals", "'QmluYXJ5'", "QmluYXJ5"));
  EXPECT_FALSE(Is("BinaryEquals", "'QmluYXJ5'", "qmluYXJ5"));
  EXPECT_FALSE(Is("BinaryEquals", "'not base64'", "not base64"));
  EXPECT_FALSE(Is("BinaryEquals", "'${t:k}'", "QmluYXJ5"));
}

TEST(Condition, Addresses) {
  EXPECT_TRUE(Is("IpAddress", "'203.0.113.0/24'", "203.0.113.9"));
  EXPECT_TRUE(Is("IpAddress", "['10.0.0.1','203.0.113.0/24']", "203.0.113.9"));
  EXPECT_FALSE(Is("IpAddress", "'203.0.113.0/24'", "203.0.114.9"));
  EXPECT_FALSE(Is("IpAddress", "'0.0.0.0/0'", "::1"));
  EXPECT_TRUE(Is("NotIpAddress", "'0.0.0.0/0'", "::1"));
  EXPECT_FALSE(Is("IpAddress", "'nonsense'", "10.0.0.1"));
  EXPECT_FALSE(Is("IpAddress", "'0.0.0.0/0'", "nonsense"));
}

TEST(Condition, ArnsArePartByPart) {
  constexpr const char* kArn = "arn:aws:iam::111122223333:role/team/Reader";
  for (const char* operation : {"ArnLike", "ArnEquals"}) {
    EXPECT_TRUE(Is(operation, "'arn:aws:iam::111122223333:role/team/Reader'", kArn));
    EXPECT_TRUE(Is(operation, "'arn:aws:iam::*:role/*'", kArn));
    EXPECT_TRUE(Is(operation, "'arn:aws:i?m::*:*'", kArn));
    EXPECT_FALSE(Is(operation, "'arn:aws:*:role/team/Reader'", kArn));
    EXPECT_FALSE(Is(operation, "'arn:*'", kArn));
    EXPECT_FALSE(Is(operation, "'*'", kArn));
    EXPECT_FALSE(Is(operation, "'arn:aws:iam::*:ROLE/*'", kArn));
    // The sixth part takes the rest.
    EXPECT_TRUE(Is(operation, "'arn:aws:lambda:*:*:function:*'", "arn:aws:lambda:us-east-1:1:function:f:2"));
    EXPECT_TRUE(Is(operation, "'arn:aws:lambda:*:*:*'", "arn:aws:lambda:us-east-1:1:function:f:2"));
    EXPECT_FALSE(Is(operation, "'arn:aws:iam::*:role/*'", "no arn"));
  }
}

TEST(Condition, NullAsksWhetherTheKeyIsThere) {
  EXPECT_TRUE(Compare("Null", "'true'", std::nullopt));
  EXPECT_FALSE(Compare("Null", "'false'", std::nullopt));
  EXPECT_FALSE(Is("Null", "'true'", "x"));
  EXPECT_TRUE(Is("Null", "'false'", "x"));
  EXPECT_TRUE(Is("Null", "false", ""));
  EXPECT_TRUE(Compare("Null", "true", std::vector<std::string>{}));
  EXPECT_FALSE(Is("Null", "'maybe'", "x"));
}

struct OperatorCase {
  const char* name;
  const char* policy_value;
  bool is_negated;
};
constexpr OperatorCase kOperators[] = {
    {"StringEquals", "'a'", false},
    {"StringNotEquals", "'a'", true},
    {"StringEqualsIgnoreCase", "'a'", false},
    {"StringNotEqualsIgnoreCase", "'a'", true},
    {"StringLike", "'*'", false},
    {"StringNotLike", "'*'", true},
    {"NumericEquals", "'1'", false},
    {"NumericNotEquals", "'1'", true},
    {"NumericLessThan", "'1'", false},
    {"NumericLessThanEquals", "'1'", false},
    {"NumericGreaterThan", "'1'", false},
    {"NumericGreaterThanEquals", "'1'", false},
    {"DateEquals", "'2026'", false},
    {"DateNotEquals", "'2026'", true},
    {"DateLessThan", "'2026'", false},
    {"DateLessThanEquals", "'2026'", false},
    {"DateGreaterThan", "'2026'", false},
    {"DateGreaterThanEquals", "'2026'", false},
    {"Bool", "'true'", false},
    {"BinaryEquals", "'QQ=='", false},
    {"IpAddress", "'0.0.0.0/0'", false},
    {"NotIpAddress", "'0.0.0.0/0'", true},
    {"ArnEquals", "'arn:*:*:*:*:*'", false},
    {"ArnNotEquals", "'arn:*:*:*:*:*'", true},
    {"ArnLike", "'arn:*:*:*:*:*'", false},
    {"ArnNotLike", "'arn:*:*:*:*:*'", true},
};

// An empty set is as good as none.
TEST(Condition, EveryOperatorOnAnAbsentKey) {
  using Absent = std::optional<std::vector<std::string>>;
  for (const Absent& absent : {Absent(), Absent(std::vector<std::string>())})
    for (const OperatorCase& each : kOperators) {
      const std::string name = each.name;
      EXPECT_EQ(Compare(name, each.policy_value, absent), each.is_negated) << name;
      EXPECT_TRUE(Compare(name + "IfExists", each.policy_value, absent)) << name;
      EXPECT_TRUE(Compare("ForAllValues:" + name, each.policy_value, absent)) << name;
      EXPECT_TRUE(Compare("ForAllValues:" + name + "IfExists", each.policy_value, absent)) << name;
      EXPECT_FALSE(Compare("ForAnyValue:" + name, each.policy_value, absent)) << name;
      EXPECT_TRUE(Compare("ForAnyValue:" + name + "IfExists", each.policy_value, absent)) << name;
    }
}

TEST(Condition, IfExistsIsTheOperatorWhereTheKeyIsThere) {
  for (const OperatorCase& each : kOperators)
    for (const char* value : {"a", "1", "true", "QQ==", "2026", "10.0.0.1", "arn:aws:iam::1:x"}) {
      const std::string name = each.name;
      EXPECT_EQ(Is(name + "IfExists", each.policy_value, value), Is(name, each.policy_value, value)) << name;
    }
}

// On a set of one the prefixes change nothing.
TEST(Condition, ASetOfOneIsItsValue) {
  for (const OperatorCase& each : kOperators)
    for (const char* value : {"a", "1", "true", "QQ==", "2026", "10.0.0.1", "arn:aws:iam::1:x"}) {
      const std::string name = each.name;
      const bool plain = Is(name, each.policy_value, value);
      EXPECT_EQ(Is("ForAllValues:" + name, each.policy_value, value), plain) << name;
      EXPECT_EQ(Is("ForAnyValue:" + name, each.policy_value, value), plain) << name;
    }
}

TEST(Condition, ForAllValues) {
  const std::string list = "['a','b']";
  EXPECT_TRUE(Compare("ForAllValues:StringEquals", list, {{"a"}}));
  EXPECT_TRUE(Compare("ForAllValues:StringEquals", list, {{"a", "b"}}));
  EXPECT_FALSE(Compare("ForAllValues:StringEquals", list, {{"a", "c"}}));
  EXPECT_TRUE(Compare("ForAllValues:StringNotEquals", list, {{"c", "d"}}));
  EXPECT_FALSE(Compare("ForAllValues:StringNotEquals", list, {{"c", "a"}}));
}

TEST(Condition, ForAnyValue) {
  const std::string list = "['a','b']";
  EXPECT_TRUE(Compare("ForAnyValue:StringEquals", list, {{"c", "b"}}));
  EXPECT_FALSE(Compare("ForAnyValue:StringEquals", list, {{"c", "d"}}));
  EXPECT_TRUE(Compare("ForAnyValue:StringNotEquals", list, {{"a", "c"}}));
  EXPECT_FALSE(Compare("ForAnyValue:StringNotEquals", list, {{"a", "b"}}));
}

TEST(Condition, APlainOperatorOnSeveralValuesIsForAnyValue) {
  EXPECT_TRUE(Compare("StringEquals", "'a'", {{"a", "c"}}));
  EXPECT_TRUE(Compare("StringNotEquals", "'a'", {{"a", "c"}}));
  EXPECT_FALSE(Compare("StringNotEquals", "'a'", {{"a", "a"}}));
}

TEST(Condition, OperatorsAndKeysAreAnded) {
  const TestConditions conditions = {{"t:a", {"1"}}, {"t:b", {"2"}}};
  EXPECT_TRUE(Holds("{'StringEquals':{'t:a':'1','t:b':'2'}}", conditions));
  EXPECT_FALSE(Holds("{'StringEquals':{'t:a':'1','t:b':'3'}}", conditions));
  EXPECT_TRUE(Holds("{'StringEquals':{'t:a':'1'},'StringLike':{'t:b':'*'}}", conditions));
  EXPECT_FALSE(Holds("{'StringEquals':{'t:a':'1'},'StringLike':{'t:b':'x*'}}", conditions));
  EXPECT_TRUE(Holds("{}", conditions));
}

TEST(Condition, AnEmptyListOfValuesEqualsNothing) {
  EXPECT_FALSE(Is("StringEquals", "[]", "a"));
  EXPECT_TRUE(Is("StringNotEquals", "[]", "a"));
}

TEST(Condition, KeysAreComparedWithoutCase) {
  const TestConditions conditions = {{"aws:ResourceTag/Team", {"red"}}};
  EXPECT_TRUE(Holds("{'StringEquals':{'AWS:resourcetag/TEAM':'red'}}", conditions));
  EXPECT_FALSE(Holds("{'StringEquals':{'aws:ResourceTag/Team':'Red'}}", conditions));
}

TEST(Condition, VariablesInValues) {
  TestConditions conditions = {
      {"t:k", {"bob"}}, {"aws:PrincipalTag/team", {"re*d"}}, {"aws:ResourceTag/team", {"re*d"}}};
  EXPECT_TRUE(Holds("{'StringEquals':{'t:k':'${aws:username}'}}", conditions));
  EXPECT_TRUE(Holds("{'StringEquals':{'aws:ResourceTag/team':'${aws:PrincipalTag/Team}'}}", conditions));
  EXPECT_TRUE(Holds("{'StringLike':{'aws:ResourceTag/team':'${aws:PrincipalTag/Team}'}}", conditions));
  EXPECT_TRUE(Holds("{'StringEqualsIgnoreCase':{'t:k':'B${*}B'}}", {{"t:k", {"b*b"}}}));
  EXPECT_TRUE(Holds("{'StringEqualsIgnoreCase':{'t:k':'x-${aws:username}'}}", {{"t:k", {"X-BOB"}}}));
  EXPECT_TRUE(Holds("{'ArnLike':{'t:k':'${aws:PrincipalArn}'}}", {{"t:k", {"arn:aws:iam::111122223333:user/bob"}}}));
  EXPECT_TRUE(Holds("{'ArnLike':{'t:k':'arn:aws:iam::*:*/${aws:username}'}}",
                    {{"t:k", {"arn:aws:iam::111122223333:user/bob"}}}));
  EXPECT_TRUE(Holds("{'Bool':{'t:k':'${t:b}'}}", {{"t:k", {"TRUE"}}, {"t:b", {"true"}}}));
  // What is put in is no wildcard.
  conditions.Set("aws:ResourceTag/team", {"re--d"});
  EXPECT_FALSE(Holds("{'StringLike':{'aws:ResourceTag/team':'${aws:PrincipalTag/Team}'}}", conditions));
}

TEST(Condition, AVariableWithoutAValueEqualsNothing) {
  const TestConditions conditions = {{"t:k", {"x"}}};
  EXPECT_FALSE(Holds("{'StringEquals':{'t:k':'${t:absent}'}}", conditions));
  EXPECT_FALSE(Holds("{'StringLike':{'t:k':'*${t:absent}'}}", conditions));
  EXPECT_TRUE(Holds("{'StringNotEquals':{'t:k':'${t:absent}'}}", conditions));
  EXPECT_TRUE(Holds("{'StringEquals':{'t:k':['${t:absent}','x']}}", conditions));
  EXPECT_TRUE(Holds("{'StringEquals':{'t:k':'${t:absent, ~x~}'}}", conditions));
}

}  // namespace
}  // namespace armature::policy
