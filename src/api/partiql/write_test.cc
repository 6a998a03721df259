#include <gmock/gmock.h>

#include "api/partiql/partiql_testing.h"

namespace armature::api {
namespace {

using testing::HasSubstr;

class PartiqlWrite : public PartiqlFixture {
 protected:
  std::string Item(const std::string& pk) { return Get("Hash", R"({"pk":{"S":")" + pk + R"("}})"); }
  std::string Update(const std::string& change, const std::string& more = "") {
    return Run("UPDATE Hash " + change + " WHERE pk = 'a'" + more);
  }
  std::string UpdateFault(const std::string& change) { return Fault("UPDATE Hash " + change + " WHERE pk = 'a'"); }
};

TEST_F(PartiqlWrite, InsertNeverOverwrites) {
  EXPECT_EQ(Run("INSERT INTO Hash VALUE {'pk': 'a', 'n': 2.50, 's': <<1, 10>>, 'm': {'l': [true, null, -0]}}"),
            R"({"Items":[]})");
  EXPECT_EQ(Item("a"),
            R"({"Item":{"m":{"M":{"l":{"L":[{"BOOL":true},{"NULL":true},{"N":"0"}]}}},"n":{"N":"2.5"},"pk":{"S":"a"},)"
            R"("s":{"NS":["1","10"]}}})");
  EXPECT_EQ(Fault("INSERT INTO Hash VALUE {'pk': 'a'}"),
            "DuplicateItemException: Duplicate primary key exists in table");
  Run("INSERT INTO Hash VALUE {'pk': ?, 'x': ?}", R"("Parameters":[{"S":"b"},{"BS":["AQ=="]}])");
  EXPECT_EQ(Item("b"), R"({"Item":{"pk":{"S":"b"},"x":{"BS":["AQ=="]}}})");
  EXPECT_EQ(Fault("INSERT INTO Hash VALUE {'x': 1}"),
            "One or more parameter values were invalid: Missing the key pk in the item");
  EXPECT_EQ(Fault("INSERT INTO Hash VALUE {'pk': 1}"),
            "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N");
  EXPECT_THAT(Fault("INSERT INTO Hash VALUE {'pk': ''}"), HasSubstr("cannot contain an empty string value. Key: pk"));
  EXPECT_THAT(Fault("INSERT INTO Hash.x VALUE {'pk': 'c'}"),
              HasSubstr("FROM clause may only contain a single table name"));
  EXPECT_EQ(Fault("INSERT INTO None VALUE {'pk': 'c'}"), "ResourceNotFoundException: Requested resource not found");
}

TEST_F(PartiqlWrite, UpdateChangesOnlyWhatIsThere) {
  EXPECT_EQ(UpdateFault("SET x = 1"), "ConditionalCheckFailedException: The conditional request failed");
  EXPECT_EQ(Item("a"), "{}");
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"5"},"l":{"L":[{"N":"1"},{"N":"2"}]},"ss":{"SS":["x"]},"m":{"M":{}}})");
  Update("SET n = n - - 2, c = n SET l = list_append([0], l) SET m.k = [1, 'a'] REMOVE none");
  EXPECT_EQ(
      Item("a"),
      R"({"Item":{"c":{"N":"5"},"l":{"L":[{"N":"0"},{"N":"1"},{"N":"2"}]},"m":{"M":{"k":{"L":[{"N":"1"},{"S":"a"}]}}},)"
      R"("n":{"N":"7"},"pk":{"S":"a"},"ss":{"SS":["x"]}}})");
  Update("SET ss = SET_ADD(ss, <<'y', 'z'>>) SET fresh = set_add(fresh, <<1>>) REMOVE l[1] REMOVE m");
  Update("SET ss = set_delete(ss, <<'x', 'y', 'z'>>) REMOVE c");
  EXPECT_EQ(Item("a"),
            R"({"Item":{"fresh":{"NS":["1"]},"l":{"L":[{"N":"0"},{"N":"2"}]},"n":{"N":"7"},"pk":{"S":"a"}}})");
  Run("FROM Hash WHERE pk = 'a' AND n = 7 SET n = 8 REMOVE fresh REMOVE l");
  EXPECT_EQ(Item("a"), R"({"Item":{"n":{"N":"8"},"pk":{"S":"a"}}})");
  EXPECT_EQ(Fault("UPDATE Hash SET n = 9 WHERE pk = 'a' AND n = 7"),
            "ConditionalCheckFailedException: The conditional request failed");
}

