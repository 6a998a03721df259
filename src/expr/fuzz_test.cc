// Feeds the parsers, and everything behind them, with token soup, random bytes and damaged expressions. They must
// return, whatever they return. Deterministic by seed; most useful under ASan.
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"
#include "expr/parse/parser.h"

namespace armature::expr {
namespace {

using Random = std::mt19937;

constexpr std::string_view kTokens[] = {"a",
                                        "b",
                                        "l",
                                        "status",
                                        "#a",
                                        "#x",
                                        ":n",
                                        ":s",
                                        ":l",
                                        ":ss",
                                        ":x",
                                        "(",
                                        ")",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "0",
                                        "1",
                                        "7",
                                        ".",
                                        ",",
                                        "=",
                                        "<>",
                                        "<",
                                        "<=",
                                        ">",
                                        ">=",
                                        "+",
                                        "-",
                                        "AND",
                                        "OR",
                                        "NOT",
                                        "BETWEEN",
                                        "IN",
                                        "SET",
                                        "REMOVE",
                                        "ADD",
                                        "DELETE",
                                        "attribute_exists(",
                                        "size(",
                                        "contains(",
                                        "begins_with(",
                                        "attribute_type(",
                                        "if_not_exists(",
                                        "list_append(",
                                        "foo(",
                                        "!",
                                        "_",
                                        "\xc3\xa9",
                                        "\xff"};

std::string Soup(Random& random, int tokens) {
  std::string text;
  for (int i = 0; i < tokens; ++i) {
    text += kTokens[random() % std::size(kTokens)];
    if (random() % 2 == 0) text += ' ';
  }
  return text;
}

std::string Bytes(Random& random, size_t length) {
  std::string text;
  for (size_t i = 0; i < length; ++i) text += static_cast<char>(random());
  return text;
}

constexpr std::string_view kGood[] = {
    "a = :n AND (b <> :s OR NOT contains(l, :n)) AND size(#a.b[0]) BETWEEN :n AND :n",
    "attribute_exists(a) OR begins_with(#a, :s) OR a IN (:n, :s, b)",
    "SET a = if_not_exists(a, :n) + :n, l[1] = :s REMOVE b ADD #a :n",
    "SET l = list_append(if_not_exists(l, :l), :l) DELETE b :ss",
    "a.b[0].c, l[1], #a",
};

std::string Damage(Random& random, std::string text) {
  for (uint32_t i = 0; i <= random() % 3; ++i) {
    const size_t at = random() % text.size();
    switch (random() % 3) {
      case 0: text.erase(at, 1 + random() % 4); break;
      case 1: text.insert(at, kTokens[random() % std::size(kTokens)]); break;
      default: text[at] = static_cast<char>(random()); break;
    }
    if (text.empty()) text = "a";
  }
  return text;
}

// Through parsing, binding and running; returns how many were fine.
int RunAll(std::string_view text) {
  TestRequest request({{"#a", "a"}}, {{":n", "N:1"}, {":s", "S:x"}, {":l", "L[N:1]"}, {":ss", "SS[x]"}});
  constexpr std::string_view kWhole = "a=M{b=L[M{c=N:1},N:2]},b=SS[x,y],l=L[N:1,S:x],n=N:5";
  int good = 0;
  const auto count = [&](const std::string& outcome) { good += outcome.starts_with("Invalid ") ? 0 : 1; };
  count(request.Check(text, kWhole));
  count(request.Update(text, kWhole));
  count(request.Update(text, "(none)"));
  count(request.Project(text, kWhole));
  return good;
}

TEST(FuzzTest, TokenSoup) {
  Random random(1);
  int good = 0;
  for (int i = 0; i < 30'000; ++i) good += RunAll(Soup(random, 1 + static_cast<int>(random() % 12)));
  for (int i = 0; i < 300; ++i) good += RunAll(Soup(random, 900));
  EXPECT_GT(good, 0);
}

TEST(FuzzTest, RandomBytes) {
  Random random(2);
  for (int i = 0; i < 5'000; ++i) RunAll(Bytes(random, random() % 64));
  for (int i = 0; i < 50; ++i) RunAll(Bytes(random, 4'000 + random() % 200));
}

TEST(FuzzTest, DamagedExpressions) {
  Random random(3);
  int good = 0;
  for (int i = 0; i < 20'000; ++i) good += RunAll(Damage(random, std::string(kGood[random() % std::size(kGood)])));
  EXPECT_GT(good, 100);
}

TEST(FuzzTest, RepeatedTokens) {
  for (std::string_view token : kTokens) {
    for (std::string_view prefix : {"", "SET a = ", "a = ", "REMOVE a"}) {
      std::string text(prefix);
      while (text.size() + token.size() <= kMaxExpressionBytes) text += token;
      RunAll(text);
    }
  }
}

}  // namespace
}  // namespace armature::expr
