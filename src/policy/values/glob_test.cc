#include "policy/values/glob.h"

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armature::policy {
namespace {

using Kind = GlobPiece::Kind;

// `+` is a `*` and `!` a `?` that end at colons.
std::vector<GlobPiece> PiecesOf(std::string_view pattern) {
  std::vector<GlobPiece> pieces;
  size_t literal = 0;
  for (size_t i = 0; i <= pattern.size(); ++i) {
    const char c = i < pattern.size() ? pattern[i] : '*';
    if (std::string_view("*?+!").find(c) == std::string_view::npos) continue;
    if (i > literal) pieces.push_back({Kind::kLiteral, pattern.substr(literal, i - literal)});
    literal = i + 1;
    if (i == pattern.size()) break;
    pieces.push_back({c == '*'   ? Kind::kAny
                      : c == '?' ? Kind::kOne
                      : c == '+' ? Kind::kAnyInArnPart
                                 : Kind::kOneInArnPart,
                      {}});
  }
  return pieces;
}

bool Matches(std::string_view pattern, std::string_view text) { return MatchGlob(PiecesOf(pattern), text); }

// Straight from the definition.
bool SlowlyMatches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  const char c = pattern.front();
  const std::string_view rest = pattern.substr(1);
  if (c == '*' || c == '+') {
    if (SlowlyMatches(rest, text)) return true;
    return !text.empty() && (c == '*' || text.front() != ':') && SlowlyMatches(pattern, text.substr(1));
  }
  if (text.empty()) return false;
  if (c == '?') return SlowlyMatches(rest, text.substr(1));
  if (c == '!') return text.front() != ':' && SlowlyMatches(rest, text.substr(1));
  return c == text.front() && SlowlyMatches(rest, text.substr(1));
}

TEST(Glob, MatchesWholeTexts) {
  EXPECT_TRUE(Matches("", ""));
  EXPECT_FALSE(Matches("", "a"));
  EXPECT_TRUE(Matches("abc", "abc"));
  EXPECT_FALSE(Matches("abc", "abcd"));
  EXPECT_FALSE(Matches("abc", "ab"));
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_TRUE(Matches("*", "any:thing/at all"));
  EXPECT_TRUE(Matches("a*c", "abbbc"));
  EXPECT_TRUE(Matches("a*c", "ac"));
  EXPECT_FALSE(Matches("a*c", "abcd"));
  EXPECT_TRUE(Matches("a?c", "abc"));
  EXPECT_FALSE(Matches("a?c", "ac"));
}

// The beginning and the end of a text may not overlap, and the middle is found between them.
TEST(Glob, PiecesDoNotOverlap) {
  EXPECT_FALSE(Matches("ab*ba", "aba"));
  EXPECT_TRUE(Matches("ab*ba", "abba"));
  EXPECT_FALSE(Matches("a*b*a", "aba:a:b"));
  EXPECT_TRUE(Matches("*ab*ab*", "xabyabz"));
  EXPECT_FALSE(Matches("*ab*ab*", "xabyaz"));
  EXPECT_TRUE(Matches("*a?b*", "aaxbb"));
  EXPECT_TRUE(Matches("*?a", "aa"));
  EXPECT_FALSE(Matches("*?a", "a"));
}

TEST(Glob, AQuestionMarkIsOneCharacterHoweverManyBytesItHas) {
  EXPECT_TRUE(Matches("m?ller", "müller"));
  EXPECT_FALSE(Matches("m??ller", "müller"));
  EXPECT_TRUE(Matches("?", "€"));
  EXPECT_TRUE(Matches("*?", "€"));
  EXPECT_FALSE(Matches("?*?", "€"));
  EXPECT_TRUE(Matches("a*?", "a€"));
  EXPECT_FALSE(Matches("*??", "€"));
  EXPECT_TRUE(Matches("!x", "€x"));
}

TEST(Glob, WithinAPartNothingReachesOverAColon) {
  EXPECT_TRUE(Matches("arn:+:x", "arn:aws:x"));
  EXPECT_FALSE(Matches("arn:+:x", "arn:aws:y:x"));
  EXPECT_TRUE(Matches("arn:us-+-1:*", "arn:us-east-1:a:b"));
  EXPECT_FALSE(Matches("a!b", "a:b"));
  EXPECT_TRUE(Matches("a!b", "a.b"));
  EXPECT_TRUE(Matches("+b*", "abbb"));
}

TEST(Glob, RandomPatternsMatchAsTheirDefinitionSays) {
  std::mt19937 random(20261118);
  const auto text_of = [&](std::string_view letters, size_t most) {
    std::string text;
    for (size_t length = random() % (most + 1); text.size() < length;) text += letters[random() % letters.size()];
    return text;
  };
  for (int i = 0; i < 200000; ++i) {
    const std::string pattern = text_of(i % 2 == 0 ? "aab*?" : "ab:*?+!", 8);
    const std::string text = text_of("ab:", 9);
    ASSERT_EQ(Matches(pattern, text), SlowlyMatches(pattern, text)) << pattern << " on " << text;
  }
}

// A backtracking matcher would not return within the life of the machine.
TEST(Glob, PatternsMadeToTakeLongDoNot) {
  std::string pattern;
  for (int i = 0; i < 2000; ++i) pattern += "*a";
  const std::string text(65536, 'a');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(Matches(pattern + "b", text));
  EXPECT_FALSE(Matches(pattern + "*b*", text));
  EXPECT_TRUE(Matches(pattern + "*", text));
  EXPECT_FALSE(Matches("*" + std::string(30000, 'a') + "b*", text));
  std::string with_question_marks = "*";
  for (int i = 0; i < 500; ++i) with_question_marks += "a?";
  EXPECT_FALSE(Matches(with_question_marks + "b*", text));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace armature::policy
