#include "expr/apply/evaluate.h"

#include <coroutine>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tasks/work_meter.h"
#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

// An attribute of every type, and a smaller and a larger value where the type has an order.
constexpr std::string_view kItem =
    "s=S:banana,n=N:20,b=B:mno,t=BOOL:true,u=NULL,ss=SS[a,b],ns=NS[1,2],bs=BS[x,y],l=L[S:one,N:2,SS[a,b]],"
    "m=M{k=S:v,l=L[N:7]},s2=S:banana,n2=N:20.0,pk=S:k";

std::string Check(std::string_view condition, TestRequest::Pairs values = {}, std::string_view item = kItem,
                  TestRequest::Pairs names = {}) {
  return TestRequest(names, values).Check(condition, item);
}

// How often a task gave the thread away.
class CountingExecutor final : public Executor {
 public:
  int posts = 0;
  void Post(std::coroutine_handle<> handle) override {
    ++posts;
    queue_.push_back(handle);
  }
  bool Run(Task<bool> task) {
    std::optional<bool> outcome;
    Executor* const outer = Current();
    SetCurrent(this);
    Detach([](Task<bool> inner, std::optional<bool>& out) -> Task<void> { out = co_await std::move(inner); }(
                                                              std::move(task), outcome));
    for (; !queue_.empty(); queue_.pop_front()) queue_.front().resume();
    SetCurrent(outer);
    return outcome.value();
  }

 private:
  std::deque<std::coroutine_handle<>> queue_;
};

struct TypedValue {
  std::string_view attribute;
  std::string_view equal;
  std::string_view different;
};

const std::vector<TypedValue> kTypes = {
    {"s", "S:banana", "S:apple"},           {"n", "N:20.00", "N:3"},    {"b", "B:mno", "B:a"},
    {"t", "BOOL:true", "BOOL:false"},       {"u", "NULL", ""},          {"ss", "SS[b,a]", "SS[a]"},
    {"ns", "NS[2.0,1]", "NS[1]"},           {"bs", "BS[y,x]", "BS[x]"}, {"l", "L[S:one,N:2,SS[b,a]]", "L[N:2,S:one]"},
    {"m", "M{l=L[N:7],k=S:v}", "M{k=S:v}"},
};

TEST(EvaluateTest, EqualityOfEveryTypeWithEveryType) {
  for (const TypedValue& left : kTypes) {
    for (const TypedValue& right : kTypes) {
      const bool same = left.attribute == right.attribute;
      const std::string a(left.attribute);
      EXPECT_EQ(Check(a + " = :v", {{":v", right.equal}}), same ? "true" : "false") << a << " " << right.equal;
      EXPECT_EQ(Check(a + " <> :v", {{":v", right.equal}}), same ? "false" : "true") << a << " " << right.equal;
      EXPECT_EQ(Check(a + " IN (:v)", {{":v", right.equal}}), same ? "true" : "false") << a << " " << right.equal;
      if (right.different.empty()) continue;
      EXPECT_EQ(Check(a + " = :v", {{":v", right.different}}), "false") << a << " " << right.different;
      EXPECT_EQ(Check(a + " <> :v", {{":v", right.different}}), "true") << a << " " << right.different;
    }
  }
}

TEST(EvaluateTest, OrderOfEveryTypeWithScalars) {
  struct Scalar {
    std::string_view attribute, less, equal, greater;
  };
  const Scalar scalars[] = {
      {"s", "S:apple", "S:banana", "S:cherry"}, {"n", "N:3", "N:20", "N:100"}, {"b", "B:a", "B:mno", "B:\xff"}};
  for (const Scalar& scalar : scalars) {
    for (const TypedValue& type : kTypes) {
      const bool same = type.attribute == scalar.attribute;
      const std::string a(type.attribute);
      const auto expect = [&](std::string_view op, std::string_view value, bool holds) {
        EXPECT_EQ(Check(a + " " + std::string(op) + " :v", {{":v", value}}), same && holds ? "true" : "false")
            << a << op << value;
      };
      expect("<", scalar.less, false), expect("<", scalar.equal, false), expect("<", scalar.greater, true);
      expect("<=", scalar.less, false), expect("<=", scalar.equal, true), expect("<=", scalar.greater, true);
      expect(">", scalar.less, true), expect(">", scalar.equal, false), expect(">", scalar.greater, false);
      expect(">=", scalar.less, true), expect(">=", scalar.equal, true), expect(">=", scalar.greater, false);
      EXPECT_EQ(Check(a + " BETWEEN :a AND :b", {{":a", scalar.less}, {":b", scalar.equal}}), same ? "true" : "false");
      EXPECT_EQ(Check(a + " BETWEEN :a AND :b", {{":a", scalar.greater}, {":b", scalar.greater}}), "false");
    }
  }
}