TEST_F(PartiqlWrite, UpdateFaults) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"5"},"ss":{"SS":["x"]},"s":{"S":"t"}})");
  EXPECT_EQ(UpdateFault("SET t = set_add(ss, <<'x'>>)"),
            "The first argument to SET_ADD must equal the assignment value at 1:21:7");
  EXPECT_EQ(UpdateFault("SET ss = set_add(ss, 'x')"),
            "The second argument to SET_ADD must be a value with type SET at 1:30:2");
  EXPECT_EQ(Fault("UPDATE Hash\nSET \"ss\" = set_delete(\"ss\", ['x'])\nWHERE pk='a'"),
            "The second argument to SET_DELETE must be a value with type SET at 2:23:4");
  EXPECT_EQ(UpdateFault("SET ss = set_add(ss)"), "SET_ADD must have exactly two arguments at 1:22:7");
  EXPECT_EQ(UpdateFault("SET ss = set_add(ss, <<1>>)"),
            "An operand in the update expression has an incorrect data type");
  EXPECT_EQ(UpdateFault("SET q = list_append(q, [1])"),
            "The provided expression refers to an attribute that does not exist in the item");
  EXPECT_EQ(UpdateFault("SET n = 'a' + 1"),
            "Incorrect operand type for operator or function; operator or function: +, operand type: S");
  EXPECT_EQ(UpdateFault("SET n = n - null"),
            "Incorrect operand type for operator or function; operator or function: -, operand type: NULL");
  EXPECT_EQ(UpdateFault("SET n = if_not_exists(n, 1)"), "Unrecognized function: if_not_exists at 1:21:13");
  EXPECT_EQ(UpdateFault("SET pk = 'b'"),
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key");
  EXPECT_THAT(UpdateFault("SET n = 1 REMOVE n"), HasSubstr("Two document paths overlap"));
  EXPECT_EQ(UpdateFault("SET none.x = 1"), "The document path provided in the update expression is invalid for update");
  for (const char* statement : {"UPDATE Hash SET n = 1", "FROM Hash SET n = 1", "FROM Hash WHERE n = 1 REMOVE s",
                                "UPDATE Hash SET n = 1 WHERE pk IN ['a']", "DELETE FROM Hash WHERE s = 't'",
                                "DELETE FROM Hash WHERE pk = 'a' OR s = 't'", "UPDATE Tbl SET n = 1 WHERE pk = 'a'"})
    EXPECT_EQ(Fault(statement), "Where clause does not contain a mandatory equality on all key attributes")
        << statement;
  const std::string twice = "Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported";
  EXPECT_EQ(Fault("UPDATE Hash SET n = 1 WHERE pk = 'a' AND pk = 'b'"), twice);
  EXPECT_EQ(Fault("DELETE FROM Hash WHERE pk = 'a' AND pk = 'b'"), twice);
  Run("UPDATE Hash SET n = 1 WHERE pk = 'a' AND (pk = 'a' AND s = 't')");
  EXPECT_EQ(Fault("UPDATE Hash SET n = 1 WHERE pk = 1"), "The provided key element does not match the schema");
}

