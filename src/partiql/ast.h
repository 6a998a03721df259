// The syntax tree of a PartiQL statement, independent of any request's parameters.
//
// A Statement owns its text and the arena its nodes lie in, so it can be cached under its text, shared by requests and
// outlive any of them. Immutable once parsed. Made by the parser; read by lowering and by api/partiql.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "expr/path.h"
#include "model/value.h"

namespace armature::partiql {

// Where a token is, as error messages print it: "1:8:5". Counted in characters from 1.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t length = 0;

  std::string ToString() const;
};

enum class NodeKind : uint8_t {
  kLiteral,  // `value`; collections of constants too, once the statement is parsed
  kNumber,   // `text`, `is_negated`: before it has been converted to a literal
  kMissing,
  kParameter,  // `parameter`
  kPath,       // `path`
  kList,       // of values that are not all constants: what IN compares with
  kBag,
  kStruct,  // names and values in turn: the item of an INSERT
  kCall,    // `text` is the function's name in lower case
  kNot,
  kSign,  // + or - before something that is no number
  kBinary,
  kBetween,  // `is_negated`: NOT BETWEEN
  kIn,       // the second child is a kList, or whatever else stands there
  kIs,       // `text` is the type's name in lower case
  kLike,
  kStatement,  // `body`
};

enum class Operator : uint8_t {
  kAnd,
  kOr,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kPlus,
  kMinus,
  kTimes,
  kDivide,
  kModulo,
  kConcatenate,
};

std::string_view OperatorName(Operator op);

struct Body;

struct Node {
  NodeKind kind = NodeKind::kLiteral;
  Operator op = Operator::kAnd;  // of kBinary and kSign
  bool is_negated = false;
  Position at{};
  uint32_t parameter = 0;  // from 0
  std::string_view text{};
  model::Value value{};
  expr::Path path{};
  std::span<Node* const> children{};
  const Body* body = nullptr;
};

// What a SELECT returns of an item: the value at the path, under the name of its last part.
struct Column {
  expr::Path path{};
  std::string_view name{};
};

// `attribute = constant`.
struct Equality {
  std::string_view attribute{};
  const Node* value = nullptr;  // a literal or a parameter
};

struct OrderTerm {
  std::string_view attribute{};
  bool is_descending = false;
};

// `SET target = value`, or `REMOVE target` when there is no value.
struct Assignment {
  expr::Path target{};
  Node* value = nullptr;
};

// An attribute of the item of an INSERT: a literal or a parameter.
struct InsertedAttribute {
  std::string_view name{};
  Node* value = nullptr;
};

enum class Returning : uint8_t { kNothing, kAllOld, kAllNew, kModifiedOld, kModifiedNew };
// "ALL OLD", …
std::string_view ReturningName(Returning returning);

enum class StatementKind : uint8_t { kSelect, kInsert, kUpdate, kDelete, kExists };

struct Body {
  StatementKind kind = StatementKind::kSelect;
  std::string_view table{};
  std::string_view index{};           // empty: the table itself
  std::span<const Column> columns{};  // of SELECT, in the order of their names; empty: *
  Node* where = nullptr;              // null: none
  std::span<const OrderTerm> order_by{};
  std::span<const Assignment> assignments{};  // of UPDATE
  std::span<const InsertedAttribute> item{};  // of INSERT
  Returning returning = Returning::kNothing;
};

struct Statement : Body {
  // What is wrong with the statement, but is told only after the index it names has been looked at; empty: nothing.
  std::string late_error;
  uint32_t parameter_count = 0;
  // The whole WHERE, if it is nothing but equalities of different attributes with constants: the short way to a key.
  std::span<const Equality> equalities{};
  // Whether some column is a part of an attribute.
  bool has_nested_columns = false;

  std::string source;
  Arena arena;

  bool is_read() const { return kind == StatementKind::kSelect; }
  size_t MemoryBytes() const { return sizeof(*this) + source.capacity() + arena.bytes_reserved(); }
};

using StatementPtr = std::shared_ptr<const Statement>;

}  // namespace armature::partiql