TEST(EvaluateTest, MissingOperands) {
  const TestRequest::Pairs v = {{":v", "N:1"}};
  EXPECT_EQ(Check("x = :v", v), "false");
  EXPECT_EQ(Check("x <> :v", v), "true");
  EXPECT_EQ(Check(":v <> x", v), "true");
  EXPECT_EQ(Check("x = y"), "false");
  EXPECT_EQ(Check("x <> y"), "true");
  for (std::string_view op : {"<", "<=", ">", ">="}) {
    EXPECT_EQ(Check("x " + std::string(op) + " :v", v), "false") << op;
    EXPECT_EQ(Check(":v " + std::string(op) + " x", v), "false") << op;
    EXPECT_EQ(Check("x " + std::string(op) + " y"), "false") << op;
  }
  EXPECT_EQ(Check("x BETWEEN :v AND :v", v), "false");
  EXPECT_EQ(Check("n BETWEEN :v AND x", v), "false");
  EXPECT_EQ(Check("x IN (:v)", v), "false");
  EXPECT_EQ(Check("x IN (:v, y)", v), "false");
  EXPECT_EQ(Check("begins_with(x, :v)", {{":v", "S:a"}}), "false");
  EXPECT_EQ(Check("begins_with(s, x)"), "false");
  EXPECT_EQ(Check("contains(x, :v)", v), "false");
  EXPECT_EQ(Check("contains(l, x)"), "false");
  EXPECT_EQ(Check("attribute_type(x, :v)", {{":v", "S:S"}}), "false");
  EXPECT_EQ(Check("size(x) = :v", v), "false");
  EXPECT_EQ(Check("size(x) <> :v", v), "true");
  EXPECT_EQ(Check("NOT x = :v", v), "true");
  EXPECT_EQ(Check("NOT x < :v", v), "true");
  EXPECT_EQ(Check("attribute_exists(x)"), "false");
  EXPECT_EQ(Check("attribute_not_exists(x)"), "true");
}

TEST(EvaluateTest, TheAbsentItem) {
  EXPECT_EQ(Check("attribute_not_exists(pk)", {}, ""), "true");
  EXPECT_EQ(Check("attribute_exists(pk)", {}, ""), "false");
  EXPECT_EQ(Check("st <> :v OR up < :t", {{":v", "S:working"}, {":t", "S:2099"}}, ""), "true");
  EXPECT_EQ(Check("st = :v", {{":v", "S:working"}}, ""), "false");
  EXPECT_EQ(Check("score > :min", {{":min", "N:0"}}, ""), "false");
}

