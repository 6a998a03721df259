#include "expr/apply/update.h"

#include <string>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

std::string Update(std::string_view text, std::string_view item, TestRequest::Pairs values = {},
                   TestRequest::Pairs names = {}) {
  return TestRequest(names, values).Update(text, item);
}
std::string Updated(std::string_view text, std::string_view item, TestRequest::Pairs values = {}) {
  return TestRequest({}, values).Updated(text, item);
}

constexpr char kMissing[] = "The provided expression refers to an attribute that does not exist in the item";
constexpr char kWrongType[] = "An operand in the update expression has an incorrect data type";
constexpr char kBadPath[] = "The document path provided in the update expression is invalid for update";
constexpr char kOverflow[] = "Number overflow. Attempting to store a number with magnitude larger than supported range";

TEST(UpdateTest, SetWritesAttributes) {
  EXPECT_EQ(Update("SET d = :v", "d=S:old,e=S:keep", {{":v", "S:new"}}), "d=S:new,e=S:keep");
  EXPECT_EQ(Update("SET z = :v, a = :w", "m=N:1", {{":v", "N:9"}, {":w", "N:8"}}), "a=N:8,m=N:1,z=N:9");
  EXPECT_EQ(Update("SET #d.#e = :v", "a=M{b=S:old,c=N:1}", {{":v", "S:new"}}, {{"#d", "a"}, {"#e", "b"}}),
            "a=M{b=S:new,c=N:1}");
  EXPECT_EQ(Update("SET a.b.c = :v", "a=M{b=M{c=S:old}}", {{":v", "S:new"}}), "a=M{b=M{c=S:new}}");
  EXPECT_EQ(Update("SET a.n = :v", "a=M{}", {{":v", "NULL"}}), "a=M{n=NULL}");
  EXPECT_EQ(Update("SET a.x = :v, a.y[0] = :v, b = :v", "a=M{y=L[N:0]}", {{":v", "N:1"}}), "a=M{x=N:1,y=L[N:1]},b=N:1");
}

TEST(UpdateTest, SetComputes) {
  EXPECT_EQ(Update("SET c = c + :i", "c=N:10", {{":i", "N:5"}}), "c=N:15");
  EXPECT_EQ(Update("SET c = c - :i", "c=N:10", {{":i", "N:2.5"}}), "c=N:7.5");
  EXPECT_EQ(Update("SET c = :i - c", "c=N:10", {{":i", "N:5"}}), "c=N:-5");
  EXPECT_EQ(Update("SET m.c = m.c + :i", "m=M{c=N:10}", {{":i", "N:5"}}), "m=M{c=N:15}");
  EXPECT_EQ(Update("SET c = if_not_exists(c, :z) + :i", "a=N:1", {{":z", "N:0"}, {":i", "N:1"}}), "a=N:1,c=N:1");
  EXPECT_EQ(Update("SET a = if_not_exists(a, :d), b = if_not_exists(b, :d)", "a=S:keep", {{":d", "S:default"}}),
            "a=S:keep,b=S:default");
  EXPECT_EQ(Update("SET b = if_not_exists(b, a)", "a=S:x"), "a=S:x,b=S:x");
  EXPECT_EQ(Update("SET b = if_not_exists(b, if_not_exists(c, a))", "a=S:x"), "a=S:x,b=S:x");
  // The fallback is not looked at when it is not needed.
  EXPECT_EQ(Update("SET a = if_not_exists(a, gone)", "a=S:x"), "a=S:x");
  EXPECT_EQ(Update("SET l = list_append(l, :v)", "l=L[S:a]", {{":v", "L[S:b,S:c]"}}), "l=L[S:a,S:b,S:c]");
  EXPECT_EQ(Update("SET l = list_append(:v, l)", "l=L[S:a]", {{":v", "L[S:b]"}}), "l=L[S:b,S:a]");
  EXPECT_EQ(Update("SET l = list_append(if_not_exists(l, :e), :v)", "a=N:1", {{":e", "L[]"}, {":v", "L[S:b]"}}),
            "a=N:1,l=L[S:b]");
}

