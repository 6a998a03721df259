#include "cli/tls/tls.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace armature::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TlsCommandTest : public testing::Test {
 protected:
  TlsCommandTest() {
    std::string name = testing::TempDir() + "armature-tls-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    directory = name;
  }
  ~TlsCommandTest() override { std::filesystem::remove_all(directory); }

  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "armature tls");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = RunTls(static_cast<int>(argv.size()), argv.data());
    out = testing::internal::GetCapturedStdout();
    errors = testing::internal::GetCapturedStderr();
    return code;
  }
  std::string Read(const char* name) const {
    std::ifstream file(directory / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  unsigned ModeOf(const char* name) const {
    struct stat info {};
    EXPECT_EQ(stat((directory / name).c_str(), &info), 0);
    return info.st_mode & 0777;
  }

  std::filesystem::path directory;
  std::string out;
  std::string errors;
};

TEST_F(TlsCommandTest, ItWritesTwoFilesAndSaysHowToUseThem) {
  EXPECT_EQ(Run({"self-signed", "--out", directory / "new" / "place", "--host", "db.example", "--host", "10.0.0.7"}),
            0);
  EXPECT_THAT(Read("new/place/cert.pem"), HasSubstr("-----BEGIN CERTIFICATE-----"));
  EXPECT_THAT(Read("new/place/key.pem"), HasSubstr("-----BEGIN PRIVATE KEY-----"));
  EXPECT_EQ(ModeOf("new/place/key.pem"), 0600u);
  EXPECT_EQ(ModeOf("new/place/cert.pem"), 0644u);
  EXPECT_THAT(out, AllOf(HasSubstr("localhost, 127.0.0.1, ::1, db.example, 10.0.0.7"), HasSubstr("--tls-cert "),
                         HasSubstr("--ca-bundle "), HasSubstr("valid for 365 days")));
  EXPECT_EQ(errors, "");
}

TEST_F(TlsCommandTest, WhatIsThereStaysUnlessToldOtherwise) {
  ASSERT_EQ(Run({"self-signed", "--out", directory}), 0);
  const std::string certificate = Read("cert.pem"), key = Read("key.pem");
  EXPECT_EQ(Run({"self-signed", "--out", directory}), 1);
  EXPECT_EQ(errors,
            "armature tls: " + (directory / "cert.pem").string() + " is there already (--force to replace it)\n");
  std::filesystem::remove(directory / "cert.pem");
  EXPECT_EQ(Run({"self-signed", "--out", directory}), 1) << "nor is a key alone replaced";
  EXPECT_EQ(Read("key.pem"), key);
  EXPECT_FALSE(std::filesystem::exists(directory / "cert.pem"));
  EXPECT_EQ(Run({"self-signed", "--out", directory, "--force"}), 0);
  EXPECT_NE(Read("key.pem"), key);
  EXPECT_NE(Read("cert.pem"), certificate);
  EXPECT_EQ(ModeOf("key.pem"), 0600u);
  EXPECT_FALSE(std::filesystem::exists(directory / "key.pem.new"));
}

TEST_F(TlsCommandTest, WhatCannotBeDoneIsOneLine) {
  EXPECT_EQ(Run({"self-signed", "--out", "/proc/nowhere"}), 1);
  EXPECT_THAT(errors, HasSubstr("cannot make /proc/nowhere"));
  EXPECT_EQ(Run({"self-signed", "--out", directory, "--host", "not a name"}), 2);
  EXPECT_THAT(errors, HasSubstr("neither a DNS name nor an IP address"));
  EXPECT_EQ(Run({"self-signed", "--out", directory, "--days", "0"}), 2);
  EXPECT_EQ(Run({}), 2);
  EXPECT_EQ(Run({"self-signed", "--help"}), 0);
  EXPECT_THAT(out, HasSubstr("--days"));
}

}  // namespace
}  // namespace armature::cli
