#include "dax/translate/json_error.h"

#include <gtest/gtest.h>

#include "dax/translate/translate_testing.h"

namespace armature::dax {
namespace {

class JsonErrorTest : public testing::Test {
 protected:
  std::string Hex(const BackendError& error, std::vector<TableSchemaPtr> schemas = {}) {
    std::string out;
    AppendErrorReply(out, error, schemas, lists_, arena_);
    return ToHex(out);
  }
  static BackendError Canceled(std::string message, std::string request_id, std::string json) {
    BackendError error;
    error.name = "TransactionCanceledException";
    error.message = std::move(message);
    error.request_id = std::move(request_id);
    error.json = std::move(json);
    return error;
  }
  static std::string Compact(std::string_view hex) { return ToHex(Bytes(hex)); }

  AttributeLists all_lists_{nullptr};
  const AccountLists lists_{all_lists_, "111122223333"};
  Arena arena_;
};

TEST_F(JsonErrorTest, AnException) {
  BackendError error;
  error.name = "ConditionalCheckFailedException";
  error.message = "The conditional request failed";
  error.request_id = "REQ-1794270167";
  EXPECT_EQ(Hex(error),
            Compact("85 04 1825 1826 1827 182b 781e 54686520636f6e646974696f6e616c2072657175657374206661696c6564 "
                    "83 6e 5245512d31373934323730313637 "
                    "781f 436f6e646974696f6e616c436865636b4661696c6564457863657074696f6e 190190"));
}

TEST_F(JsonErrorTest, ACancelledTransactionTellsWhyWithTheItemThatWasThere) {
  const BackendError error =
      Canceled("Transaction cancelled", "R",
               R"({"CancellationReasons":[{"Code":"ConditionalCheckFailed","Message":"The conditional request failed",)"
               R"("Item":{"id":{"N":"9"},"v":{"S":"q"}}},{"Code":"None"}]})");
  EXPECT_EQ(Hex(error, {Ids(), Ids()}),
            Compact("85 04 1825 1826 1827 183a 75 5472616e73616374696f6e2063616e63656c6c6564 84 61 52 "
                    "781c 5472616e73616374696f6e43616e63656c6564457863657074696f6e 190190 "
                    "86 76 436f6e646974696f6e616c436865636b4661696c6564 "
                    "781e 54686520636f6e646974696f6e616c2072657175657374206661696c6564 43 026171 64 4e6f6e65 f6 f6"));
}

TEST_F(JsonErrorTest, ReasonsThatCannotBeReadDoNotHideTheError) {
  for (const char* json : {"", "no JSON", "{}", R"({"CancellationReasons":5})"})
    EXPECT_EQ(Hex(Canceled("m", "", json)),
              Compact("85 04 1825 1826 1827 183a 61 6d "
                      "83 f6 781c 5472616e73616374696f6e43616e63656c6564457863657074696f6e 190190"))
        << json;
  // An item that is none, a reason that is none, and more reasons than members.
  EXPECT_EQ(Hex(Canceled("m", "", R"({"CancellationReasons":[{"Code":"A","Item":{"id":5}},7,{"Code":"B","Item":{}}]})"),
                {Ids(), Ids()}),
            Compact("85 04 1825 1826 1827 183a 61 6d "
                    "84 f6 781c 5472616e73616374696f6e43616e63656c6564457863657074696f6e 190190 "
                    "89 61 41 f6 f6 64 4e6f6e65 f6 f6 61 42 f6 f6"));
}

TEST_F(JsonErrorTest, WhatNeverReachedDynamoDb) {
  std::string out;
  AppendErrorReply(out, model::ValidationException("no"));
  EXPECT_EQ(ToHex(out),
            Compact("85 04 1825 1826 1827 182e 62 6e6f 83 f6 73 56616c69646174696f6e457863657074696f6e 190190"));
}

}  // namespace
}  // namespace armature::dax