TEST_F(PartiqlWrite, DeleteOfNothingSucceeds) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"5"}})");
  EXPECT_EQ(Run("DELETE FROM Hash WHERE pk = 'b'"), R"({"Items":[]})");
  EXPECT_EQ(Run("DELETE FROM Hash WHERE pk = 'b' AND n = 1"), R"({"Items":[]})");
  EXPECT_EQ(Fault("DELETE FROM Hash WHERE pk = 'a' AND n = 1"),
            "ConditionalCheckFailedException: The conditional request failed");
  EXPECT_EQ(Run("DELETE FROM Hash WHERE pk = 'a' AND n > 1 RETURNING ALL OLD *"),
            R"({"Items":[{"n":{"N":"5"},"pk":{"S":"a"}}]})");
  EXPECT_EQ(Run("DELETE FROM Hash WHERE pk = 'a' RETURNING ALL OLD *"), R"({"Items":[]})");
}

TEST_F(PartiqlWrite, ReturningShowsEitherSide) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"1"},"keep":{"S":"k"},"m":{"M":{"x":{"N":"1"},"y":{"N":"2"}}}})");
  EXPECT_EQ(Update("SET n = 2", " RETURNING MODIFIED OLD *"), R"({"Items":[{"n":{"N":"1"}}]})");
  EXPECT_EQ(Update("SET n = 3, m.x = 9", " RETURNING MODIFIED NEW *"),
            R"({"Items":[{"m":{"M":{"x":{"N":"9"}}},"n":{"N":"3"}}]})");
  EXPECT_EQ(Update("REMOVE m", " RETURNING ALL OLD *"),
            R"({"Items":[{"keep":{"S":"k"},"m":{"M":{"x":{"N":"9"},"y":{"N":"2"}}},"n":{"N":"3"},"pk":{"S":"a"}}]})");
  EXPECT_EQ(Update("SET n = 4", " RETURNING ALL NEW *"),
            R"({"Items":[{"keep":{"S":"k"},"n":{"N":"4"},"pk":{"S":"a"}}]})");
  EXPECT_EQ(Update("REMOVE n", " RETURNING MODIFIED NEW *"), R"({"Items":[]})");
}

TEST_F(PartiqlWrite, FailedConditionsShowTheItemOnRequest) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"1"}})");
  Reply reply = Call("ExecuteStatement", Request("UPDATE Hash SET n = 2 WHERE pk = 'a' AND n = 5",
                                                 R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD")"));
  EXPECT_EQ(reply.error.extra_json_members, R"("Item":{"n":{"N":"1"},"pk":{"S":"a"}})");
}

TEST_F(PartiqlWrite, CostsWhatTheClassicWriteCosts) {
  const std::string capacity = R"("ReturnConsumedCapacity":"INDEXES")";
  EXPECT_EQ(Run("INSERT INTO Tbl VALUE {'pk': 'a', 'sk': '1', 'g': 'y', 'x': 'X'}", capacity),
            R"({"Items":[],"ConsumedCapacity":{"TableName":"Tbl","CapacityUnits":2.0,"Table":{"CapacityUnits":1.0},)"
            R"("GlobalSecondaryIndexes":{"OnG":{"CapacityUnits":1.0}}}})");
  EXPECT_THAT(Run("UPDATE Tbl SET big = ? WHERE pk = 'a' AND sk = '1'",
                  R"("Parameters":[{"S":")" + std::string(3000, 'x') + R"("}],)" + capacity),
              HasSubstr(R"("CapacityUnits":3.0,"Table":{"CapacityUnits":3.0}})"));
}

// --- batches

TEST_F(PartiqlWrite, BatchOfReads) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"1"}})");
  EXPECT_EQ(
      Batch({"SELECT * FROM Hash WHERE pk = 'a'", "SELECT n FROM Hash WHERE pk IN ['b']",
             "SELECT * FROM None WHERE pk = 'x'", "SELECT * FROM Hash WHERE n = 1", "SLECT * FROM Hash",
             "SELECT * FROM Hash WHERE pk = 'c' AND n = 1", "SELECT * FROM Tbl.OnG WHERE g = 'y'"},
            R"(,"ReturnConsumedCapacity":"TOTAL")"),
      R"({"Responses":[{"TableName":"Hash","Item":{"n":{"N":"1"},"pk":{"S":"a"}}},{"TableName":"Hash"},)"
      R"({"Error":{"Code":"ResourceNotFound","Message":"Requested resource not found"}},)"
      R"({"Error":{"Code":"ValidationError","Message":"Select statements within BatchExecuteStatement must specify the primary key in the where clause."}},)"
      R"({"Error":{"Code":"ValidationError","Message":"Statement wasn't well formed, can't be processed: Expected data manipulation"}},)"
      R"({"Error":{"Code":"ValidationError","Message":"Select statements within BatchExecuteStatement must specify the primary key in the where clause."}},)"
      R"({"Error":{"Code":"ValidationError","Message":"Select statements within BatchExecuteStatement must specify the primary key in the where clause."}}],)"
      R"("ConsumedCapacity":[{"TableName":"Hash","CapacityUnits":0.5},{"TableName":"Hash","CapacityUnits":0.5}]})");
}

