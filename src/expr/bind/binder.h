// Binder: the part of binding that all kinds of expression share, and the state of one binding.
//
// Resolves paths and value references of one syntax tree and keeps the first error. A method that fails returns null
// (or false) with `error()` set, which is cheaper on the way without errors than passing results up. Internal to expr/.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "expr/bind/expression_set.h"
#include "expr/parse/ast.h"

namespace armature::expr {

// What a failing method returns: no pointer, or false.
struct BindFailure {
  operator bool() const { return false; }  // NOLINT: implicit by design
  template <class T>
  operator T*() const {  // NOLINT
    return nullptr;
  }
};

class Binder {
 public:
  Binder(ExpressionSet& set, const ParsedExpression& parsed, std::string_view source)
      : set_(set), parsed_(parsed), source_(source), paths_(set.arena().NewArray<Path>(parsed.path_count)) {}

  Arena& arena() { return set_.arena(); }
  const ParsedExpression& parsed() const { return parsed_; }
  const Node& node(NodeIndex index) const { return parsed_.nodes[index]; }
  const Node& argument(const Node& parent, uint32_t i) const { return node(parsed_.links[parent.first + i]); }

  // Empty if an alias is not defined.
  Path BindPath(const Node& path_node);
  const model::Value* BindValue(const Node& value_node);
  // The same without the error.
  const model::Value* FindValue(const Node& value_node) { return set_.UseValue(Text(value_node)); }
  std::string_view Text(const Node& value_node) const { return value_node.text.In(source_); }
  // The paths bound so far, in that order.
  std::span<const Path> paths() const { return paths_.first(bound_paths_); }

  template <class... Args>
  BindFailure Fail(std::string_view text, const Args&... args) {
    if (error_.empty()) error_ = fmt::format(fmt::runtime(text), args...);
    return {};
  }
  bool failed() const { return !error_.empty(); }
  // Without the "Invalid …Expression: " in front.
  const std::string& error() const { return error_; }

 private:
  ExpressionSet& set_;
  const ParsedExpression& parsed_;
  const std::string_view source_;
  std::span<Path> paths_;
  size_t bound_paths_ = 0;
  std::string error_;
};

// One per kind: null with the binder's error set if the expression is wrong.
const ConditionNode* BindCondition(Binder& binder);
const BoundUpdate* BindUpdate(Binder& binder);
const BoundProjection* BindProjection(Binder& binder);

}  // namespace armature::expr
