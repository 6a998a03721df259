// Errors, capacities and metrics, held against the protocol's examples.
#include <gtest/gtest.h>

#include "dax/codec/codec_testing.h"
#include "dax/codec/consumed_capacity.h"
#include "dax/codec/error_codes.h"

namespace armature::dax {
namespace {

std::string Error(std::span<const int> codes, const ErrorText& text, std::span<const CancellationReason> reasons = {}) {
  std::string out;
  AppendError(out, codes, text, reasons);
  return out;
}

std::vector<int> Codes(std::string_view name) {
  const auto codes = CodesOf(name);
  return {codes.begin(), codes.end()};
}

TEST(Errors, AsTheProtocolHasThem) {
  const ErrorText failed{"ConditionalCheckFailedException", "The conditional request failed", "REQ-1794710167", 400};
  EXPECT_EQ(
      Error(CodesOf(failed.name), failed),
      Bytes("85 04 1825 1826 1827 182b 781e 54686520636f6e646974696f6e616c2072657175657374206661696c6564 83 6e "
            "5245512d31373934373130313637 781f 436f6e646974696f6e616c436865636b4661696c6564457863657074696f6e 190190"));
  const ErrorText missing{"ResourceNotFoundException", "Cannot do operations on a non-existent table", "REQ-1794710167",
                          400};
  EXPECT_EQ(Error(kNoSuchTableCodes, missing),
            Bytes("83 04 17 1818 782c "
                  "43616e6e6f7420646f206f7065726174696f6e73206f6e2061206e6f6e2d6578697374656e74207461626c65 83 6e "
                  "5245512d31373934373130313637 7819 5265736f757263654e6f74466f756e64457863657074696f6e 190190"));
}

TEST(Errors, OfCancelledTransactions) {
  const ErrorText text{"TransactionCanceledException",
                       "Transaction cancelled, please refer cancellation reasons for specific reasons [..]",
                       "REQ-1794710167", 400};
  const std::string blob = Bytes("1903ed6171");
  const CancellationReason reasons[] = {{"ConditionalCheckFailed", "The conditional request failed", blob},
                                        {"None", std::nullopt, std::nullopt}};
  EXPECT_EQ(Error(CodesOf(text.name), text, reasons),
            Bytes("85 04 1825 1826 1827 183a 7852 "
                  "5472616e73616374696f6e2063616e63656c6c65642c20706c656173652072656665722063616e63656c6c6174696f6e2072"
                  "6561736f6e7320"
                  "666f7220737065636966696320726561736f6e73205b2e2e5d 84 6e 5245512d31373934373130313637 781c "
                  "5472616e73616374696f6e43616e63656c6564457863657074696f6e 190190 86 76 "
                  "436f6e646974696f6e616c436865636b4661696c6564 781e "
                  "54686520636f6e646974696f6e616c2072657175657374206661696c6564 "
                  "45 1903ed6171 64 4e6f6e65 f6 f6"));
}

TEST(Errors, HaveTheCodesThatClientsKnow) {
  EXPECT_EQ(Codes("ValidationException"), (std::vector<int>{4, 37, 38, 39, 46}));
  EXPECT_EQ(Codes("InternalServerError"), (std::vector<int>{4, 37, 38, 39, 47}));
  EXPECT_EQ(Codes("AccessDeniedException"), (std::vector<int>{4, 37, 38, 39, 0}));
  const std::string sent = Error(CodesOf("AccessDeniedException"), {"AccessDeniedException", "no", "", 400});
  EXPECT_EQ(sent.substr(0, 11), Bytes("85 04 1825 1826 1827 00 62 6e"));
  EXPECT_EQ(sent.substr(12, 2), Bytes("83 f6")) << "without an id of the request there is none";
}

TEST(Errors, OfABackendThatDidNotAnswerAreAmbiguous) {
  BackendError error{.name = "InternalServerError", .message = "m", .http_status = 500, .request_id = "", .json = ""};
  std::string out;
  AppendError(out, error);
  EXPECT_EQ(out.substr(0, 9), Bytes("85 04 1825 1826 1827 18"));
  out.clear();
  error.is_outcome_unknown = true;
  AppendError(out, error);
  EXPECT_EQ(out.substr(0, 8), Bytes("84 01 1825 1826 1835"));
}

TEST(Capacities, OfOneOperation) {
  std::string out;
  AppendCapacity(out, {.table = "Music", .units = {.total = 1}});
  EXPECT_EQ(out, Bytes("52 65 4d75736963 fb3ff0000000000000 f6 f6 f6"));
  out.clear();
  const IndexCapacity index{"i", {.total = 0.5}};
  AppendCapacity(out, {.table = "T",
                       .units = {.total = 1.5},
                       .table_units = CapacityUnits{.total = 1},
                       .global_indexes = std::span(&index, 1),
                       .local_indexes = {}});
  EXPECT_EQ(out, Bytes("5821 6154 fb3ff8000000000000 fb3ff0000000000000 a1 6169 fb3fe0000000000000 f6"));
}

TEST(Capacities, OfTransactions) {
  std::string out;
  AppendTransactionCapacity(out, {.table = "Ids", .units = {.total = 2, .read = 2, .write = {}}});
  EXPECT_EQ(out, Bytes("a3 01 fb4000000000000000 02 fb4000000000000000 04 63 496473"));
  out.clear();
  const IndexCapacity index{"i", {.total = 2, .read = {}, .write = 2}};
  AppendTransactionCapacity(out, {.table = "T",
                                  .units = {.total = 4, .read = {}, .write = 4},
                                  .table_units = CapacityUnits{.total = 2, .read = {}, .write = 2},
                                  .global_indexes = std::span(&index, 1),
                                  .local_indexes = std::span(&index, 1)});
  const std::string two = "a2 01 fb4000000000000000 03 fb4000000000000000";
  EXPECT_EQ(out, Bytes("a6 01 fb4010000000000000 03 fb4010000000000000 04 6154 05" + two + "06 a1 6169" + two +
                       "07 a1 6169" + two));
}

TEST(ItemCollectionMetrics, HaveFloatsForBounds) {
  std::string out;
  AppendItemCollectionMetrics(out, {model::Value::String("A"), 0, 1});
  EXPECT_EQ(out, Bytes("54 61 41 fb0000000000000000 fb3ff0000000000000"));
}

}  // namespace
}  // namespace armature::dax
