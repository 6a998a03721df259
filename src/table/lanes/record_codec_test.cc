#include "table/lanes/record_codec.h"

#include <gtest/gtest.h>

#include "base/codec/hex.h"
#include "expr/expr_testing.h"

namespace armature::table {
namespace {

// The examples of docs/design/formats.md: the item that is the example there, without a write time, is put, and deleted
// by Time to Live where only keys are wanted.
TEST(ChangeRecordTest, BytesAsDocumented) {
  const std::string record = FromHex("0259e3a5050006020269641061016e010105").value();
  Arena arena;
  RawChange change{expr::MakeItem(arena, "id=S:a"), {}, record};
  std::string bytes;
  EncodeChange(change, model::kBothImages, 1'700'000'000'000, bytes);
  EXPECT_EQ(ToHex(bytes),
            "0120"
            "0000018bcfe56800"
            "120259e3a5050006020269641061016e010105");
  change = {change.key, record, {}, /*by_ttl=*/true};
  bytes.clear();
  EncodeChange(change, model::kNoImages, 1'700'000'000'000, bytes);
  EXPECT_EQ(ToHex(bytes),
            "010e"
            "0000018bcfe56800"
            "0d02e4af18d000030102696410"
            "61");
}

}  // namespace
}  // namespace armature::table
