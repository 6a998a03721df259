#include "oidc/issuer_keys.h"

#include <atomic>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "oidc/oidc_testing.h"

namespace armature::oidc {
namespace {

class IssuerKeysTest : public testing::Test {
 protected:
  // What a source gives now, and how often it was asked.
  Result<KeySet> Read(const IssuerSource&, const std::stop_token&) {
    ++reads_;
    if (!failure_.ok()) return failure_;
    return KeySet::Read(json_);
  }
  IssuerKeys Make() {
    return IssuerKeys({{"https://i.example/a", "unused", {}}}, clock_,
                      [this](const auto& source, const auto& stop) { return Read(source, stop); });
  }
  std::string Find(IssuerKeys& keys, const std::string& key_id, std::string issuer = "i.example/a") {
    const auto found = RunBlocking(keys.Find(std::move(issuer), key_id));
    if (!found) return std::string(StatusCodeName(found.error().code()));
    return (*found)->HasKey(key_id) ? "has it" : "lacks it";
  }

  ManualClock clock_;
  TestIssuer first_{"k1"}, second_{"k2", "ES256"};
  std::string json_ = first_.KeySetJson();
  Status failure_;
  std::atomic<int> reads_{0};
};

TEST_F(IssuerKeysTest, KeysAreReadOnceAndKeptForMinutes) {
  IssuerKeys keys = Make();
  EXPECT_EQ(Find(keys, "k1"), "has it");
  EXPECT_EQ(Find(keys, "k1", "https://i.example/a"), "has it");
  EXPECT_EQ(reads_, 1);
  clock_.AdvanceMillis(11 * 60 * 1000);
  EXPECT_EQ(Find(keys, "k1"), "has it");
  EXPECT_EQ(reads_, 2);
}

TEST_F(IssuerKeysTest, ASlashAtTheEndMakesNoOtherIssuer) {
  for (const char* const configured : {"https://i.example/a/", "i.example/a/", "i.example/a"}) {
    IssuerKeys keys({{configured, "unused", {}}}, clock_,
                    [this](const auto& source, const auto& stop) { return Read(source, stop); });
    for (const char* const asked : {"i.example/a", "i.example/a/", "https://i.example/a/"})
      EXPECT_EQ(Find(keys, "k1", asked), "has it") << configured << " " << asked;
    EXPECT_NE(Find(keys, "k1", "i.example"), "has it");
  }
}

TEST_F(IssuerKeysTest, AKeyThatIsNotThereIsLookedForButNotAllTheTime) {
  IssuerKeys keys = Make();
  EXPECT_EQ(Find(keys, "k2"), "lacks it");
  EXPECT_EQ(Find(keys, "k2"), "lacks it");
  EXPECT_EQ(reads_, 1);
  json_ = second_.KeySetJson();
  clock_.AdvanceMillis(31 * 1000);
  EXPECT_EQ(Find(keys, "k2"), "has it");
  EXPECT_EQ(reads_, 2);
}

TEST_F(IssuerKeysTest, AnIssuerThatCannotBeReachedIsAskedAgainLaterAndItsOldKeysStay) {
  IssuerKeys keys = Make();
  failure_ = Status::Unavailable("down");
  EXPECT_EQ(Find(keys, "k1"), StatusCodeName(StatusCode::kUnavailable));
  failure_ = {};
  EXPECT_EQ(Find(keys, "k1"), StatusCodeName(StatusCode::kUnavailable)) << "not asked again at once";
  clock_.AdvanceMillis(31 * 1000);
  EXPECT_EQ(Find(keys, "k1"), "has it");
  failure_ = Status::Unavailable("down");
  clock_.AdvanceMillis(60 * 60 * 1000);
  EXPECT_EQ(Find(keys, "k1"), "has it");
  EXPECT_EQ(reads_, 3);
}

TEST_F(IssuerKeysTest, WhoIsNotConfiguredHasNoKeys) {
  IssuerKeys keys = Make();
  EXPECT_EQ(Find(keys, "k1", "other.example"), StatusCodeName(StatusCode::kNotFound));
  EXPECT_EQ(reads_, 0);
}

TEST_F(IssuerKeysTest, AFileIsRead) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "issuer_keys_test.json";
  std::ofstream(path) << json_;
  IssuerKeys keys({{"i.example/a", path.string(), {}}, {"i.example/b", path.string() + ".none", {}}}, clock_);
  EXPECT_EQ(Find(keys, "k1"), "has it");
  EXPECT_EQ(Find(keys, "k1", "i.example/b"), StatusCodeName(StatusCode::kIoError));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace armature::oidc