TEST(UpdateTest, RightHandSidesReadTheOldItem) {
  EXPECT_EQ(Update("SET a = :v, b = a", "a=N:1", {{":v", "N:2"}}), "a=N:2,b=N:1");
  EXPECT_EQ(Update("SET a = b, b = a", "a=N:1,b=N:2"), "a=N:2,b=N:1");
  EXPECT_EQ(Update("REMOVE a SET b = a", "a=N:1"), "b=N:1");
  EXPECT_EQ(Update("SET b = l[1] REMOVE l[0]", "l=L[N:1,N:2]"), "b=N:2,l=L[N:2]");
}

TEST(UpdateTest, SetReportsWhatIsMissingOrOfTheWrongType) {
  EXPECT_EQ(Update("SET b = a", "c=N:1"), kMissing);
  EXPECT_EQ(Update("SET b = b + :v", "c=N:1", {{":v", "N:1"}}), kMissing);
  EXPECT_EQ(Update("SET l = list_append(l, :v)", "c=N:1", {{":v", "L[]"}}), kMissing);
  EXPECT_EQ(Update("SET b = c.d", "c=N:1"), kMissing);
  EXPECT_EQ(Update("SET c = c + :v", "c=S:1", {{":v", "N:1"}}), kWrongType);
  EXPECT_EQ(Update("SET l = list_append(l, :v)", "l=S:1", {{":v", "L[]"}}), kWrongType);
  EXPECT_EQ(Update("SET l = list_append(l, m)", "l=L[],m=M{}"), kWrongType);
  EXPECT_EQ(Update("SET c = c + :v", "c=N:9e125", {{":v", "N:9e125"}}), kOverflow);
  EXPECT_EQ(Update("SET c = c + :v", "c=N:1e50", {{":v", "N:1"}}), kOverflow);
  EXPECT_EQ(Update("ADD c :v", "c=N:-9e125", {{":v", "N:-9e125"}}), kOverflow);
}

TEST(UpdateTest, NestedPathsNeedTheirParents) {
  const TestRequest::Pairs v = {{":v", "N:1"}};
  EXPECT_EQ(Update("SET x.b.c = :v", "a=S:v", v), kBadPath);
  EXPECT_EQ(Update("SET a.b = :v", "a=S:v", v), kBadPath);
  EXPECT_EQ(Update("SET a[0] = :v", "a=M{}", v), kBadPath);
  EXPECT_EQ(Update("SET a.b = :v", "a=L[]", v), kBadPath);
  EXPECT_EQ(Update("SET a[5].b = :v", "a=L[M{}]", v), kBadPath);
  EXPECT_EQ(Update("SET a.b = :v", "(none)", v), kBadPath);
  EXPECT_EQ(Update("ADD a.b :v", "c=N:1", v), kBadPath);
  EXPECT_EQ(Update("REMOVE a.b", "c=N:1"), kBadPath);
  EXPECT_EQ(Update("REMOVE a[0]", "a=M{}"), kBadPath);
  EXPECT_EQ(Update("REMOVE a.b.c", "a=M{}"), kBadPath);
}

TEST(UpdateTest, ListsGrowAtTheEnd) {
  const TestRequest::Pairs v = {{":v", "S:x"}};
  EXPECT_EQ(Update("SET l[0] = :v", "l=L[]", v), "l=L[S:x]");
  EXPECT_EQ(Update("SET l[1] = :v", "l=L[N:0,N:1,N:2]", v), "l=L[N:0,S:x,N:2]");
  EXPECT_EQ(Update("SET l[5] = :v", "l=L[N:0,N:1,N:2]", v), "l=L[N:0,N:1,N:2,S:x]");
  EXPECT_EQ(
      Update("SET l[9] = :b, l[7] = :a, l[2147483647] = :c", "l=L[N:0]", {{":a", "S:a"}, {":b", "S:b"}, {":c", "S:c"}}),
      "l=L[N:0,S:a,S:b,S:c]");
  EXPECT_EQ(Update("SET l[1].k = :v", "l=L[N:0,M{k=N:1,o=N:2}]", v), "l=L[N:0,M{k=S:x,o=N:2}]");
}

