// Endpoint, region and credentials from the places the AWS CLI looks.
#include "cli/client/endpoint.h"

#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace armature::cli {
namespace {

class EndpointTest : public ::testing::Test {
 protected:
  EndpointTest() : home_(std::filesystem::path(::testing::TempDir()) / fmt::format("armature_endpoint_{}", getpid())) {
    std::filesystem::create_directories(home_ / ".aws");
    variables_["HOME"] = home_.string();
  }
  ~EndpointTest() override { std::filesystem::remove_all(home_); }

  void Write(const std::string& name, const std::string& text) { std::ofstream(home_ / ".aws" / name) << text; }
  Environment Variables() const {
    return [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string() : found->second;
    };
  }
  Result<void> Resolve(const EndpointChoice& choice) {
    ARMATURE_TRY(found_, ResolveEndpoint(choice, Variables()));
    return {};
  }

  std::filesystem::path home_;
  std::map<std::string, std::string> variables_;
  Endpoint found_;
};

TEST_F(EndpointTest, WithoutAnythingTheLocalServer) {
  ASSERT_TRUE(Resolve({}));
  EXPECT_EQ(found_.url, "http://127.0.0.1:8000");
  EXPECT_EQ(found_.region, "us-east-1");
  EXPECT_FALSE(found_.credentials.access_key_id.empty());
}

TEST_F(EndpointTest, TheEnvironmentOutranksTheFiles) {
  Write("credentials", "[default]\naws_access_key_id = file\naws_secret_access_key = file\n");
  Write("config", "[default]\nregion = eu-west-1\n");
  ASSERT_TRUE(Resolve({}));
  EXPECT_EQ(found_.credentials.access_key_id, "file");
  EXPECT_EQ(found_.region, "eu-west-1");
  variables_.insert({{"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_SESSION_TOKEN", "t"}});
  variables_["AWS_REGION"] = "eu-west-2";
  variables_["AWS_ENDPOINT_URL"] = "http://localhost:9000/";
  ASSERT_TRUE(Resolve({}));
  EXPECT_EQ(found_.credentials.access_key_id, "env");
  EXPECT_EQ(found_.credentials.session_token, "t");
  EXPECT_EQ(found_.region, "eu-west-2");
  EXPECT_EQ(found_.url, "http://localhost:9000");
}

TEST_F(EndpointTest, AProfileOutranksTheEnvironment) {
  Write("credentials", "# mine\n[work]\nAWS_ACCESS_KEY_ID=work\naws_secret_access_key = s # secret\n");
  Write("config", "[profile work]\nregion = ap-south-1\ns3 =\n  region = nested\n");
  variables_.insert({{"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "s"}});
  ASSERT_TRUE(Resolve({"aws", "", "work"}));
  EXPECT_EQ(found_.credentials.access_key_id, "work");
  EXPECT_EQ(found_.credentials.secret_access_key, "s");
  EXPECT_EQ(found_.url, "https://dynamodb.ap-south-1.amazonaws.com");
  const auto missing = Resolve({"", "", "none"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), StatusCode::kNotFound);
}

TEST_F(EndpointTest, AProfileFromACredentialProcess) {
  Write("config",
        "[profile tool]\ncredential_process = printf "
        "'{\"Version\": 1, \"AccessKeyId\": \"A\", \"SecretAccessKey\": \"S\", \"SessionToken\": \"T\", "
        "\"Expiration\": \"2026-01-02T03:04:05Z\"}'\n");
  ASSERT_TRUE(Resolve({"", "", "tool"}));
  EXPECT_EQ(found_.credentials.access_key_id, "A");
  EXPECT_EQ(found_.credentials.session_token, "T");
  EXPECT_EQ(found_.credentials.expires_at_millis, 1'767'323'045'000);
}

TEST_F(EndpointTest, AmazonNeedsCredentialsAndNamesItsRegion) {
  EXPECT_FALSE(Resolve({"aws", "", ""}));
  EXPECT_FALSE(Resolve({"https://dynamodb.eu-north-1.amazonaws.com", "", ""}));
  variables_.insert({{"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_REGION", "us-east-2"}});
  ASSERT_TRUE(Resolve({"https://dynamodb.eu-north-1.amazonaws.com/", "", ""}));
  EXPECT_EQ(found_.region, "eu-north-1");
  ASSERT_TRUE(Resolve({"https://123456789012.ddb.eu-west-3.amazonaws.com", "", ""}));
  EXPECT_EQ(found_.region, "eu-west-3");
}

TEST_F(EndpointTest, ABadEndpointIsRefused) {
  for (const char* url : {"localhost:8000", "ftp://x", "http://", "https:///x"})
    EXPECT_FALSE(Resolve({url, "", ""})) << url;
}

}  // namespace
}  // namespace armature::cli
