#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/async.h"

namespace armature {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Status::InvalidArgument("odd");
  return value / 2;
}

Result<int> Quarter(int value) {
  ARMATURE_TRY(const int half, Half(value));
  ARMATURE_TRY(const int quarter, Half(half));
  return quarter;
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_EQ(*Half(4), 2);
  auto failed = Half(3);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(failed.error().message(), "odd");
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_FALSE(Quarter(6));
  EXPECT_FALSE(Quarter(7));
}

TEST(Result, CarriesMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Result, OfTheErrorTypeTakesErrorsWrapped) {
  Result<std::string, std::string> value = std::string("v");
  Result<std::string, std::string> error = Unexpected{std::string("e")};
  EXPECT_TRUE(value.has_value());
  EXPECT_FALSE(error.has_value());
  EXPECT_EQ(error.error(), "e");
}

Result<void> CheckEven(int value) {
  ARMATURE_CHECK_OK([&]() -> Result<void> {
    if (value % 2 != 0) return Status::InvalidArgument("odd");
    return {};
  }());
  return {};
}

TEST(Result, VoidSucceedsWithNothing) {
  EXPECT_TRUE(CheckEven(2).has_value());
  EXPECT_EQ(CheckEven(1).error().message(), "odd");
}

// As ApiError is: too large to be carried by every result.
struct LargeError {
  std::string name, message, more;
};

Result<int, LargeError> FailAtLength(bool fails) {
  if (fails) return LargeError{"name", "message", "more"};
  return 1;
}

TEST(Result, ASuccessIsNoLargerForALargeError) {
  EXPECT_LE(sizeof(Result<void, LargeError>), sizeof(void*));
  EXPECT_LE(sizeof(Result<int, LargeError>), 2 * sizeof(void*));
}

TEST(Result, ALargeErrorIsCopiedAndMovedWithItsResult) {
  EXPECT_EQ(*FailAtLength(false), 1);
  const auto failed = FailAtLength(true);
  auto copy = failed;
  EXPECT_EQ(copy.error().message, "message");
  copy.error().message = "other";
  EXPECT_EQ(failed.error().message, "message");
  const auto moved = std::move(copy);
  EXPECT_EQ(moved.error().message, "other");

  const Result<void, LargeError> none;
  Result<void, LargeError> assigned = LargeError{"name", "message", "more"};
  EXPECT_FALSE(assigned.has_value());
  assigned = none;
  EXPECT_TRUE(assigned.has_value());
}

Task<Result<int>> QuarterLater(int value) {
  ARMATURE_CO_TRY(const int half, Half(value));
  ARMATURE_CO_CHECK_OK(CheckEven(half));
  co_return half / 2;
}

TEST(Result, TryWorksInCoroutines) {
  EXPECT_EQ(*RunBlocking(QuarterLater(8)), 2);
  EXPECT_FALSE(RunBlocking(QuarterLater(7)));
  EXPECT_FALSE(RunBlocking(QuarterLater(6)));
}

TEST(Status, PrintsCodeAndContext) {
  EXPECT_EQ(Status::Ok().ToString(), "ok");
  EXPECT_EQ(Status::Fenced().ToString(), "fenced");
  EXPECT_EQ(Status::Corruption("block 7").ToString(), "corruption: block 7");
}

TEST(Status, CopiesShareTheMessage) {
  const Status status = Status::IoError("a message too long for the small string in a string");
  const Status copy = status;  // NOLINT(performance-unnecessary-copy-initialization): it is what is tested
  EXPECT_EQ(&copy.message(), &status.message());
  EXPECT_EQ(Status::Ok().message(), "");
}

}  // namespace
}  // namespace armature