TEST(UpdateTest, RemoveTakesAttributesAndElements) {
  EXPECT_EQ(Update("REMOVE d", "d=S:no,k=S:yes"), "k=S:yes");
  EXPECT_EQ(Update("REMOVE ghost", "k=S:yes"), "k=S:yes");
  EXPECT_EQ(Update("REMOVE m.n", "m=M{r=S:v}"), "m=M{r=S:v}");
  EXPECT_EQ(Update("REMOVE m.n", "m=M{n=N:1}"), "m=M{}");
  EXPECT_EQ(Update("REMOVE l[1]", "l=L[S:a,S:b,S:c,S:d]"), "l=L[S:a,S:c,S:d]");
  EXPECT_EQ(Update("REMOVE l[1]", "l=L[S:x,S:y]"), "l=L[S:x]");
  EXPECT_EQ(Update("REMOVE l[9]", "l=L[S:x]"), "l=L[S:x]");
  EXPECT_EQ(Update("REMOVE l[0]", "l=L[S:x]"), "l=L[]");
  // Indexes are those of the original list, whatever else happens to it.
  EXPECT_EQ(Update("REMOVE l[2], l[0], l[1]", "l=L[N:0,N:1,N:2,N:3]"), "l=L[N:3]");
  EXPECT_EQ(Update("REMOVE l[0] SET l[1] = :v, l[9] = :v", "l=L[N:0,N:1,N:2]", {{":v", "S:x"}}), "l=L[S:x,N:2,S:x]");
}

TEST(UpdateTest, AddCountsAndUnites) {
  EXPECT_EQ(Update("ADD c :v", "c=N:10", {{":v", "N:3"}}), "c=N:13");
  EXPECT_EQ(Update("ADD c :v", "c=N:10", {{":v", "N:-3.5"}}), "c=N:6.5");
  EXPECT_EQ(Update("ADD c :v", "a=N:1", {{":v", "N:10"}}), "a=N:1,c=N:10");
  EXPECT_EQ(Update("ADD t :v", "t=SS[a,b]", {{":v", "SS[d,b,c]"}}), "t=SS[a,b,c,d]");
  EXPECT_EQ(Update("ADD t :v", "t=NS[1,2]", {{":v", "NS[2.0,3]"}}), "t=NS[1,2,3]");
  EXPECT_EQ(Update("ADD t :v", "t=BS[b]", {{":v", "BS[a]"}}), "t=BS[a,b]");
  EXPECT_EQ(Update("ADD t :v", "a=N:1", {{":v", "SS[z,a]"}}), "a=N:1,t=SS[a,z]");
  EXPECT_EQ(Update("ADD m.c :v", "m=M{c=N:1}", {{":v", "N:1"}}), "m=M{c=N:2}");
  EXPECT_EQ(Update("ADD c :v", "c=S:10", {{":v", "N:3"}}), kWrongType);
  EXPECT_EQ(Update("ADD c :v", "c=SS[a]", {{":v", "NS[3]"}}), kWrongType);
}

TEST(UpdateTest, DeleteTakesMembersOfSets) {
  EXPECT_EQ(Update("DELETE t :v", "t=SS[a,b,c]", {{":v", "SS[b,x]"}}), "t=SS[a,c]");
  EXPECT_EQ(Update("DELETE t :v", "t=NS[1,2]", {{":v", "NS[2.0]"}}), "t=NS[1]");
  EXPECT_EQ(Update("DELETE t :v", "a=N:1,t=SS[a,b]", {{":v", "SS[b,a]"}}), "a=N:1");
  EXPECT_EQ(Update("DELETE m.t :v", "m=M{t=BS[a]}", {{":v", "BS[a]"}}), "m=M{}");
  EXPECT_EQ(Update("DELETE t :v", "a=N:1", {{":v", "SS[a]"}}), "a=N:1");
  EXPECT_EQ(Update("DELETE t :v", "t=NS[1]", {{":v", "SS[a]"}}), kWrongType);
  EXPECT_EQ(Update("DELETE t :v", "t=S:a", {{":v", "SS[a]"}}), kWrongType);
}

