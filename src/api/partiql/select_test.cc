#include <gmock/gmock.h>

#include "api/partiql/next_token.h"
#include "api/partiql/partiql_testing.h"

namespace armature::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PartiqlSelect : public PartiqlFixture {
 protected:
  PartiqlSelect() {
    for (const char* pk : {"o", "p"})
      for (const char* sk : {"1", "2", "3"})
        Put("Tbl", R"({"pk":{"S":")" + std::string(pk) + R"("},"sk":{"S":")" + sk + R"("},"n":{"N":")" + sk + R"("}})");
  }
  std::vector<std::string> Where(const std::string& condition) {
    return Keys(Run("SELECT pk, sk FROM Tbl WHERE " + condition));
  }
};

TEST_F(PartiqlSelect, TakesKeysFromTheWhere) {
  EXPECT_THAT(Where("pk = 'o'"), ElementsAre("o/1", "o/2", "o/3"));
  EXPECT_THAT(Where("pk = 'o' AND sk = '2'"), ElementsAre("o/2"));
  EXPECT_THAT(Where("'2' <= sk AND 'o' = pk"), ElementsAre("o/2", "o/3"));
  EXPECT_THAT(Where("pk = 'o' AND sk BETWEEN '1' AND '2'"), ElementsAre("o/1", "o/2"));
  EXPECT_THAT(Where("pk = 'o' AND begins_with(sk, '3')"), ElementsAre("o/3"));
  EXPECT_THAT(Where("pk IN ['o', 'p'] AND sk = '1'"), ElementsAre("o/1", "p/1"));
  EXPECT_THAT(Where("pk = 'o' AND sk IN ('1', '3')"), ElementsAre("o/1", "o/3"));
  EXPECT_THAT(Where("pk = 'o' AND (sk = '1' OR sk > '2')"), ElementsAre("o/1", "o/3"));
  EXPECT_THAT(Where("(pk = 'o' AND sk = '1') OR (pk = 'p' AND n > 1)"), ElementsAre("o/1", "p/2", "p/3"));
  EXPECT_THAT(Where("pk = 'o' AND sk > '1' AND sk < '3'"), ElementsAre("o/2"));
  EXPECT_THAT(Where("pk = 'o' AND sk = '1' AND sk > '1'"), IsEmpty());
  EXPECT_THAT(Where("pk = 'o' AND sk <> '1'"), ElementsAre("o/2", "o/3"));
  EXPECT_THAT(Where("pk = 'o' AND NOT sk = '1' OR pk = 'o' AND sk = '2'"), ElementsAre("o/2", "o/3"));
  EXPECT_THAT(Where("pk = 'o' OR pk = 'o' AND NOT sk = '1'"), ElementsAre("o/1", "o/2", "o/3"));
  // Scans.
  EXPECT_THAT(Where("n = 2"), UnorderedElementsAre("o/2", "p/2"));
  EXPECT_THAT(Where("pk = 'o' OR sk = '1'"), UnorderedElementsAre("o/1", "o/2", "o/3", "p/1"));
  EXPECT_THAT(Where("pk > 'o' AND sk = '1'"), ElementsAre("p/1"));
  EXPECT_THAT(Where("pk = 'o' AND pk = 'p'"), IsEmpty());
  EXPECT_THAT(Where("pk > 1"), IsEmpty());
  EXPECT_EQ(Keys(Run("SELECT * FROM Tbl")).size(), 6u);
}

TEST_F(PartiqlSelect, RefusesWhatCannotBeTakenApart) {
  const std::string overlap = "Overlapping conditions with range keys are not supported in where clause";
  for (const char* where : {"pk IN ['o','o']", "pk='o' OR pk='o'", "pk='o' AND (sk > '0' OR sk < '5')",
                            "pk='o' AND (sk='1' OR n=2)", "(pk='o' AND n=1) OR (pk='o' AND n=2)",
                            "pk='o' AND x='1' OR pk='o' AND sk='2'", "pk='o' AND x<>'1' OR pk='o' AND sk='2'"})
    EXPECT_EQ(Fault("SELECT * FROM Tbl WHERE " + std::string(where)), overlap) << where;
  const std::string type = "Key attribute's data type should match its data type in table's schema: Key ";
  EXPECT_EQ(Fault("SELECT * FROM Tbl WHERE pk = 1 OR pk = 'o'"), type + "pk");
  EXPECT_EQ(Fault("SELECT * FROM Tbl WHERE pk = 'o' AND sk IN ['1', 2]"), type + "sk");

  const auto values = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i ? ",'v" : "'v") + std::to_string(i) + "'";
    return list;
  };
  const std::string many = "Too many decomposed read operations for a given query.";
  EXPECT_EQ(Fault("SELECT * FROM Tbl WHERE pk IN [" + values(51) + "]"), many);
  EXPECT_EQ(Fault("SELECT * FROM Tbl WHERE pk = 'o' AND sk IN [" + values(51) + "]"), many);
  EXPECT_EQ(Fault("SELECT * FROM Tbl WHERE pk IN [" + values(26) + "] AND sk IN ['1','2']"), many);
  Run("SELECT * FROM Tbl WHERE pk IN [" + values(50) + "] AND n IN [" + values(100) + "]");
  Run("SELECT * FROM Tbl WHERE pk IN [" + values(51) + "] OR n = 1");
  EXPECT_EQ(Fault("SELECT * FROM Tbl WHERE pk = 'o' AND n IN [" + values(101) + "]"),
            "The IN operator is provided with too many operands; number of operands: 101");
}

