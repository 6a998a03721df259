#include "base/memory/memory_reserve.h"

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace armature {
namespace {

// In a process of its own: handlers are for the whole program.
using MemoryReserveDeathTest = testing::Test;

void Expect(bool holds) {
  if (!holds) std::_Exit(77);
}

// What a failing operator new does.
void Exhaust() { std::get_new_handler()(); }

[[noreturn]] void UseTheReserve() {
  MemoryReserve::Install(1 << 20);
  Expect(!MemoryReserve::is_spent());
  Exhaust();
  Expect(MemoryReserve::is_spent());
  MemoryReserve::Refill();
  Expect(!MemoryReserve::is_spent());
  Exhaust();
  std::_Exit(0);
}

TEST(MemoryReserveDeathTest, IsGivenUpWhereNothingElseCanBe) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(UseTheReserve(), testing::ExitedWithCode(0), "the reserve is being used");
}

[[noreturn]] void FailWhereThatCanBeTold() {
  MemoryReserve::Install(1 << 20);
  const Fallible reactor;
  bool has_thrown = false;
  try {
    Exhaust();
  } catch (const std::bad_alloc&) { has_thrown = true; }
  Expect(has_thrown && !MemoryReserve::is_spent());
  {
    const Essential commit;
    Exhaust();
  }
  Expect(MemoryReserve::is_spent());
  std::_Exit(0);
}

TEST(MemoryReserveDeathTest, IsKeptWhereARequestCanBeGivenUp) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(FailWhereThatCanBeTold(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void UseMoreThanTheReserve() {
  MemoryReserve::Install(1 << 20);
  Exhaust();
  Exhaust();
  std::_Exit(0);
}

TEST(MemoryReserveDeathTest, OneLineWhenItIsGoneToo) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(UseMoreThanTheReserve(), testing::ExitedWithCode(1), "out of memory: the server stops here");
}

[[noreturn]] void ThrowOnAThread() {
  MemoryReserve::Install(1 << 20);
  std::thread([] { throw std::bad_alloc(); }).join();
  std::_Exit(0);
}

TEST(MemoryReserveDeathTest, OneLineForAnExceptionOnABackgroundThread) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(ThrowOnAThread(), testing::ExitedWithCode(1), "out of memory: the server stops here");
}

}  // namespace
}  // namespace armature