TEST(UpdateTest, MissingItems) {
  EXPECT_EQ(Update("SET a = :v", "(none)", {{":v", "N:1"}}), "a=N:1,pk=S:k");
  EXPECT_EQ(Update("ADD z :v", "(none)", {{":v", "N:1"}}), "pk=S:k,z=N:1");
  EXPECT_EQ(Update("SET a = if_not_exists(a, :v) + :v", "(none)", {{":v", "N:1"}}), "a=N:2,pk=S:k");
  EXPECT_EQ(Update("SET a = :v REMOVE b.c, d[0]", "(none)", {{":v", "N:1"}}), "a=N:1,pk=S:k");
  EXPECT_EQ(Update("REMOVE a, b.c", "(none)"), "(none)");
  EXPECT_EQ(Update("DELETE a :v", "(none)", {{":v", "SS[a]"}}), "(none)");
  EXPECT_EQ(Update("SET a = b", "(none)"), kMissing);
  EXPECT_EQ(Update("SET a = pk", "(none)"), kMissing);  // the key is not part of an absent item

  Arena arena;
  const auto created = ApplyUpdate(EmptyUpdate(), {}, false, MakeItem(arena, "pk=S:k"), arena);
  ASSERT_TRUE(created.has_value());
  EXPECT_TRUE(created->exists);
  EXPECT_EQ(Show(created->item), "pk=S:k");
  const auto unchanged = ApplyUpdate(EmptyUpdate(), MakeItem(arena, "a=N:1,pk=S:k"), true, {}, arena);
  ASSERT_TRUE(unchanged.has_value());
  EXPECT_EQ(Show(unchanged->item), "a=N:1,pk=S:k");
}

TEST(UpdateTest, NestingStaysWithinItsLimit) {
  std::string item = "a=";
  std::string path = "a";
  std::string closing;
  for (int i = 0; i < 30; ++i) {
    item += "M{a=";
    path += ".a";
    closing += "}";
  }
  item += "N:1" + closing;
  EXPECT_NE(Update("SET " + path + " = :v", item, {{":v", "L[N:1]"}}).substr(0, 2), "Ne");
  EXPECT_EQ(Update("SET " + path + " = :v", item, {{":v", "L[L[N:1]]"}}),
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported "
            "limit");
}

TEST(UpdatedValuesTest, ShowTheTouchedPathsOnly) {
  EXPECT_EQ(Updated("SET x = :v", "pk=S:k,x=N:1,y=S:keep", {{":v", "N:2"}}), "old: x=N:1 new: x=N:2");
  EXPECT_EQ(Updated("SET x = :v", "pk=S:k", {{":v", "N:2"}}), "old:  new: x=N:2");
  EXPECT_EQ(Updated("SET x = :v", "(none)", {{":v", "N:2"}}), "old:  new: x=N:2");
  EXPECT_EQ(Updated("REMOVE x", "x=N:1"), "old: x=N:1 new: ");
  EXPECT_EQ(Updated("REMOVE x, m.z", "m=M{a=N:1}"), "old:  new: ");
  EXPECT_EQ(Updated("SET m.b = :v", "m=M{a=N:1,b=N:2,c=N:3}", {{":v", "N:9"}}), "old: m=M{b=N:2} new: m=M{b=N:9}");
  EXPECT_EQ(Updated("SET x = x", "x=N:1"), "old: x=N:1 new: x=N:1");
  EXPECT_EQ(Updated("SET l[1] = :v, l[0] = :w", "l=L[N:0,N:1,N:2]", {{":v", "S:v"}, {":w", "S:w"}}),
            "old: l=L[N:0,N:1] new: l=L[S:w,S:v]");
  EXPECT_EQ(Updated("ADD c :v DELETE t :s", "c=N:1,t=SS[a,b]", {{":v", "N:1"}, {":s", "SS[a]"}}),
            "old: c=N:1,t=SS[a,b] new: c=N:2,t=SS[b]");
}

