#include "expr/parse/parser.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "expr/parse/lexer.h"
#include "expr/parse/reserved_words.h"

namespace armature::expr {
namespace {

std::string ConditionError(std::string_view text) { return Parse(Grammar::kCondition, text).error; }
std::string UpdateError(std::string_view text) { return Parse(Grammar::kUpdate, text).error; }
std::string ProjectionError(std::string_view text) { return Parse(Grammar::kProjection, text).error; }

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

constexpr char kRedundant[] = "The expression has redundant parentheses;";

TEST(LexerTest, SplitsIntoTokens) {
  const std::string_view source = "#a.b[12]<>:v <= _x\xc3\xa9!";
  std::string shown;
  for (const Token& token : Tokenize(source)) shown += std::string(token.range.In(source)) + "|";
  EXPECT_EQ(shown, "#a|.|b|[|12|]|<>|:v|<=|_|x|\xc3\xa9|!||");
}

TEST(LexerTest, KnowsReferences) {
  EXPECT_TRUE(IsReference("#a", '#'));
  EXPECT_TRUE(IsReference(":0_b", ':'));
  EXPECT_FALSE(IsReference("a", '#'));
  EXPECT_FALSE(IsReference("#", '#'));
  EXPECT_FALSE(IsReference("#a-b", '#'));
  EXPECT_FALSE(IsReference(":a", '#'));
}

TEST(ReservedWordsTest, AreSortedAndCompleteAndCaseless) {
  EXPECT_EQ(ReservedWords().size(), 573u);
  EXPECT_TRUE(std::ranges::is_sorted(ReservedWords()));
  for (std::string_view word : {"status", "NAME", "Data", "ttl", "count", "ABORT", "ZONE", "size", "items"})
    EXPECT_TRUE(IsReservedWord(word)) << word;
  for (std::string_view word : {"version", "balance", "tags", "pk", "", "attr1", "statusx"})
    EXPECT_FALSE(IsReservedWord(word)) << word;
}

TEST(ParserTest, AcceptsEveryFormOfCondition) {
  for (std::string_view text : {"a = :v",
                                "a<>:v",
                                "a < b",
                                "a <= :v",
                                "a > :v",
                                "a >= :v",
                                ":v = a",
                                "a BETWEEN :a AND :b",
                                "a between :a and :b OR b = :c",
                                "a IN (:a)",
                                "a in (:a, b, #c)",
                                "attribute_exists(a.b[0].#c)",
                                "attribute_not_exists (a)",
                                "attribute_type(a, :t)",
                                "begins_with(a, :p)",
                                "contains(a, b)",
                                "size(a) > :v",
                                ":n < size(a)",
                                "NOT a = :v",
                                "NOT NOT a = :v",
                                "not (a = :v)",
                                "(a = :v)",
                                "(a = :v) AND (b = :w)",
                                "(a = :v AND (b = :w))",
                                "(a) = (:v)",
                                "(size(a)) = :v",
                                "a = :v AND b = :w OR NOT c = :x",
                                "\t a\r\n=\n:v ",
                                "(attribute_exists(a))",
                                "contains((a), :v)",
                                "a[0][1] = :v",
                                "NOT attribute_exists(a)"})
    EXPECT_EQ(ConditionError(text), "") << text;
}

TEST(ParserTest, AcceptsEveryFormOfUpdate) {
  for (std::string_view text :
       {"SET a = :v", "set a = b, c.d[3] = :v", "SET a = a + :v", "SET a = a - b", "SET a = (a + :v)",
        "SET a = (a) + (:v)", "SET a = if_not_exists(a, :v)", "SET a = if_not_exists(a, if_not_exists(b, :v)) + :w",
        "SET a = list_append(if_not_exists(a, :v), :w)", "REMOVE a, b[1], c.d", "ADD a :v, b :w", "DELETE a :v",
        "REMOVE a SET b = :v DELETE c :w ADD d :x", "SET #a.#b = :v", "SET a = (:v)"})
    EXPECT_EQ(UpdateError(text), "") << text;
}

TEST(ParserTest, AcceptsProjections) {
  for (std::string_view text : {"a", "a, b.c, #d[0][1].e", "#a", " a ,b"}) EXPECT_EQ(ProjectionError(text), "") << text;
}

TEST(ParserTest, NamesTheTokenOfASyntaxErrorAndItsNeighbours) {
  EXPECT_EQ(ProjectionError("!!! INVALID !!!"), R"(Syntax error; token: "!", near: "!!")");
  EXPECT_EQ(UpdateError("INVALID SYNTAX HERE"), R"(Syntax error; token: "INVALID", near: "INVALID SYNTAX")");
  EXPECT_EQ(UpdateError("SET _123 = :v"), R"(Syntax error; token: "_", near: "SET _123")");
  EXPECT_EQ(UpdateError("SET a = 5"), R"(Syntax error; token: "5", near: "= 5")");
  EXPECT_EQ(ConditionError("attribute_not_exists("), R"(Syntax error; token: "<EOF>", near: "(")");
  EXPECT_EQ(ConditionError("foo"), R"(Syntax error; token: "<EOF>", near: "foo")");
  EXPECT_EQ(ConditionError("a != :v"), R"(Syntax error; token: "!", near: "a !=")");
  EXPECT_EQ(ConditionError("a BEGINS_WITH :v"), R"(Syntax error; token: "BEGINS_WITH", near: "a BEGINS_WITH :v")");
  EXPECT_EQ(UpdateError("SET"), R"(Syntax error; token: "<EOF>", near: "SET")");
  EXPECT_EQ(UpdateError("SET a = :v,"), R"(Syntax error; token: "<EOF>", near: ",")");
  EXPECT_EQ(ProjectionError("a,,b"), R"(Syntax error; token: ",", near: ",,b")");
  EXPECT_EQ(ProjectionError("a b"), R"(Syntax error; token: "b", near: "a b")");
  EXPECT_EQ(ProjectionError("a[-1]"), R"(Syntax error; token: "-", near: "[-1")");
  EXPECT_EQ(ProjectionError("\xc3\xa9"), "Syntax error; token: \"\xc3\xa9\", near: \"\xc3\xa9\"");
}

TEST(ParserTest, RefusesWhatTheGrammarsDoNotHave) {
  for (std::string_view text : {"a",
                                "(a)",
                                ":v",
                                "a = :v AND",
                                "AND a = :v",
                                "a = :v b = :w",
                                "a = = :v",
                                "a IN :v",
                                "a IN ()",
                                "a IN (:v",
                                "a BETWEEN :a",
                                "a BETWEEN :a, :b",
                                "(a = :v",
                                "a = :v)",
                                "a. = :v",
                                "a.[0] = :v",
                                "a[b] = :v",
                                "a[] = :v",
                                "1a = :v",
                                "NOT a",
                                "(NOT a)",
                                "(a = :v AND b)",
                                "f()",
                                "a = (b = c)",
                                "(a = :v) = :w",
                                "and = :v",
                                "a + :v",
                                "# = :v",
                                ": = a",
                                "a = :v;",
                                "'a' = :v",
                                "a == :v"})
    EXPECT_TRUE(ConditionError(text).starts_with("Syntax error; token: ")) << text << " → " << ConditionError(text);
  for (std::string_view text : {"a = :v",
                                "SET a",
                                "SET a =",
                                "SET a = a + b + c",
                                "SET a = (a + b) + c",
                                "SET a = a + (b + c)",
                                "SET a = if_not_exists(a, :v + :w)",
                                "SET :v = a",
                                "SET size(a) = :v",
                                "REMOVE",
                                "REMOVE :v",
                                "ADD a b",
                                "ADD a",
                                "ADD a (:v)",
                                "DELETE a, b",
                                "SET a = :v SET",
                                "SET a = :v b = :w",
                                "SET a == :v",
                                "SET set = :v",
                                "SET a = :v, REMOVE b",
                                "REMOVE a,"})
    EXPECT_TRUE(UpdateError(text).starts_with("Syntax error; token: ")) << text << " → " << UpdateError(text);
  for (std::string_view text : {"a,", ",a", ":v", "a(b)", "a.b.", "a[0", "(a)", "a.:v", "_a", "9"})
    EXPECT_TRUE(ProjectionError(text).starts_with("Syntax error; token: ")) << text << " → " << ProjectionError(text);
}

TEST(ParserTest, EmptyAndOversizeComeBeforeTheSyntax) {
  EXPECT_EQ(UpdateError(""), "The expression can not be empty;");
  EXPECT_EQ(ProjectionError(" "), "The expression can not be empty;");
  EXPECT_EQ(ConditionError(Repeat("!", 4097)), "Expression size has exceeded the maximum allowed size;");
  EXPECT_EQ(ConditionError("a = :v" + Repeat(" ", 4090)), "");
}

TEST(ParserTest, RefusesDoubledParentheses) {
  for (std::string_view text : {"((a = :v))", "((a = :v)) AND b = :w", "((a)) = :v", "a = ((:v))", "(((a = :v)))",
                                "NOT ((a = :v))", "contains(((a)), :v)", "((attribute_exists(a)))"})
    EXPECT_EQ(ConditionError(text), kRedundant) << text;
  EXPECT_EQ(UpdateError("SET a = ((b))"), kRedundant);
  EXPECT_EQ(UpdateError("SET a = ((b + :c))"), kRedundant);
}

TEST(ParserTest, ReservedWordsAreRefusedAsWritten) {
  EXPECT_EQ(ConditionError("Status = :v"), "Attribute name is a reserved keyword; reserved keyword: Status");
  EXPECT_EQ(UpdateError("SET status = :s, name = :n"),
            "Attribute name is a reserved keyword; reserved keyword: status");
  EXPECT_EQ(ProjectionError("pk, status"), "Attribute name is a reserved keyword; reserved keyword: status");
  EXPECT_EQ(ProjectionError("a.items[0]"), "Attribute name is a reserved keyword; reserved keyword: items");
  EXPECT_EQ(ProjectionError("and"), "Attribute name is a reserved keyword; reserved keyword: and");
  EXPECT_EQ(ConditionError("set = :v"), "Attribute name is a reserved keyword; reserved keyword: set");
  EXPECT_EQ(ProjectionError("#status"), "");
}

TEST(ParserTest, FunctionsMustExistAndStandWhereTheyMay) {
  EXPECT_EQ(ConditionError("ATTRIBUTE_EXISTS(a)"), "Invalid function name; function: ATTRIBUTE_EXISTS");
  EXPECT_EQ(ConditionError("foo(a) = :v"), "Invalid function name; function: foo");
  EXPECT_EQ(ConditionError("a = foo(:v)"), "Invalid function name; function: foo");
  EXPECT_EQ(UpdateError("SET a = foo(b)"), "Invalid function name; function: foo");
  const std::string misused = "The function is not allowed to be used this way in an expression; function: ";
  EXPECT_EQ(ConditionError("size(a)"), misused + "size");
  EXPECT_EQ(ConditionError("(size(a))"), misused + "size");
  EXPECT_EQ(ConditionError("NOT size(a)"), misused + "size");
  EXPECT_EQ(ConditionError("attribute_exists(a) = :v"), misused + "attribute_exists");
  EXPECT_EQ(ConditionError("a = contains(b, :v)"), misused + "contains");
  EXPECT_EQ(ConditionError("size(begins_with(a, :v)) = :w"), misused + "begins_with");
  EXPECT_EQ(ConditionError("a = if_not_exists(b, :v)"),
            "The function is not allowed in a condition expression; function: if_not_exists");
  EXPECT_EQ(Parse(Grammar::kUpdate, "SET a = list_append(list_append(a, :v), :w)").late_error, misused + "list_append");
  EXPECT_EQ(Parse(Grammar::kUpdate, "SET a = size(b)").late_error,
            "The function is not allowed in an update expression; function: size");
}

TEST(ParserTest, ErrorsHaveAnOrder) {
  // Syntax, redundant parentheses, unknown function, misused function, reserved word.
  EXPECT_TRUE(ConditionError("((status = :v)) AND").starts_with("Syntax error"));
  EXPECT_EQ(ConditionError("foo(status) AND size(a) AND ((a = :v))"), kRedundant);
  EXPECT_EQ(ConditionError("status = :v AND size(a) AND foo(a)"), "Invalid function name; function: foo");
  EXPECT_EQ(ConditionError("status = :v AND size(a)"),
            "The function is not allowed to be used this way in an expression; function: size");
  // In updates: reserved word, unknown function, repeated section.
  EXPECT_EQ(UpdateError("SET a = foo(b) SET status = :v"),
            "Attribute name is a reserved keyword; reserved keyword: status");
  EXPECT_EQ(UpdateError("SET a = :v SET b = foo(b)"), "Invalid function name; function: foo");
}

TEST(ParserTest, EachSectionComesOnce) {
  EXPECT_EQ(UpdateError("SET a = :v SET b = :v"), "The \"SET\" section can only be used once in an update expression;");
  EXPECT_EQ(UpdateError("remove a add b :v remove c"),
            "The \"REMOVE\" section can only be used once in an update expression;");
}

TEST(ParserTest, LimitsOnOperatorsIndexesAndPaths) {
  const auto ands = [](int comparisons) {
    std::string text = "a=:v";
    for (int i = 1; i < comparisons; ++i) text += " OR a=:v";
    return text;
  };
  EXPECT_EQ(ConditionError(ands(150) + " OR NOT attribute_exists(a)").substr(0, 36),
            "The expression contains too many ope");
  EXPECT_EQ(ConditionError(ands(150)), "");                              // 299
  EXPECT_EQ(ConditionError(ands(150) + " OR attribute_exists(a)"), "");  // 300
  EXPECT_EQ(ConditionError(ands(151)), "The expression contains too many operators; operator count: 301");
  EXPECT_EQ(ConditionError(ands(400)), "The expression contains too many operators; operator count: 301");
  EXPECT_EQ(ConditionError(Repeat("NOT ", 1000) + "a=:v"),
            "The expression contains too many operators; operator count: 301");
  EXPECT_EQ(ProjectionError("a[99999999999999]"),
            "List index is not within the allowable range; index: [99999999999999]");
  EXPECT_EQ(ProjectionError("a[2147483648]"), "List index is not within the allowable range; index: [2147483648]");
  EXPECT_EQ(ProjectionError("a[2147483647]"), "");
  EXPECT_EQ(ProjectionError("a" + Repeat(".a", 31)), "");
  EXPECT_EQ(ProjectionError("a" + Repeat("[0]", 32)),
            "The document path has too many nesting levels; nesting levels: 33");
}

TEST(ParserTest, DeepNestingDoesNotExhaustTheStack) {
  EXPECT_EQ(ConditionError(Repeat("(", 2000) + "a=:v" + Repeat(")", 2000)), kRedundant);
  EXPECT_NE(ConditionError(Repeat("(", 4096)), "");
  EXPECT_NE(ConditionError(Repeat("NOT(", 1000)), "");
  EXPECT_NE(ConditionError(Repeat("size(", 800) + "a"), "");
  EXPECT_NE(UpdateError("SET a = " + Repeat("(", 4000)), "");
  EXPECT_NE(UpdateError("SET a = " + Repeat("f(", 2000)), "");
  // The deepest that is legal: one operator to each pair.
  EXPECT_EQ(ConditionError(Repeat("NOT(", 299) + "a=:v" + Repeat(")", 299)), "");
  EXPECT_EQ(UpdateError("SET a=" + Repeat("if_not_exists(a,", 240) + ":v" + Repeat(")", 240)), "");
}

}  // namespace
}  // namespace armature::expr
