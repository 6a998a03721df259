// Random updates against a naive model: a tree that is changed in place, one action after the other, with gravestones
// in lists until the end. It shares no code and no idea with update.cc. Failures print the seed's expression and item.
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

using Random = std::mt19937;

struct Doc {
  enum class Kind { kNumber, kSet, kList, kMap } kind = Kind::kNumber;
  int number = 0;
  std::set<std::string> members;
  std::vector<Doc> list;
  std::map<std::string, Doc> map;
  bool dead = false;
  std::map<int, Doc> appended;
};

std::string ShowDoc(const Doc& doc);

std::string ShowEntries(const std::map<std::string, Doc>& map) {
  std::string out;
  for (const auto& [name, value] : map) out += (out.empty() ? "" : ",") + name + "=" + ShowDoc(value);
  return out;
}

std::string ShowDoc(const Doc& doc) {
  std::string out;
  switch (doc.kind) {
    case Doc::Kind::kNumber: return "N:" + std::to_string(doc.number);
    case Doc::Kind::kMap: return "M{" + ShowEntries(doc.map) + "}";
    case Doc::Kind::kSet:
      for (const auto& member : doc.members) out += (out.empty() ? "" : ",") + member;
      return "SS[" + out + "]";
    case Doc::Kind::kList:
      for (const auto& element : doc.list)
        if (!element.dead) out += (out.empty() ? "" : ",") + ShowDoc(element);
      for (const auto& [index, element] : doc.appended) out += (out.empty() ? "" : ",") + ShowDoc(element);
      return "L[" + out + "]";
  }
  return "";
}

Doc RandomDoc(Random& random, int depth) {
  Doc doc;
  doc.kind = static_cast<Doc::Kind>(random() % (depth > 0 ? 4 : 2));
  doc.number = static_cast<int>(random() % 100) - 50;
  for (char c = 'p'; c <= 's'; ++c)
    if (random() % 2 == 0) doc.members.insert(std::string(1, c));
  if (doc.members.empty()) doc.members.insert("p");
  if (doc.kind == Doc::Kind::kList)
    for (uint32_t i = random() % 4; i > 0; --i) doc.list.push_back(RandomDoc(random, depth - 1));
  if (doc.kind == Doc::Kind::kMap)
    for (char c = 'a'; c <= 'd'; ++c)
      if (random() % 3 != 0) doc.map[std::string(1, c)] = RandomDoc(random, depth - 1);
  return doc;
}

struct Step {
  std::string name;
  int index = -1;
  bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

Steps RandomPath(Random& random) {
  Steps steps{{std::string(1, static_cast<char>('a' + random() % 5))}};
  while (steps.size() < 4 && random() % 2 == 0) {
    if (random() % 2 == 0) steps.push_back({std::string(1, static_cast<char>('a' + random() % 4))});
    else steps.push_back({"", static_cast<int>(random() % 5)});
  }
  return steps;
}

std::string ShowPath(const Steps& steps) {
  std::string out;
  for (const Step& step : steps) {
    if (step.index >= 0) out += "[" + std::to_string(step.index) + "]";
    else out += (out.empty() ? "" : ".") + step.name;
  }
  return out;
}

bool Clash(const Steps& a, const Steps& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i]) return (a[i].index >= 0) != (b[i].index >= 0);
  return true;
}

Doc* Child(Doc& doc, const Step& step) {
  if (step.index >= 0) {
    const bool there = doc.kind == Doc::Kind::kList && step.index < static_cast<int>(doc.list.size());
    return there ? &doc.list[static_cast<size_t>(step.index)] : nullptr;
  }
  if (doc.kind != Doc::Kind::kMap) return nullptr;
  const auto it = doc.map.find(step.name);
  return it == doc.map.end() ? nullptr : &it->second;
}

Doc* Find(Doc& root, const Steps& steps) {
  Doc* doc = &root;
  for (const Step& step : steps)
    if (doc != nullptr) doc = Child(*doc, step);
  return doc;
}

// False: the path is invalid. No value removes.
bool Write(Doc& root, const Steps& steps, const std::optional<Doc>& value) {
  Doc* parent = Find(root, Steps(steps.begin(), steps.end() - 1));
  const Step& last = steps.back();
  if (parent == nullptr) return false;
  if (last.index < 0) {
    if (parent->kind != Doc::Kind::kMap) return false;
    parent->map.erase(last.name);
    if (value) parent->map[last.name] = *value;
    return true;
  }
  if (parent->kind != Doc::Kind::kList) return false;
  if (last.index >= static_cast<int>(parent->list.size())) {
    if (value) parent->appended[last.index] = *value;
  } else if (value) {
    parent->list[static_cast<size_t>(last.index)] = *value;
  } else {
    parent->list[static_cast<size_t>(last.index)].dead = true;
  }
  return true;
}