TEST(UpdatedValuesTest, NewOnesAreLookedUpAtTheWrittenIndex) {
  EXPECT_EQ(Updated("SET a[100] = :v", "a=L[N:0]", {{":v", "N:9"}}), "old:  new: ");
  EXPECT_EQ(Updated("REMOVE l[1]", "l=L[N:0,N:1,N:2]"), "old: l=L[N:1] new: l=L[N:2]");
}

std::string ListOf(size_t count) {
  std::string text = "L[";
  for (size_t i = 0; i < count; ++i) text += i ? ",NULL" : "NULL";
  return text + "]";
}

// A list_append of list_appends, which the expressions refuse and PartiQL does not.
class NestedAppends {
 public:
  explicit NestedAppends(const std::string& item) : item_(MakeItem(arena_, item)) {}

  const UpdateValue* List() { return Keep({.kind = UpdateValue::Kind::kPath, .path = kPath}); }
  const UpdateValue* Literal(std::string_view text) {
    return Keep({.kind = UpdateValue::Kind::kValue, .value = arena_.New<model::Value>(V(arena_, text))});
  }
  const UpdateValue* Append(const UpdateValue* left, const UpdateValue* right) {
    return Keep({.kind = UpdateValue::Kind::kListAppend, .left = left, .right = right});
  }
  // SET l to it: the new item, or the error.
  std::string Set(const UpdateValue* value) {
    const UpdateAction action{UpdateActionKind::kSet, kPath, value};
    const Path path = kPath;
    BoundUpdate update;
    update.actions = {&action, 1};
    update.paths = {&path, 1};
    const auto updated = ApplyUpdate(update, item_, true, {}, arena_);
    return updated ? Show(updated->item) : updated.error().message;
  }
  size_t bytes() const { return arena_.bytes_reserved(); }

 private:
  static constexpr PathElement kElements[] = {{.name = "l"}};
  static constexpr Path kPath = kElements;
  const UpdateValue* Keep(UpdateValue value) { return arena_.New<UpdateValue>(value); }

  Arena arena_;
  model::Item item_;
};

TEST(UpdateTest, NestedListAppendsAreInOrder) {
  NestedAppends nested("l=L[S:a,S:b]");
  const UpdateValue* one = nested.Literal("L[N:1]");
  EXPECT_EQ(nested.Set(nested.Append(nested.Append(one, nested.List()), nested.Append(nested.List(), one))),
            "l=L[N:1,S:a,S:b,S:a,S:b,N:1]");
  EXPECT_EQ(nested.Set(nested.Append(nested.Append(nested.List(), nested.Literal("S:x")), one)), kWrongType);
}

// Each level once copied what the levels below had made: a list of 20,000 elements in 100 levels was 50 MB.
TEST(UpdateTest, NestedListAppendsCostTheirSum) {
  NestedAppends nested("l=" + ListOf(20'000));
  const UpdateValue* value = nested.List();
  for (int level = 0; level < 100; ++level) value = nested.Append(value, nested.Literal("L[N:1]"));
  const size_t before = nested.bytes();
  nested.Set(value);
  EXPECT_LT(nested.bytes() - before, size_t{8} << 20);
}

TEST(UpdateTest, ListsThatNoItemCouldHoldAreNotMade) {
  NestedAppends nested("l=" + ListOf(20'000));
  const UpdateValue* value = nested.List();
  for (int level = 0; level < 5; ++level) value = nested.Append(value, value);
  const size_t before = nested.bytes();
  EXPECT_EQ(nested.Set(value), "Item size to update has exceeded the maximum allowed size");
  EXPECT_LT(nested.bytes() - before, size_t{8} << 20);
}

}  // namespace
}  // namespace armature::expr
