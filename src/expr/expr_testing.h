// What the tests of expr/ share: values written as in AWS JSON, and requests in one line.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory/arena.h"
#include "expr/apply/evaluate.h"
#include "expr/apply/projection.h"
#include "expr/apply/update.h"
#include "expr/bind/expression_set.h"
#include "model/value.h"

namespace armature::expr {

// Parses `{S:abc}`-like notation: S:text, N:1.5, B:bytes, BOOL:true, NULL, SS[a,b], NS[1,2], BS[a,b], L[v,…],
// M{name=v,…}. Everything is copied into the arena. Aborts on a mistake.
model::Value V(Arena& arena, std::string_view text);
// The inverse, canonical: what tests compare.
std::string Show(const model::Value& value);
std::string Show(model::Item item);
// `name=v,…`
model::Item MakeItem(Arena& arena, std::string_view text);

// A request with expressions: the maps are given as `#n=name` and `:v=S:text` lists.
class TestRequest {
 public:
  using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  TestRequest(Pairs names, Pairs values);

  // "true" or "false", or the error's message. An absent item is "".
  std::string Check(std::string_view condition, std::string_view item,
                    ExpressionKind kind = ExpressionKind::kCondition);
  // The new item, "(none)" if there is none, or the error's message. `item` of "(none)" is a missing one.
  std::string Update(std::string_view update, std::string_view item, std::string_view key = "pk=S:k");
  // "old: … new: …": what UPDATED_OLD and UPDATED_NEW show.
  std::string Updated(std::string_view update, std::string_view item, std::string_view key = "pk=S:k");
  std::string Project(std::string_view projection, std::string_view item);
  // The message of CheckBindings or CheckAllUsed, or "".
  std::string CheckBindings();
  std::string CheckAllUsed();

  Arena& arena() { return arena_; }
  ExpressionSet& set() { return *set_; }

 private:
  Arena arena_;
  std::vector<NameBinding> names_;
  std::vector<ValueBinding> values_;
  std::unique_ptr<ExpressionSet> set_;
};

}  // namespace armature::expr