TEST_F(PartiqlWrite, BatchOfWrites) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"1"}})");
  Put("Hash", R"({"pk":{"S":"d"},"n":{"N":"1"}})");
  EXPECT_EQ(
      Batch({"INSERT INTO Hash VALUE {'pk': 'a'}", "INSERT INTO Hash VALUE {'pk': 'b'}",
             "UPDATE Hash SET n = 2 WHERE pk = 'c'", "DELETE FROM Hash WHERE pk = 'd' RETURNING ALL OLD *",
             "DELETE FROM Hash WHERE pk = 'e' RETURNING ALL NEW *"}),
      R"({"Responses":[{"Error":{"Code":"DuplicateItem","Message":"Duplicate primary key exists in table"},"TableName":"Hash"},)"
      R"({"TableName":"Hash"},)"
      R"({"Error":{"Code":"ConditionalCheckFailed","Message":"The conditional request failed"},"TableName":"Hash"},)"
      R"({"TableName":"Hash","Item":{"n":{"N":"1"},"pk":{"S":"d"}}},)"
      R"({"Error":{"Code":"ValidationError","Message":"Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements."}}]})");
  EXPECT_EQ(Item("b"), R"({"Item":{"pk":{"S":"b"}}})");
  EXPECT_EQ(Item("d"), "{}");
}

TEST_F(PartiqlWrite, BatchesAreOfOneKindAndTouchAnItemOnce) {
  const auto fault = [&](const std::vector<std::string>& statements) {
    return Plain(MustFail("BatchExecuteStatement", R"({"Statements":[)" + Members(statements) + "]}"));
  };
  EXPECT_EQ(fault({"SELECT * FROM Hash WHERE pk='a'", "DELETE FROM Hash WHERE pk='b'"}),
            "Read and write requests together in the same batch is not supported.");
  EXPECT_EQ(fault({"DELETE FROM Hash WHERE pk='a'", "UPDATE Hash SET x=1 WHERE pk='a'"}),
            "Provided list of item keys contains duplicates");
  EXPECT_THAT(fault({}), HasSubstr("Member must have length greater than or equal to 1"));
}

// --- transactions

TEST_F(PartiqlWrite, TransactionWritesAllOrNothing) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"1"}})");
  Reply reply = Transact({"INSERT INTO Hash VALUE {'pk': 'b'}", "UPDATE Hash SET n = n + 1 WHERE pk = 'a'"},
                         R"(,"ReturnConsumedCapacity":"TOTAL")");
  ASSERT_TRUE(reply.ok) << reply.ErrorText();
  EXPECT_EQ(
      reply.body,
      R"({"Responses":[],"ConsumedCapacity":[{"TableName":"Hash","WriteCapacityUnits":4.0,"CapacityUnits":4.0}]})");
  reply = Transact({"INSERT INTO Hash VALUE {'pk': 'b'}", "UPDATE Hash SET n = 9 WHERE pk = 'a'",
                    "UPDATE Hash SET n = 9 WHERE pk = 'none'"});
  EXPECT_EQ(reply.ErrorText(),
            "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific "
            "reasons [DuplicateItem, None, ConditionalCheckFailed]");
  EXPECT_THAT(reply.error.extra_json_members, HasSubstr("Duplicate primary key exists in table"));
  EXPECT_EQ(Item("a"), R"({"Item":{"n":{"N":"2"},"pk":{"S":"a"}}})");
}