// One random request: its text, and what should come of it ("error" for any error).
struct Case {
  std::string text;
  std::string values[3];  // :n, :s and :d
  std::string item;
  std::string expected;
};

class CaseMaker {
 public:
  explicit CaseMaker(Random& random) : random_(random) {}

  Case Make() {
    old_ = RandomDoc(random_, 3);
    old_.kind = Doc::Kind::kMap;
    number_.number = static_cast<int>(random_() % 9);
    set_.kind = Doc::Kind::kSet;
    set_.members = {"p", random_() % 2 == 0 ? "q" : "z"};
    any_ = RandomDoc(random_, 1);
    new_ = old_;
    std::string clauses[4];
    for (uint32_t i = 1 + random_() % 4; i > 0; --i) AddAction(clauses);
    Case made{.text = "",
              .values = {ShowDoc(number_), ShowDoc(set_), ShowDoc(any_)},
              .item = ShowEntries(old_.map),
              .expected = ""};
    constexpr std::string_view kSections[] = {"SET ", "REMOVE ", "ADD ", "DELETE "};
    for (size_t i = 0; i < 4; ++i)
      if (!clauses[i].empty()) made.text += std::string(kSections[i]) + clauses[i] + " ";
    made.expected = failed_ ? "error" : ShowEntries(new_.map);
    return made;
  }

 private:
  void AddAction(std::string (&clauses)[4]) {
    const Steps path = RandomPath(random_);
    for (const Steps& other : paths_) failed_ |= Clash(path, other);
    paths_.push_back(path);
    const size_t section = random_() % 4;
    std::string& clause = clauses[section];
    clause += (clause.empty() ? "" : ", ") + ShowPath(path);
    Doc* old = Find(old_, path);
    std::optional<Doc> value;
    if (section == 0) value = Assigned(clause);
    if (section == 2) value = Added(old, clause);
    if (section == 3) {
      clause += " :s";
      if (old != nullptr) {
        failed_ |= old->kind != Doc::Kind::kSet;
        value = *old;
        for (const auto& member : set_.members) value->members.erase(member);
        if (value->members.empty()) value.reset();
      }
    }
    if (!failed_) failed_ |= !Write(new_, path, value);
  }

  Doc Operand(std::string& clause) {
    if (random_() % 2 == 0) {
      clause += ":n";
      return number_;
    }
    const Steps path = RandomPath(random_);
    const Doc* found = Find(old_, path);
    if (random_() % 2 == 0) {
      clause += "if_not_exists(" + ShowPath(path) + ", :n)";
      return found ? *found : number_;
    }
    clause += ShowPath(path);
    failed_ |= found == nullptr;
    return found ? *found : Doc();
  }

  Doc Assigned(std::string& clause) {
    clause += " = ";
    if (random_() % 3 == 0) {
      clause += ":d";
      return any_;
    }
    Doc left = Operand(clause);
    if (random_() % 2 == 0) return left;
    const bool plus = random_() % 2 == 0;
    clause += plus ? " + " : " - ";
    const Doc right = Operand(clause);
    failed_ |= left.kind != Doc::Kind::kNumber || right.kind != Doc::Kind::kNumber;
    left.number += plus ? right.number : -right.number;
    return left;
  }

  Doc Added(const Doc* old, std::string& clause) {
    const bool is_number = random_() % 2 == 0;
    clause += is_number ? " :n" : " :s";
    Doc value = is_number ? number_ : set_;
    if (old == nullptr) return value;
    failed_ |= old->kind != value.kind;
    value.number += old->number;
    value.members.insert(old->members.begin(), old->members.end());
    return value;
  }

  Random& random_;
  Doc old_, new_, number_, set_, any_;
  std::vector<Steps> paths_;
  bool failed_ = false;
};

TEST(UpdatePropertyTest, AgreesWithANaiveModel) {
  Random random(20240817);
  int succeeded = 0;
  for (int i = 0; i < 40'000; ++i) {
    const Case made = CaseMaker(random).Make();
    TestRequest request({}, {{":n", made.values[0]}, {":s", made.values[1]}, {":d", made.values[2]}});
    const std::string outcome = request.Update(made.text, made.item);
    const bool failed = outcome.starts_with("The ") || outcome.starts_with("An ") || outcome.starts_with("Invalid ");
    ASSERT_EQ(failed ? "error" : outcome, made.expected)
        << made.text << "\n  on " << made.item << "\n  gave " << outcome << "\n  with " << made.values[0] << " "
        << made.values[1] << " " << made.values[2];
    succeeded += failed ? 0 : 1;
  }
  EXPECT_GT(succeeded, 4'000);  // or the test tests little
}

}  // namespace
}  // namespace armature::expr
