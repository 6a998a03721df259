#include "partiql/parser.h"

#include <string>

#include <gtest/gtest.h>

#include "partiql/cache.h"

namespace armature::partiql {
namespace {

std::string ErrorOf(std::string_view text) {
  const auto parsed = Parse(text);
  return parsed ? "no error" : parsed.error().message;
}

// The part behind "Statement wasn't well formed, can't be processed: ".
std::string Malformed(std::string_view text) {
  const std::string error = ErrorOf(text);
  constexpr std::string_view kPrefix = "Statement wasn't well formed, can't be processed: ";
  return error.starts_with(kPrefix) ? error.substr(kPrefix.size()) : "not malformed: " + error;
}

StatementPtr MustParse(std::string_view text) {
  auto parsed = Parse(text);
  EXPECT_TRUE(parsed) << text << "\n" << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : nullptr;
}

TEST(PartiqlParser, Select) {
  const auto statement =
      MustParse(R"(select pk, m."a.b", m.k[0].x, l[3] FROM "T-1"."by-x" Where pk = ? ORDER by sk desc, pk;)");
  ASSERT_TRUE(statement);
  EXPECT_EQ(statement->kind, StatementKind::kSelect);
  EXPECT_EQ(statement->table, "T-1");
  EXPECT_EQ(statement->index, "by-x");
  EXPECT_EQ(statement->parameter_count, 1u);
  ASSERT_EQ(statement->columns.size(), 4u);
  EXPECT_EQ(statement->columns[0].name, "a.b");
  EXPECT_EQ(statement->columns[1].name, "l[3]");
  EXPECT_EQ(statement->columns[2].name, "pk");
  EXPECT_EQ(statement->columns[3].name, "x");
  EXPECT_EQ(expr::FormatPath(statement->columns[3].path), "[m, k, [0], x]");
  ASSERT_EQ(statement->order_by.size(), 2u);
  EXPECT_EQ(statement->order_by[0].attribute, "sk");
  EXPECT_TRUE(statement->order_by[0].is_descending);
  EXPECT_FALSE(statement->order_by[1].is_descending);
  EXPECT_TRUE(MustParse("SELECT/**/* FROM t -- all of it\nWHERE a=1")->columns.empty());
}

TEST(PartiqlParser, WritesAndLiterals) {
  const auto insert = MustParse(
      R"(INSERT INTO t value {'pk': 'it''s', 'n': -1.5e-3, 'l': [1, [true, null]], 'm': {'b': 1, 'a': <<2, 1>>}, 'p': ?})");
  ASSERT_TRUE(insert);
  ASSERT_EQ(insert->item.size(), 5u);
  EXPECT_EQ(insert->item[0].value->value.str(), "it's");
  EXPECT_EQ(insert->item[1].value->value.number().ToString(), "-0.0015");
  EXPECT_EQ(insert->item[2].value->value.list()[1].list().size(), 2u);
  EXPECT_EQ(insert->item[3].value->value.map()[0].name, "a");
  EXPECT_TRUE(insert->item[3].value->value.map()[0].value.is(model::Type::kNS));
  EXPECT_EQ(insert->item[4].value->kind, NodeKind::kParameter);

  const auto update = MustParse(
      "UPDATE t SET a = a + 1, b[0].c = list_append(b, [1]) REMOVE d SET e=? WHERE pk='x' RETURNING MODIFIED NEW *");
  ASSERT_TRUE(update);
  ASSERT_EQ(update->assignments.size(), 4u);
  EXPECT_EQ(update->assignments[2].value, nullptr);
  EXPECT_EQ(update->returning, Returning::kModifiedNew);
  const auto from = MustParse("from t where pk = 'x' set a = 1 remove b returning all old *");
  EXPECT_EQ(from->kind, StatementKind::kUpdate);
  EXPECT_EQ(from->assignments.size(), 2u);
  EXPECT_EQ(MustParse("DELETE FROM t WHERE pk='x' RETURNING ALL OLD *")->returning, Returning::kAllOld);
  EXPECT_EQ(MustParse("EXISTS(SELECT * FROM t WHERE pk='x' AND a=1)")->kind, StatementKind::kExists);
}

TEST(PartiqlParser, Precedence) {
  const auto statement = MustParse("SELECT * FROM t WHERE a = 1 OR NOT b = 2 AND c BETWEEN 1 AND 2 AND d IN (1, 2)");
  const auto& where = statement->where;
  ASSERT_EQ(where->kind, NodeKind::kBinary);
  EXPECT_EQ(where->op, Operator::kOr);
  const Node& both = *where->children[1];
  EXPECT_EQ(both.op, Operator::kAnd);
  EXPECT_EQ(both.children[1]->kind, NodeKind::kIn);
  EXPECT_EQ(both.children[0]->children[0]->kind, NodeKind::kNot);
  EXPECT_EQ(both.children[0]->children[0]->children[0]->op, Operator::kEqual);
  EXPECT_EQ(both.children[0]->children[1]->kind, NodeKind::kBetween);
}

TEST(PartiqlParser, SyntaxErrorsInAwsWords) {
  for (const char* text :
       {"SELECT * FROM t WHERE pk = 1 foo", "SELECT * FROM t WHERE pk = 1 e5", "INSERT INTO t VALUE {'pk': 1} foo",
        "UPDATE t SET a = 9 WHERE pk = 1 foo", "DELETE FROM t WHERE pk = 1 foo", "SELECT * FROM t WHERE pk = 1)",
        "DELETE FROM t WHERE pk = 1 ORDER BY pk", "SELECT * FROM t ORDER BY pk WHERE pk = 1",
        "INSERT INTO \"t\" t VALUE {'pk': 'x'}", "FROM t SET c = 1 WHERE pk = 'x'",
        "FROM t SET c = 1 WHERE pk = 'x' SET d = 2", "SELECTT * FROMM \"t\""})
    EXPECT_EQ(Malformed(text), "Unexpected token after expression") << text;
  for (const char* text : {"SELECT * FROM t WHERE", "SELECT * FROM t WHERE;", "SELECT * FROM t WHERE   ",
                           "SELECT pk FROM t WHERE", "UPDATE t SET a = 1 WHERE", "DELETE FROM t WHERE",
                           "SELECT * FROM t WHERE NOT", "SELECT * FROM t WHERE (", "SELECT * FROM", "SELECT"})
    EXPECT_EQ(Malformed(text), "Unexpected term") << text;
  for (const char* text : {"SELECT * FROM t WHERE pk = 1e2147483648", "SELECT * FROM t WHERE pk = 1.5e-2147483647",
                           "SELECT * FROM t WHERE pk = 1 # note", "SELECT * FROM t WHERE pk = 1 /* note",
                           "SELECT * FROM \"t", "SELECT * FROM t WHERE a = 'x"})
    EXPECT_EQ(Malformed(text), "") << text;
  for (const char* text : {"DELETE FROM", "DELETE FROM   ", "DELETE FROM;", "DELETE FROM WHERE pk = 'a'"})
    EXPECT_EQ(Malformed(text), "Expected identifier for simple path") << text;
  EXPECT_EQ(Malformed("SLECT * FROM \"t\" WHERE pk = 'x'"), "Expected data manipulation");
  EXPECT_EQ(Malformed("UPDATE Payment-t SET a=1 WHERE b=1"), "Expected data manipulation");
  EXPECT_EQ(Malformed("SELECT * FROM t WHERE pk = 'p' AND"), "Missing right-hand side expression of infix operator");
  EXPECT_EQ(Malformed("SELECT * FROM t WHERE pk = 'p' OR"), "Missing right-hand side expression of infix operator");
  EXPECT_EQ(Malformed("SELECT * FROM t WHERE ORDER BY pk"), "Unexpected keyword");
  EXPECT_EQ(Malformed("INSERT INTO urls (key, secret) VALUES (?, ?)"), "Unexpected keyword");
  EXPECT_EQ(Malformed("SELECT * FROM t WHERE pk = 'a' AND x IS FOO"), "Expected type name");
  EXPECT_EQ(Malformed("SELECT * FROM t WHERE IS NULL"), "Unexpected operator");
  EXPECT_EQ(Malformed("SELECT * FROM t WHERE pk = LIKE"), "Unexpected operator");
  EXPECT_EQ(Malformed("SELECT * FROM t WHERE attribute_exists(m.inner)"), "Invalid path dot component");
  EXPECT_EQ(Malformed("UPDATE t SET m.inner = 1 WHERE pk=1"), "Invalid path dot component");
  EXPECT_EQ(Malformed("SELECT a b"), "Expected FROM after SELECT list");
  EXPECT_EQ(Malformed("SELECT * FROM t WHERE a IN (1, 2"), "Expected RIGHT_PAREN");
}

TEST(PartiqlParser, WhatIsWellFormedButRefused) {
  EXPECT_EQ(ErrorOf("x IS INT4"), "Unsupported operation: IsType");
  EXPECT_EQ(ErrorOf("x IS DOUBLE PRECISION"), "Unsupported operation: IsType");
  for (const char* text : {"SELECT * FROM t x WHERE pk = 'x'", "SELECT * FROM t AS x WHERE pk = 'x'",
                           "UPDATE t x SET a = 3 WHERE pk = 'x'", "DELETE FROM t x WHERE pk = 'x'"})
    EXPECT_EQ(ErrorOf(text), "Aliasing is not supported") << text;
  EXPECT_EQ(ErrorOf("SELECT * FROM t WHERE pk = 1e126"),
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root");
  EXPECT_EQ(ErrorOf("INSERT INTO t VALUE {'pk': 1, 'm': {'x': 1e126}}"),
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root.x");
  EXPECT_EQ(ErrorOf("INSERT INTO t VALUE {'pk': 1, 'l': [1, 1e-131]}"),
            "Number underflow. Attempting to store a number with magnitude smaller than supported range under root[1]");
  EXPECT_EQ(ErrorOf("SELECT * FROM t WHERE pk = 123456789012345678901234567890123456789"),
            "Attempting to store more than 38 significant digits in a Number under root");
  EXPECT_EQ(ErrorOf("SELECT l[-1] FROM t"), "List index is not within the allowable range; index: [-1] at 1:11:1");
  EXPECT_EQ(ErrorOf("SELECT l[2147483648] FROM t"),
            "List index is not within the allowable range; index: [2147483648] at 1:10:10");
  EXPECT_EQ(ErrorOf("SELECT l[-0] FROM t"), "no error");
  EXPECT_EQ(ErrorOf("INSERT INTO t VALUE {'s': <<>>}"), "Empty bags are not supported");
  EXPECT_EQ(ErrorOf("INSERT INTO t VALUE {'s': <<1, 'a'>>}"),
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags");
  EXPECT_EQ(ErrorOf("INSERT INTO t VALUE {'s': [<<'a', 'a'>>]}"),
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates.");
  EXPECT_EQ(ErrorOf("UPDATE t SET n = set_add(n, <<2, 2.0>>) WHERE pk=1"),
            "One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root");
  EXPECT_EQ(ErrorOf("UPDATE t SET x = [?] WHERE pk=1"), "Unsupported data type: Parameter under key root[0] at 1:19:1");
  EXPECT_EQ(ErrorOf("INSERT INTO t VALUE {'m':{'k':?}}"),
            "Unsupported data type: Parameter under key root.k at 1:31:1");
  EXPECT_EQ(ErrorOf("INSERT INTO t VALUE {'ss': set_add(<<'a'>>, <<'b'>>)}"),
            "Unsupported data type: set_add under key root at 1:28:7");
  EXPECT_EQ(ErrorOf("SELECT * FROM a.b.c"), "A path may contain at most 2 components in the FROM clause");
  EXPECT_EQ(ErrorOf(R"(SELECT * FROM "t"."")"), "Path component cannot be an empty string");
  EXPECT_EQ(ErrorOf("UPDATE t.i SET a=1 WHERE pk=1"), "This operation is not supported on an index");
  EXPECT_EQ(ErrorOf("DELETE FROM t WHERE pk='x' RETURNING MODIFIED OLD *"),
            "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE "
            "statements.");
  EXPECT_EQ(ErrorOf("SELECT * FROM t LIMIT 10"), "Unsupported clause: LIMIT at 1:23:2");
  EXPECT_EQ(MustParse("SELECT COUNT(*) FROM t")->late_error, "Unexpected path component at 1:8:5");
}

TEST(PartiqlParser, NestingIsBounded) {
  const auto nested = [](int levels) {
    std::string text = "UPDATE t SET d = ";
    for (int i = 0; i < levels; ++i) text += "{'a':";
    text += "1" + std::string(static_cast<size_t>(levels), '}') + " WHERE pk=1";
    return text;
  };
  EXPECT_EQ(ErrorOf(nested(31)), "no error");
  std::string path;
  for (int i = 0; i < 32; ++i) path += ".a";
  EXPECT_EQ(ErrorOf(nested(32)), "Nesting Levels have exceeded supported limits under root" + path);
  EXPECT_EQ(ErrorOf(nested(1000)), "Nesting Levels have exceeded supported limits");
  for (const char* piece : {"(", "[", "{'a':", "<<", "NOT ", "- ", "+", "a[", "f(", "SELECT * FROM ("}) {
    std::string text = "SELECT * FROM t WHERE ";
    while (text.size() < 8000) text += piece;
    EXPECT_NE(ErrorOf(text), "no error") << piece;
  }
}

TEST(PartiqlParser, ChainsAndPathsAreBounded) {
  const auto chain = [](int operators, std::string_view op) {
    std::string text = "SELECT * FROM t WHERE a";
    for (int i = 0; i < operators; ++i) text.append(op).append("a");
    return text;
  };
  EXPECT_EQ(ErrorOf(chain(300, "=")), "no error");
  EXPECT_EQ(ErrorOf(chain(301, "=")), "The expression contains too many operators; operator count: 301");
  EXPECT_EQ(ErrorOf(chain(4000, "+")), "The expression contains too many operators; operator count: 301");
  const auto path = [](int elements) {
    std::string text = "SELECT a";
    for (int i = 1; i < elements; ++i) text += ".b";
    return text + " FROM t";
  };
  EXPECT_EQ(ErrorOf(path(32)), "no error");
  EXPECT_EQ(ErrorOf(path(33)), "The document path has too many nesting levels; nesting levels: 33");
}

TEST(PartiqlStatementCache, KeepsWhatWasParsedWithinItsBounds) {
  StatementCache cache(4, 1 << 20);
  const auto first = cache.Get("SELECT * FROM a");
  ASSERT_TRUE(first);
  EXPECT_EQ(cache.Get("SELECT * FROM a")->get(), first->get());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(cache.Get("SELECT * FROM t" + std::to_string(i)));
  EXPECT_LE(cache.entries(), 8u);
  EXPECT_FALSE(cache.Get("SELECT"));
  EXPECT_NE(cache.Get("SELECT * FROM a")->get(), first->get());
  EXPECT_EQ((*first)->table, "a");
}

}  // namespace
}  // namespace armature::partiql