TEST_F(PartiqlWrite, TransactionChecksWithExists) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"1"}})");
  ASSERT_TRUE(
      Transact({"EXISTS(SELECT * FROM Hash WHERE pk = 'a' AND x IS MISSING)", "INSERT INTO Hash VALUE {'pk': 'b'}"})
          .ok);
  EXPECT_THAT(TransactFault(
                  {"EXISTS(SELECT * FROM Hash WHERE pk = 'a' AND n IS MISSING)", "INSERT INTO Hash VALUE {'pk': 'c'}"}),
              HasSubstr("[ConditionalCheckFailed, None]"));
  EXPECT_THAT(TransactFault({"EXISTS(SELECT * FROM Hash WHERE pk = 'none' AND n IS MISSING)",
                             "INSERT INTO Hash VALUE {'pk': 'c'}"}),
              HasSubstr("[ConditionalCheckFailed, None]"));
  for (const char* statement : {"EXISTS(SELECT * FROM Hash WHERE pk = 'a')", "EXISTS(SELECT * FROM Hash)",
                                "EXISTS(SELECT * FROM Hash WHERE pk IN ['a'] AND n = 1)"})
    EXPECT_EQ(TransactFault({statement, "INSERT INTO Hash VALUE {'pk': 'c'}"}),
              "Validation failed in TransactStatements[0]: EXISTS() must contain a single item read with additional "
              "condition");
  EXPECT_EQ(Fault("EXISTS(SELECT * FROM Hash WHERE pk = 'a' AND n = 1)"),
            "EXISTS can only be used in ExecuteTransaction write requests.");
}

TEST_F(PartiqlWrite, TransactionReads) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"1"}})");
  Reply reply = Transact({"SELECT n FROM Hash WHERE pk = 'a' AND pk = 'a'", "SELECT * FROM Hash WHERE pk IN ['b']"},
                         R"(,"ReturnConsumedCapacity":"TOTAL")");
  ASSERT_TRUE(reply.ok) << reply.ErrorText();
  EXPECT_EQ(
      reply.body,
      R"({"Responses":[{"Item":{"n":{"N":"1"}}},{}],"ConsumedCapacity":[{"TableName":"Hash","ReadCapacityUnits":4.0,)"
      R"("CapacityUnits":4.0}]})");
  const std::string refused =
      "Validation failed in TransactStatements[0]: Select statements within ExecuteTransaction must specify the "
      "primary key in the where clause.";
  EXPECT_EQ(TransactFault({"SELECT * FROM Hash WHERE pk = 'a' AND n = 1"}), refused);
  EXPECT_EQ(TransactFault({"SELECT * FROM Hash WHERE pk = 'a' AND pk = 'b'"}), refused);
  EXPECT_EQ(TransactFault({"SELECT * FROM Tbl WHERE pk = 'a'"}), refused);
  EXPECT_EQ(TransactFault({"SELECT * FROM Tbl.OnG WHERE g = 'a'"}),
            "Validation failed in TransactStatements[0]: Reads on indices are not supported within transactions.");
  EXPECT_EQ(TransactFault({"SELECT * FROM Hash WHERE pk = 'a'", "SELECT n FROM Hash WHERE pk = 'a'"}),
            "Transaction request cannot include multiple operations on one item");
  EXPECT_THAT(TransactFault({"SELECT * FROM Hash WHERE pk = 'a'", "SELECT * FROM Hash WHERE pk = 'a'",
                             "SELECT * FROM Hash WHERE pk = 1"}),
              HasSubstr("[None, None, ValidationError]"));
  EXPECT_EQ(TransactFault({"SELECT * FROM Hash WHERE pk = 'a'", "DELETE FROM Hash WHERE pk = 'b'"}),
            "ExecuteTransaction API does not support both read and write operations in the same request.");
}

