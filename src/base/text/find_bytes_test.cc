#include "base/text/find_bytes.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace armature {
namespace {

bool Contains(std::string_view text, std::string_view wanted) {
  size_t work = 0;
  return ContainsBytes(text, wanted, work);
}

std::string Repeated(std::string_view unit, size_t size) {
  std::string text;
  while (text.size() < size) text += unit;
  text.resize(size);
  return text;
}

TEST(FindBytesTest, AgreesWithFindOnEverythingShort) {
  // All texts of two letters up to 9 long, all patterns up to 5.
  for (size_t length = 0; length <= 9; ++length)
    for (unsigned bits = 0; bits < 1u << length; ++bits) {
      std::string text;
      for (size_t i = 0; i < length; ++i) text += bits >> i & 1 ? 'b' : 'a';
      for (size_t wanted_length = 0; wanted_length <= 5; ++wanted_length)
        for (unsigned wanted_bits = 0; wanted_bits < 1u << wanted_length; ++wanted_bits) {
          std::string wanted;
          for (size_t i = 0; i < wanted_length; ++i) wanted += wanted_bits >> i & 1 ? 'b' : 'a';
          ASSERT_EQ(Contains(text, wanted), text.find(wanted) != std::string::npos) << text << " / " << wanted;
        }
    }
}

TEST(FindBytesTest, AgreesWithFindOnLongTextsThatNearlyMatch) {
  std::mt19937 random(1);
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    // Few letters and much repetition, so that the two-way search is reached; then a few changes.
    std::string unit;
    for (size_t i = 0, size = 1 + random() % 7; i < size; ++i) unit += static_cast<char>(random() % 3 ? 'a' : random());
    std::string text = Repeated(unit, 3000 + random() % 3000);
    for (unsigned i = random() % 4; i > 0; --i) text[random() % text.size()] = static_cast<char>(random());
    std::string wanted =
        round % 2 ? text.substr(random() % 2000, 1 + random() % 1000) : Repeated(unit, 1 + random() % 1500);
    if (random() % 2) wanted[random() % wanted.size()] = static_cast<char>(random());
    const bool expected = text.find(wanted) != std::string::npos;
    found += expected;
    ASSERT_EQ(Contains(text, wanted), expected) << "round " << round;
  }
  EXPECT_GT(found, 500);
  EXPECT_LT(found, 2900);
}

// Counted in bytes looked at, not in time: so much for each byte given, however they are chosen.
TEST(FindBytesTest, TheWorstTextsCostTheirLength) {
  for (const size_t size : {size_t{10'000}, size_t{100'000}, size_t{400'000}}) {
    const std::string plain(size, 'a'), alternating = Repeated("ab", size);
    const std::string half(size / 2, 'a');
    std::string fibonacci = "a", before = "b";
    while (fibonacci.size() < size) {
      const std::string next = fibonacci + before;
      before = fibonacci;
      fibonacci = next;
    }
    fibonacci.resize(size);
    const std::pair<std::string, std::string> cases[] = {
        {plain, half + "b"},
        {plain, "b" + half},
        {plain, half.substr(size / 4) + "b" + half.substr(size / 4)},
        {Repeated(half.substr(0, 100) + "b", size), half.substr(0, 100) + "c"},
        {Repeated(std::string(1000, 'a') + "b", size), std::string(1001, 'a')},
        {alternating, Repeated("ab", size / 2) + "b"},
        {alternating, "b" + Repeated("ba", size / 2)},
        {fibonacci, fibonacci.substr(0, size / 2) + "c"},
        {fibonacci, "c" + fibonacci.substr(0, size / 2)},
        {Repeated("aab", size), Repeated("aab", size / 3) + "aaa"},
    };
    for (const auto& [text, wanted] : cases) {
      size_t work = 0;
      ContainsBytes(text, wanted, work);
      EXPECT_LE(work, 12 * (text.size() + wanted.size())) << size << ": " << wanted.substr(0, 20) << "…";
    }
  }
}

}  // namespace
}  // namespace armature