TEST(EvaluateTest, Functions) {
  EXPECT_EQ(Check("begins_with(s, :v)", {{":v", "S:ban"}}), "true");
  EXPECT_EQ(Check("begins_with(s, :v)", {{":v", "S:"}}), "true");
  EXPECT_EQ(Check("begins_with(s, :v)", {{":v", "S:bananas"}}), "false");
  EXPECT_EQ(Check("begins_with(s, :v)", {{":v", "B:ban"}}), "false");
  EXPECT_EQ(Check("begins_with(b, :v)", {{":v", "B:m"}}), "true");
  EXPECT_EQ(Check("begins_with(n, :v)", {{":v", "S:2"}}), "false");
  EXPECT_EQ(Check("begins_with(s, s2)"), "true");
  EXPECT_EQ(Check("begins_with(:v, s)", {{":v", "S:bananas"}}), "true");

  EXPECT_EQ(Check("contains(s, :v)", {{":v", "S:nan"}}), "true");
  EXPECT_EQ(Check("contains(s, :v)", {{":v", "S:x"}}), "false");
  EXPECT_EQ(Check("contains(s, :v)", {{":v", "B:nan"}}), "false");
  EXPECT_EQ(Check("contains(b, :v)", {{":v", "B:n"}}), "true");
  EXPECT_EQ(Check("contains(ss, :v)", {{":v", "S:a"}}), "true");
  EXPECT_EQ(Check("contains(ss, :v)", {{":v", "S:c"}}), "false");
  EXPECT_EQ(Check("contains(ss, :v)", {{":v", "SS[a]"}}), "false");  // not a subset test
  EXPECT_EQ(Check("contains(ns, :v)", {{":v", "N:2.0"}}), "true");
  EXPECT_EQ(Check("contains(ns, :v)", {{":v", "S:2"}}), "false");
  EXPECT_EQ(Check("contains(ns, size(ss))"), "true");
  EXPECT_EQ(Check("contains(bs, :v)", {{":v", "B:x"}}), "true");
  EXPECT_EQ(Check("contains(bs, :v)", {{":v", "S:x"}}), "false");
  EXPECT_EQ(Check("contains(l, :v)", {{":v", "N:2"}}), "true");
  EXPECT_EQ(Check("contains(l, :v)", {{":v", "SS[b,a]"}}), "true");
  EXPECT_EQ(Check("contains(l, :v)", {{":v", "S:two"}}), "false");
  EXPECT_EQ(Check("contains(m, :v)", {{":v", "S:k"}}), "false");
  EXPECT_EQ(Check("contains(n, :v)", {{":v", "N:2"}}), "false");
  EXPECT_EQ(Check("contains(:v, s)", {{":v", "L[S:banana]"}}), "true");

  for (const auto& [attribute, type] : std::initializer_list<std::pair<std::string, std::string_view>>{{"s", "S:S"},
                                                                                                       {"n", "S:N"},
                                                                                                       {"b", "S:B"},
                                                                                                       {"t", "S:BOOL"},
                                                                                                       {"u", "S:NULL"},
                                                                                                       {"ss", "S:SS"},
                                                                                                       {"ns", "S:NS"},
                                                                                                       {"bs", "S:BS"},
                                                                                                       {"l", "S:L"},
                                                                                                       {"m", "S:M"}}) {
    EXPECT_EQ(Check("attribute_type(" + attribute + ", :t)", {{":t", type}}), "true") << attribute;
    EXPECT_EQ(Check("attribute_type(l[0], :t)", {{":t", type}}), type == "S:S" ? "true" : "false");
  }
  EXPECT_EQ(Check("attribute_type(:v, :t)", {{":v", "N:1"}, {":t", "S:N"}}), "true");
}

TEST(EvaluateTest, Size) {
  for (const auto& [attribute, size] : std::initializer_list<std::pair<std::string, std::string_view>>{
           {"s", "N:6"}, {"b", "N:3"}, {"ss", "N:2"}, {"ns", "N:2"}, {"bs", "N:2"}, {"l", "N:3"}, {"m", "N:2"}}) {
    EXPECT_EQ(Check("size(" + attribute + ") = :n", {{":n", size}}), "true") << attribute;
    EXPECT_EQ(Check("size(" + attribute + ") < :n", {{":n", "N:10"}}), "true") << attribute;
    EXPECT_EQ(Check(":n > size(" + attribute + ")", {{":n", "N:1"}}), "false") << attribute;
    EXPECT_EQ(Check("size(" + attribute + ") BETWEEN :a AND :b", {{":a", "N:2"}, {":b", "N:6"}}), "true");
    EXPECT_EQ(Check("size(" + attribute + ") IN (:a, :n)", {{":a", "N:99"}, {":n", size}}), "true");
  }
  for (std::string_view attribute : {"n", "t", "u"}) {
    EXPECT_EQ(Check("size(" + std::string(attribute) + ") >= :n", {{":n", "N:0"}}), "false") << attribute;
  }
  EXPECT_EQ(Check("size(s) = size(:v)", {{":v", "S:sixsix"}}), "true");
  EXPECT_EQ(Check("size(s) = size(s2)"), "true");
  EXPECT_EQ(Check("size(s) = :v", {{":v", "S:6"}}), "false");
  // UTF-16 units: é is one, 🎉 is two.
  EXPECT_EQ(Check("size(e) = :n", {{":n", "N:3"}}, "e=S:\xc3\xa9\xf0\x9f\x8e\x89"), "true");
}