TEST_F(PartiqlWrite, TransactionFaultsNameTheirStatement) {
  EXPECT_EQ(
      TransactFault({"DELETE FROM Hash WHERE pk = 'a'", "UPDATE Hash SET n = 1 WHERE pk = 'b' RETURNING ALL NEW *"}),
      "Validation failed in TransactStatements[1]: RETURNING clause is not supported in ExecuteTransaction.");
  EXPECT_EQ(TransactFault({"SELECT * FROM Hash WHERE"}),
            "Validation failed in TransactStatements[0]: Statement wasn't well formed, can't be processed: Unexpected "
            "term");
  EXPECT_EQ(TransactFault({"UPDATE Hash.x SET n = 1 WHERE pk = 'a'"}),
            "Validation failed in TransactStatements[0]: This operation is not supported on an index");
  Reply reply =
      Transact({"UPDATE None SET n = 1 WHERE pk = 'a' RETURNING ALL NEW *", "DELETE FROM Hash WHERE pk = 'a'"});
  EXPECT_THAT(reply.ErrorText(), HasSubstr("[ResourceNotFound, None]"));
  EXPECT_THAT(reply.error.extra_json_members, HasSubstr("Requested resource not found"));
  reply = Transact({"UPDATE Tbl SET n = 1 WHERE pk = 'a'", "UPDATE Tbl SET n = 1 WHERE pk IN ['a'] AND sk = '1'",
                    "INSERT INTO Tbl VALUE {'pk': 'a'}", "UPDATE Tbl SET n = 1 WHERE pk = 'a' AND sk = '1'"});
  EXPECT_THAT(reply.ErrorText(), HasSubstr("[ValidationError, ValidationError, ValidationError, None]"));
  EXPECT_THAT(reply.error.extra_json_members, HasSubstr("The provided key element does not match the schema"));
  EXPECT_THAT(reply.error.extra_json_members, HasSubstr("Missing the key sk in the item"));
  EXPECT_THAT(TransactFault({"UPDATE Hash SET pk = 'x' WHERE pk = 'a'"}), HasSubstr("[ValidationError]"));
}

TEST_F(PartiqlWrite, TransactionTokensAreItsOwn) {
  Put("Hash", R"({"pk":{"S":"a"},"n":{"N":"0"}})");
  const std::vector<std::string> statements = {"UPDATE Hash SET n = n + 1 WHERE pk = 'a'"};
  const std::string token = R"(,"ClientRequestToken":"t1","ReturnConsumedCapacity":"INDEXES")";
  EXPECT_THAT(Transact(statements, token).body, HasSubstr(R"("WriteCapacityUnits":2.0)"));
  EXPECT_THAT(Transact(statements, token).body, HasSubstr(R"("ReadCapacityUnits":2.0)"));
  EXPECT_EQ(Item("a"), R"({"Item":{"n":{"N":"1"},"pk":{"S":"a"}}})");
  EXPECT_THAT(Transact({"UPDATE Hash SET n = n + 2 WHERE pk = 'a'"}, token).ErrorText(),
              HasSubstr("IdempotentParameterMismatchException"));
  // TransactWriteItems keeps its tokens apart.
  MustCall("TransactWriteItems", R"({"ClientRequestToken":"t1","TransactItems":[{"Delete":{"TableName":"Hash",
    "Key":{"pk":{"S":"a"}}}}]})");
  EXPECT_EQ(Item("a"), "{}");
}

TEST_F(PartiqlWrite, NestingHasPartiqlsText) {
  Put("Hash", R"({"pk":{"S":"a"},"m":{"M":{}}})");
  std::string deep = R"({"S":"x"})";
  for (int i = 0; i < 31; ++i) deep = R"({"M":{"a":)" + deep + "}}";
  EXPECT_EQ(Fault("UPDATE Hash SET m.deep = ? WHERE pk = 'a'", R"("Parameters":[)" + deep + "]"),
            "Nesting Levels have exceeded supported limits");
}

}  // namespace
}  // namespace armature::api