TEST_F(PartiqlSelect, OrderByKeys) {
  EXPECT_THAT(Where("pk = 'o' ORDER BY sk DESC"), ElementsAre("o/3", "o/2", "o/1"));
  EXPECT_THAT(Where("pk = 'o' ORDER BY sk"), ElementsAre("o/1", "o/2", "o/3"));
  EXPECT_THAT(Where("pk = 'o' ORDER BY pk ASC"), ElementsAre("o/3", "o/2", "o/1"));
  EXPECT_THAT(Where("pk IN ['o', 'p'] ORDER BY pk DESC, sk ASC"),
              ElementsAre("p/1", "p/2", "p/3", "o/1", "o/2", "o/3"));
  const std::string select = "SELECT pk, sk FROM Tbl WHERE pk IN ['o', 'p'] ORDER BY pk DESC";
  const std::string first = Run(select, R"("Limit":2)");
  EXPECT_THAT(Keys(first), ElementsAre("p/3", "p/2"));
  EXPECT_THAT(Keys(Run(select, R"("Limit":2,"NextToken":)" + Quote(Token(first)))), ElementsAre("p/1", "o/3"));

  EXPECT_EQ(Fault("SELECT sk FROM Tbl ORDER BY sk"),
            "Must have WHERE clause in the statement when using ORDER BY clause.");
  EXPECT_EQ(Fault("SELECT sk FROM Tbl WHERE pk = 'o' ORDER BY Total DESC"),
            "Attribute Total in ORDER BY clause must be part of the primary key");
  EXPECT_EQ(Fault("SELECT sk FROM Tbl WHERE pk > 'a' ORDER BY sk"),
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.");
  EXPECT_EQ(Fault("SELECT sk FROM Tbl WHERE pk IN ['o', 'p'] ORDER BY sk DESC"),
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.");
}

TEST_F(PartiqlSelect, PagesWithATokenOfItsOwn) {
  const std::string select = "SELECT pk, sk FROM Tbl WHERE pk = ?";
  const std::string parameters = R"("Parameters":[{"S":"o"}],"Limit":2)";
  const std::string first = Run(select, parameters);
  EXPECT_THAT(Keys(first), ElementsAre("o/1", "o/2"));
  EXPECT_THAT(first, HasSubstr(R"("LastEvaluatedKey":{"pk":{"S":"o"},"sk":{"S":"2"}})"));
  const std::string token = R"("NextToken":)" + Quote(Token(first));
  const std::string second = Run(select, parameters + "," + token);
  EXPECT_THAT(Keys(second), ElementsAre("o/3"));
  EXPECT_EQ(Token(second), "");
  // Limit and consistency may change, statement and parameters may not.
  EXPECT_THAT(Keys(Run(select, R"("Parameters":[{"S":"o"}],"ConsistentRead":true,)" + token)), ElementsAre("o/3"));
  EXPECT_EQ(Fault(select, R"("Parameters":[{"S":"p"}],"Limit":2,)" + token), "NextToken does not match request");
  EXPECT_EQ(Fault("SELECT sk FROM Tbl WHERE pk = ?", R"("Parameters":[{"S":"o"}],)" + token),
            "NextToken does not match request");
  EXPECT_EQ(Fault(select, parameters + R"(,"NextToken":"garbage")"), "Invalid NextToken");
  EXPECT_EQ(Fault(select, parameters + R"(,"NextToken":"AAAA")"), "Invalid NextToken");

  // A scan, page by page.
  std::vector<std::string> all;
  std::string next;
  do {
    const std::string page =
        Run("SELECT * FROM Tbl", R"("Limit":1)" + (next.empty() ? "" : R"(,"NextToken":)" + Quote(next)));
    for (auto& key : Keys(page)) all.push_back(key);
    next = Token(page);
  } while (!next.empty() && all.size() < 100);
  EXPECT_THAT(all, UnorderedElementsAre("o/1", "o/2", "o/3", "p/1", "p/2", "p/3"));
}

TEST_F(PartiqlSelect, ColumnsComeUnderTheirLastName) {
  Put("Hash", R"({"pk":{"S":"a"},"m":{"M":{"k":{"L":[{"S":"c"},{"S":"d"}]},"x.y":{"N":"1"}}},"l":{"L":[{"S":"e"}]}})");
  EXPECT_EQ(Run("SELECT m.k[1], m.\"x.y\", l[0], pk, none FROM Hash WHERE pk = 'a'"),
            R"({"Items":[{"k[1]":{"S":"d"},"l[0]":{"S":"e"},"pk":{"S":"a"},"x.y":{"N":"1"}}]})");
  EXPECT_EQ(Run("SELECT l[-0] FROM Hash WHERE pk = 'a'"), R"({"Items":[{"l[0]":{"S":"e"}}]})");
  EXPECT_EQ(Run("SELECT * FROM Hash WHERE pk = 'b'"), R"({"Items":[]})");
  EXPECT_EQ(Fault("SELECT COUNT(*) FROM Hash"), "Unexpected path component at 1:8:5");
  EXPECT_EQ(Fault("SELECT attribute_exists(ss) FROM Hash WHERE pk='a'"), "Unexpected path component at 1:8:16");
}

TEST_F(PartiqlSelect, ConditionsMeanWhatPartiqlMeans) {
  Put("Hash", R"({"pk":{"S":"a"},"s":{"S":"Kirkland"},"n":{"N":"1"},"nul":{"NULL":true},"yes":{"BOOL":true},
    "ss":{"SS":["x","y"]},"b":{"B":"AQID"},"m":{"M":{"x":{"S":"y"}}},"l":{"L":[{"S":"a"}]}})");
  const auto matches = [&](std::string_view condition) {
    return !Keys(Run("SELECT pk FROM Hash WHERE pk = 'a' AND (" + std::string(condition) + ")")).empty();
  };
  for (const char* holds : {"s = 'Kirkland'",
                            "NOT none = 'x'",
                            "s <> 'x'",
                            "s != 'x'",
                            "n BETWEEN 0 AND +5",
                            "n NOT BETWEEN 2 AND 5",
                            "n IN [- 1, 1]",
                            "n NOT IN (2, 3)",
                            "n = - - 1",
                            "nul IS NULL",
                            "none IS NOT NULL",
                            "s IS NOT NULL",
                            "none IS MISSING",
                            "s IS NOT MISSING",
                            "s IS STRING",
                            "n IS NUMERIC",
                            "m IS STRUCT",
                            "l IS LIST",
                            "b IS BLOB",
                            "contains(s, 'irk')",
                            "contains(ss, 'x')",
                            "begins_with(s, 'Kir')",
                            "size(s) = 8",
                            "size(ss) = 2",
                            "attribute_type(n, 'N')",
                            "attribute_exists(m.x)",
                            "ATTRIBUTE_NOT_EXISTS (none)",
                            "attribute_exists(l[0])",
                            "m.x = 'y'",
                            "ss = <<'y', 'x'>>",
                            "m = {'x': 'y'}",
                            "l = ['a']",
                            "nul = null",
                            "yes = true",
                            "attribute_exists(none) = false",
                            "true = attribute_exists(n)",
                            "attribute_exists(n) <> 1",
                            "contains(none, 'z') = false",
                            "(n BETWEEN 0 AND 5) = true",
                            "(n = 5 OR s = 'x') = false",
                            "attribute_exists(none) IN [true, false]",
                            "attribute_exists(n) = attribute_exists(s)",
                            "attribute_exists(n) = yes",
                            "NOT NOT n = 1"})
    EXPECT_TRUE(matches(holds)) << holds;
  for (const char* fails :
       {"none <> 'x'", "none = 'x'", "none IS NULL", "n IS STRING", "n < 's'", "attribute_exists(n) = 1",
        "NOT attribute_exists(n) = true", "(attribute_exists(n) = true) = false", "attribute_exists(n) = s",
        "none <> 'x' OR none < 1", "size(n) > 0", "none.x = 1", "s[0] = 'K'"})
    EXPECT_FALSE(matches(fails)) << fails;
}

TEST_F(PartiqlSelect, FaultsOfConditions) {
  const auto fault = [&](std::string_view condition) {
    return Fault("SELECT * FROM Hash WHERE pk = 'a' AND " + std::string(condition));
  };
  EXPECT_EQ(fault("attribute_exists('ss')"),
            "Operator or function requires a document path; operator or function: attribute_exists");
  EXPECT_EQ(fault("attribute_exists()"),
            "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of "
            "operands: 0");
  EXPECT_EQ(fault("EXISTS(ss)"), "Unrecognized function: exists at 1:39:6");
  EXPECT_EQ(fault("set_add(ss, <<'x'>>) = ss"), "Unrecognized function: set_add at 1:39:7");
  EXPECT_EQ(fault("attribute_type(a, 'X')"),
            "Invalid attribute type name found; type: X, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}");
  EXPECT_EQ(fault("attribute_type(a, 1)"),
            "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N");
  EXPECT_EQ(fault("a < true"),
            "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL");
  EXPECT_EQ(fault("attribute_exists(n) > false"),
            "Incorrect operand type for operator or function; operator or function: >, operand type: BOOL");
  EXPECT_EQ(fault("a = 1 + 1"), "Unsupported operator in Condition Expression. Operator: +");
  EXPECT_EQ(fault("a LIKE 'x'"), "Unsupported operator in Condition Expression. Operator: LIKE");
  // Faults of the statement come before the table is missed.
  EXPECT_EQ(Fault("SELECT * FROM None WHERE a < ?", R"("Parameters":[{"BOOL":true}])"),
            "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL");
  EXPECT_EQ(Fault("SELECT * FROM None"), "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(Fault("SELECT * FROM Hash WHERE pk = ?"), "Number of parameters in request and statement don't match.");
  EXPECT_EQ(Fault("SELECT * FROM Hash", R"("Parameters":[{"S":"x"}])"),
            "Number of parameters in request and statement don't match.");
  EXPECT_EQ(Fault("UPDATE Hash SET WHERE", R"("Parameters":[{"SS":["a","a"]}])"),
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates.");
}

TEST_F(PartiqlSelect, ReadsIndexes) {
  Put("Tbl", R"({"pk":{"S":"i"},"sk":{"S":"1"},"l":{"S":"b"},"g":{"S":"y"},"x":{"S":"X"},"u":{"S":"U"}})");
  Put("Tbl", R"({"pk":{"S":"i"},"sk":{"S":"2"},"l":{"S":"a"},"g":{"S":"z"},"u":{"S":"V"}})");
  EXPECT_EQ(
      Run("SELECT * FROM \"Tbl\".\"ByL\" WHERE pk = 'i' AND l > 'a'", R"("ReturnConsumedCapacity":"INDEXES")"),
      R"({"Items":[{"l":{"S":"b"},"pk":{"S":"i"},"sk":{"S":"1"}}],"ConsumedCapacity":{"TableName":"Tbl",)"
      R"("CapacityUnits":0.5,"Table":{"CapacityUnits":0.0},"LocalSecondaryIndexes":{"ByL":{"CapacityUnits":0.5}}}})");
  EXPECT_EQ(Run("SELECT x FROM Tbl.OnG WHERE g = 'y'"), R"({"Items":[{"x":{"S":"X"}}]})");
  EXPECT_EQ(Run("SELECT u FROM Tbl.ByL WHERE pk = 'i'", R"("ReturnConsumedCapacity":"INDEXES")"),
            R"({"Items":[{"u":{"S":"V"}},{"u":{"S":"U"}}],"ConsumedCapacity":{"TableName":"Tbl","CapacityUnits":1.5,)"
            R"("Table":{"CapacityUnits":1.0},"LocalSecondaryIndexes":{"ByL":{"CapacityUnits":0.5}}}})");
  EXPECT_THAT(Keys(Run("SELECT * FROM Tbl.OnG WHERE NOT u = 'U'")), UnorderedElementsAre("i/1", "i/2"));
  EXPECT_THAT(Keys(Run("SELECT * FROM Tbl.OnG WHERE u = 'U'")), IsEmpty());
  EXPECT_THAT(Keys(Run("SELECT pk FROM Tbl.OnG WHERE (g = 'y' AND u = 'U') OR g = 'z'")), ElementsAre("i"));

  const std::string refused =
      "One or more parameter values were invalid: Secondary index OnG does not project one or more filter attributes: ";
  const std::string select = "SELECT pk FROM Tbl.OnG WHERE ";
  EXPECT_EQ(Fault(select + "g = 'y' AND u = 'U'"), refused + "[u]");
  EXPECT_EQ(Fault(select + "g = 'y' AND b='1' AND (a='2' OR x='3')"), refused + "[a, b]");
  EXPECT_EQ(Fault(select + "g = 'y' AND (zz='1' OR aa='2' OR mm='3')"), refused + "[zz, aa, mm]");
  EXPECT_EQ(Fault(select + "g IN ['y', 'z'] AND u = 'U'"), refused + "[u]");
  EXPECT_EQ(Fault(select + "(g='b' AND u1='1') OR (g='q' AND u2='1')"), refused + "[u2]");
  EXPECT_EQ(Fault(select + "(g='q' AND u1='1') OR (g='b' AND u2='1')"), refused + "[u1]");
  Run(select + "g='y' AND (g='z' OR zz='1')");
  EXPECT_EQ(Fault("SELECT u FROM Tbl.OnG WHERE g = 'y'"),
            "One or more parameter values were invalid: Global secondary index OnG does not project [u]");
  EXPECT_EQ(Fault("SELECT * FROM Tbl.None"), "The table does not have the specified index");
  EXPECT_EQ(Fault("SELECT * FROM Tbl.OnG WHERE g = 'y'", R"("ConsistentRead":true)"),
            "Strongly consistent read is not supported on Global Secondary Indexes");
  EXPECT_EQ(Fault("SELECT COUNT(*) FROM Tbl.Multi"),
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE "
            "keys.");
}

TEST_F(PartiqlSelect, CostsWhatTheClassicReadCosts) {
  const std::string total = R"("ReturnConsumedCapacity":"TOTAL")";
  const auto units = [&](std::string_view where, std::string_view more = "") {
    const std::string body = Run("SELECT pk FROM Tbl " + std::string(where), total + std::string(more));
    const size_t at = body.find(R"("CapacityUnits":)");
    return body.substr(at + 16, body.find('}', at) - at - 16);
  };
  EXPECT_EQ(units("WHERE pk = 'o' AND sk = '1'"), "0.5");
  EXPECT_EQ(units("WHERE pk = 'o' AND sk = 'none'"), "0.5");
  EXPECT_EQ(units("WHERE pk = 'o'", R"(,"ConsistentRead":true)"), "1.0");
  EXPECT_EQ(units("WHERE pk IN ['o', 'p', 'q']"), "1.5");
  EXPECT_EQ(units(""), "2.0");
}

TEST_F(PartiqlSelect, ScansCanBeRefused) {
  services_.allows_partiql_scans = false;
  EXPECT_THAT(Fault("SELECT * FROM Tbl"), HasSubstr("AccessDeniedException"));
  EXPECT_THAT(Fault("SELECT * FROM Tbl WHERE pk = 'o' OR n = 1"), HasSubstr("AccessDeniedException"));
  EXPECT_THAT(Where("pk = 'o' AND sk = '1'"), ElementsAre("o/1"));
  EXPECT_THAT(Where("pk = 'o' AND n = 2"), ElementsAre("o/2"));
}

// Its checksum is no secret: whoever makes one up gets an error, whatever key it names.
TEST_F(PartiqlSelect, AForgedTokenIsRefused) {
  const std::string select = R"(SELECT * FROM "Tbl"."OnG" WHERE g = 'x')";
  const model::Value text = model::Value::String("x");
  const auto fault = [&](std::vector<model::MapEntry> key) {
    const std::string token = EncodeNextToken({0, key}, HashStatement(select, {}));
    return Call("ExecuteStatement", Request(select, R"("NextToken":)" + Quote(token))).ErrorText();
  };
  EXPECT_EQ(fault({{"g", text}, {"pk", text}, {"sk", text}}), "") << "one that we could have made";
  const std::string invalid = "ValidationException: Invalid NextToken";
  EXPECT_EQ(fault({{"g", text}, {"pk", text}, {"zz", text}}), invalid);
  EXPECT_EQ(fault({{"a", text}, {"g", text}, {"sk", text}}), invalid);
  EXPECT_EQ(fault({{"g", text}, {"pk", model::Value::Bool(true)}, {"sk", text}}), invalid);
  EXPECT_EQ(fault({{"g", text}}), invalid);
}

}  // namespace
}  // namespace armature::api
