// That the arena sees a server end by itself: a kill planned for later would hide it.
#include "arena/server_process.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "storage/storage_testing.h"

namespace armature::arena {
namespace {

class ServerProcessTest : public testing::Test {
 protected:
  // A program that says it is ready and then does this.
  std::string Program(const std::string& then) {
    std::string path = directory_.path() + "/program";
    std::ofstream(path) << "#!/bin/sh\necho armature ready on http://127.0.0.1:1\n" << then << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  storage::TemporaryDirectory directory_;
};

TEST_F(ServerProcessTest, OneThatIsKilledHasNotEndedByItself) {
  ServerProcess server({Program("exec sleep 1000"), directory_.path() + "/data", {}, {}});
  ASSERT_TRUE(server.Start().ok());
  EXPECT_FALSE(server.HasEnded());
  EXPECT_TRUE(server.Kill());
}

TEST_F(ServerProcessTest, ACrashIsNotTakenForAKill) {
  for (const char* end : {"kill -SEGV $$", "exit 0"}) {
    ServerProcess server({Program(end), directory_.path() + "/data", {}, {}});
    ASSERT_TRUE(server.Start().ok());
    while (!server.HasEnded()) std::this_thread::yield();
    EXPECT_FALSE(server.Kill()) << end;
  }
}

// Without the library every jump would be a fault that never came.
TEST_F(ServerProcessTest, AClockThatCannotBeSetIsNoStart) {
  ServerProcess server({Program("exec sleep 1000"), directory_.path() + "/data", {}, directory_.path() + "/none.so"});
  EXPECT_FALSE(server.Start().ok());
}

}  // namespace
}  // namespace armature::arena