TEST(EvaluateTest, PathsAndAliases) {
  EXPECT_EQ(Check("m.k = :v", {{":v", "S:v"}}), "true");
  EXPECT_EQ(Check("m.l[0] = :v", {{":v", "N:7"}}), "true");
  EXPECT_EQ(Check("m.l[1] = :v", {{":v", "N:7"}}), "false");
  EXPECT_EQ(Check("m[0] = :v", {{":v", "N:7"}}), "false");
  EXPECT_EQ(Check("l.k = :v", {{":v", "N:7"}}), "false");
  EXPECT_EQ(Check("attribute_exists(#m.#k)", {}, kItem, {{"#m", "m"}, {"#k", "k"}}), "true");
  EXPECT_EQ(Check("attribute_not_exists(#m.#k)", {}, kItem, {{"#m", "m"}, {"#k", "gone"}}), "true");
  // A dot in an alias's target is part of the name.
  EXPECT_EQ(Check("attribute_exists(#d)", {}, kItem, {{"#d", "m.k"}}), "false");
  EXPECT_EQ(Check("#d = :v", {{":v", "N:1"}}, "a.b=N:1", {{"#d", "a.b"}}), "true");
}

TEST(EvaluateTest, LogicAndPrecedence) {
  const TestRequest::Pairs v = {{":t", "N:20"}, {":f", "N:0"}};
  EXPECT_EQ(Check("n = :t AND n = :f", v), "false");
  EXPECT_EQ(Check("n = :t OR n = :f", v), "true");
  EXPECT_EQ(Check("n = :t OR n = :t AND n = :f", v), "true");
  EXPECT_EQ(Check("(n = :t OR n = :t) AND n = :f", v), "false");
  EXPECT_EQ(Check("NOT n = :f AND n = :t", v), "true");
  EXPECT_EQ(Check("NOT (n = :t OR n = :f)", v), "false");
  EXPECT_EQ(Check("NOT NOT n = :t", {{":t", "N:20"}}), "true");
  EXPECT_EQ(Check("n BETWEEN :f AND :t AND n = :t", v), "true");
  EXPECT_EQ(Check("(n) IN (:f, (:t))", v), "true");
}

// A request of N bytes may cost so much for each of them, whatever the bytes are. Counted, not timed.
TEST(EvaluateTest, TheWorstContainsCostsItsLength) {
  for (const size_t size : {size_t{20'000}, size_t{100'000}, size_t{400'000}}) {
    Arena arena;
    const std::string text(size, 'a'), wanted = std::string(size / 2, 'a') + "b";
    const model::MapEntry item[] = {{"s", model::Value::String(text)}};
    const model::Value value = model::Value::String(wanted);
    const PathElement element{.name = "s"};
    const Operand operands[] = {{.kind = Operand::Kind::kPath, .path = {&element, 1}},
                                {.kind = Operand::Kind::kValue, .value = &value}};
    const ConditionNode node{.op = ConditionOp::kContains, .operands = operands};
    WorkMeter::StartTurn();
    EXPECT_FALSE(Evaluate({.root = &node}, item));
    EXPECT_GE(WorkMeter::done(), size);
    EXPECT_LE(WorkMeter::done(), 16 * size);
  }
  WorkMeter::StartTurn();
}

TEST(EvaluateTest, ManySearchesThroughALongTextLetOthersHaveTheirTurn) {
  const std::string text(300'000, 'a');
  const model::MapEntry item[] = {{"s", model::Value::String(text)}};
  const model::Value wanted = model::Value::String("ab");
  const PathElement element{.name = "s"};
  const Operand operands[] = {{.kind = Operand::Kind::kPath, .path = {&element, 1}},
                              {.kind = Operand::Kind::kValue, .value = &wanted}};
  const ConditionNode contains{.op = ConditionOp::kContains, .operands = operands};
  const std::vector<const ConditionNode*> children(100, &contains);
  const ConditionNode any{.op = ConditionOp::kOr, .children = children};
  ASSERT_TRUE(MayTakeLong(any, text.size()));
  EXPECT_FALSE(MayTakeLong(any, 1'000));
  EXPECT_FALSE(MayTakeLong(contains, text.size()));

  CountingExecutor executor;
  EXPECT_FALSE(executor.Run(EvaluateInTurns(any, item)));
  EXPECT_GE(executor.posts, 50);
  WorkMeter::StartTurn();
}

TEST(EvaluateTest, EveryComparisonIsCounted) {
  WorkMeter::StartTurn();
  const auto cost = [](std::string_view condition) {
    const size_t before = WorkMeter::done();
    Check(condition, {{":v", "S:x"}, {":w", "S:y"}});
    return WorkMeter::done() - before;
  };
  const size_t one = cost("s = :v AND s <> :w");
  EXPECT_GT(one, 0u);
  EXPECT_GT(cost("s IN (:v, :v, :v, :v, :w)"), one / 2);
  WorkMeter::StartTurn();
}

}  // namespace
}  // namespace armature::expr
