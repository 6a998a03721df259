#include "expr/apply/projection.h"

#include <string>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

constexpr std::string_view kItem =
    "pk=S:k,m=M{nested=S:deep,rest=N:42,l=L[N:0,N:1]},l=L[S:zero,S:one,S:two,M{a=N:1,b=N:2,c=N:3}],n=N:1";

std::string Project(std::string_view projection, TestRequest::Pairs names = {}, std::string_view item = kItem) {
  return TestRequest(names, {}).Project(projection, item);
}

TEST(ProjectionTest, KeepsTheStructure) {
  EXPECT_EQ(Project("n"), "n=N:1");
  EXPECT_EQ(Project("pk, n"), "n=N:1,pk=S:k");
  EXPECT_EQ(Project("#m.#n", {{"#m", "m"}, {"#n", "nested"}}), "m=M{nested=S:deep}");
  EXPECT_EQ(Project("l[0]"), "l=L[S:zero]");
  EXPECT_EQ(Project("m.nested, l[1]"), "l=L[S:one],m=M{nested=S:deep}");
  EXPECT_EQ(Project("m.l[1]"), "m=M{l=L[N:1]}");
  EXPECT_EQ(Project("l[3].b"), "l=L[M{b=N:2}]");
}

TEST(ProjectionTest, CompactsListsInIndexOrderAndMerges) {
  EXPECT_EQ(Project("l[2], l[0]"), "l=L[S:zero,S:two]");
  EXPECT_EQ(Project("l[3].c, l[3].a"), "l=L[M{a=N:1,c=N:3}]");
  EXPECT_EQ(Project("l[3].c, l[99], l[1]"), "l=L[S:one,M{c=N:3}]");
  EXPECT_EQ(Project("m.l[1], m.rest, m.l[0]"), "m=M{l=L[N:0,N:1],rest=N:42}");
}

TEST(ProjectionTest, PathsThatLeadNowhereLeaveNoTrace) {
  EXPECT_EQ(Project("gone"), "");
  EXPECT_EQ(Project("gone, n"), "n=N:1");
  EXPECT_EQ(Project("m.gone"), "");
  EXPECT_EQ(Project("m[0]"), "");
  EXPECT_EQ(Project("l.a"), "");
  EXPECT_EQ(Project("l[9]"), "");
  EXPECT_EQ(Project("n.a.b"), "");
  EXPECT_EQ(Project("l[0].a"), "");
  EXPECT_EQ(Project("n", {}, ""), "");
}

TEST(ProjectionTest, EmptyContainersAreValues) {
  EXPECT_EQ(Project("a, b.c", {}, "a=L[],b=M{c=M{}}"), "a=L[],b=M{c=M{}}");
}

TEST(ProjectionTest, ManyPathsOfLongNamesThatOverlapAreFoundByTheirPlaceInTheText) {
  // Names that differ in their last byte only: comparing each pair by its bytes would take minutes.
  const std::string name(60'000, 'n');
  const std::string a = name + "a", b = name + "b", c = name + "c";
  std::string text;
  for (int i = 0; i < 150; ++i) text += "#a.#b[" + std::to_string(i) + "],";
  text += "#c.#a,#c.#b,#c";
  const std::string error = TestRequest({{"#a", a}, {"#b", b}, {"#c", c}}, {}).Project(text, "pk=S:x");
  EXPECT_NE(error.find("Two document paths overlap"), std::string::npos) << error.substr(0, 200);
  EXPECT_NE(error.find("[" + c + ", " + a + "]"), std::string::npos) << "the first pair of the text";
}

}  // namespace
}  // namespace armature::expr
