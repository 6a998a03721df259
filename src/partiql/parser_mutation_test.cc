// Feeds the parser with damaged statements, token soup and deep nesting. It must return, whatever it returns, and the
// same each time. Deterministic by seed; the endless form of it is api/partiql/statement_fuzz.cc.
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "partiql/parser.h"

namespace armature::partiql {
namespace {

using Random = std::mt19937;

constexpr std::string_view kStatements[] = {
    R"(SELECT Artist, "Song", a.b[0].c, m['k'] FROM "Music"."by-album" WHERE Album = ? ORDER BY Song DESC)",
    R"(SELECT * FROM t WHERE pk IN ['a', 'b', ?] AND sk BETWEEN 1 AND 2.5e3 -- all)",
    R"(SELECT * FROM t WHERE a = 1 OR NOT (b <> -2 AND c <= +3) AND d IS NOT MISSING AND e IS NULL)",
    R"(SELECT * FROM t WHERE begins_with(a, 'x') AND contains(b, 'y''z') AND size(c) > 3 AND attribute_type(d, 'S'))",
    R"(INSERT INTO "Music" VALUE {'Artist': 'Björk', 'n': 1, 'l': [1, 'two', [true, null]], 'm': {'k': <<1, 2>>}, 'p': ?})",
    R"(UPDATE "t" SET a = 1 SET b.c[2] = a + 5 REMOVE d, e[0] WHERE pk = 'x' AND sk = 1 AND f > 2 RETURNING ALL NEW *)",
    R"(UPDATE t SET l = list_append(l, [1]), s = set_add(s, <<'x'>>), n = n - ? WHERE pk = ? RETURNING MODIFIED OLD *)",
    R"(DELETE FROM "t" WHERE pk = 'x' AND sk = 1 RETURNING ALL OLD *)",
    R"(EXISTS(SELECT * FROM "t" WHERE pk = 'x' AND a = 1))",
};

constexpr std::string_view kTokens[] = {"SELECT",
                                        "INSERT",
                                        "INTO",
                                        "UPDATE",
                                        "DELETE",
                                        "EXISTS(",
                                        "FROM",
                                        "WHERE",
                                        "VALUE",
                                        "SET",
                                        "REMOVE",
                                        "RETURNING",
                                        "ALL",
                                        "OLD",
                                        "NEW",
                                        "*",
                                        "ORDER",
                                        "BY",
                                        "DESC",
                                        "AND",
                                        "OR",
                                        "NOT",
                                        "IN",
                                        "BETWEEN",
                                        "IS",
                                        "NULL",
                                        "MISSING",
                                        "TRUE",
                                        "CASE",
                                        "LIKE",
                                        "COUNT(",
                                        "size(",
                                        "begins_with(",
                                        "list_append(",
                                        "t",
                                        "\"a b\"",
                                        "'x'",
                                        "1",
                                        "-1.5e3",
                                        "?",
                                        ".",
                                        ",",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "<<",
                                        ">>",
                                        "=",
                                        "<>",
                                        "<=",
                                        "+",
                                        "-",
                                        "||",
                                        "/*",
                                        "*/",
                                        "--",
                                        "\n",
                                        ":",
                                        ";",
                                        "'",
                                        "\"",
                                        "`",
                                        "@",
                                        "\xc3\xb3",
                                        "\xff"};

// Parses twice: the answers must agree, and an error must say something.
void Check(const std::string& text) {
  SCOPED_TRACE(text.substr(0, 500));
  const auto first = Parse(text);
  const auto second = Parse(text);
  ASSERT_EQ(first.has_value(), second.has_value());
  if (first) return;
  EXPECT_FALSE(first.error().message.empty());
  EXPECT_EQ(first.error().message, second.error().message);
  EXPECT_EQ(first.error().http_status, 400);
}

std::string Damage(Random& random, std::string text) {
  for (unsigned left = 1 + random() % 4; left > 0 && !text.empty(); --left) {
    const size_t at = random() % text.size();
    const size_t length = 1 + random() % 12;
    switch (random() % 6) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, kTokens[random() % std::size(kTokens)]); break;
      case 2: text[at] = static_cast<char>(random()); break;
      case 3: text.insert(at, text.substr(random() % text.size(), length)); break;
      case 4: text.resize(at); break;
      case 5: text.replace(at, length, kTokens[random() % std::size(kTokens)]); break;
    }
  }
  return text;
}

TEST(PartiqlParserMutation, DamagedStatements) {
  Random random(20261115);
  for (int i = 0; i < 20'000; ++i) Check(Damage(random, std::string(kStatements[random() % std::size(kStatements)])));
}

TEST(PartiqlParserMutation, TokenSoup) {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(i % 2 == 0 ? "SELECT * FROM t WHERE " : "");
    for (unsigned left = random() % 30; left > 0; --left) {
      text += kTokens[random() % std::size(kTokens)];
      if (random() % 4 != 0) text += ' ';
    }
    Check(text);
  }
}

TEST(PartiqlParserMutation, RandomBytes) {
  Random random(11);
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    for (unsigned left = random() % 200; left > 0; --left) text += static_cast<char>(random());
    Check(text);
  }
}

TEST(PartiqlParserMutation, EveryPrefixOfAStatement) {
  for (const std::string_view statement : kStatements) {
    for (size_t length = 0; length < statement.size(); ++length) Check(std::string(statement.substr(0, length)));
  }
}

// Whatever nests, nested as deep as a statement can be long: the stack must hold.
TEST(PartiqlParserMutation, DeepNesting) {
  constexpr std::string_view kOpenings[] = {
      "(",       "[",       "<<",         "{'a': ", "NOT ",
      "- ",      "size(",   "a = 1 AND ", "a OR (", "EXISTS(SELECT * FROM t WHERE ",
      "a.b[0].", "a IN ((", "CASE WHEN "};
  for (const std::string_view opening : kOpenings) {
    for (const size_t bytes : {size_t{200}, size_t{2'000}, kMaxStatementBytes, 2 * kMaxStatementBytes}) {
      std::string text = "SELECT * FROM t WHERE ";
      while (text.size() < bytes) text += opening;
      Check(text);
      Check(text + "1");
    }
  }
}

}  // namespace
}  // namespace armature::partiql
