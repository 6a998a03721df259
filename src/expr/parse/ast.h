// The syntax tree of an expression, independent of any request's names and values.
//
// Nodes live in vectors and refer to each other by index and to the source by offset, so a tree can be cached under
// its text and used with the equal text of any later request. Immutable once parsed. Internal to expr/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expr/bound.h"

namespace armature::expr {

// Condition, Filter and KeyCondition share a grammar.
enum class Grammar : uint8_t { kCondition, kUpdate, kProjection };

inline Grammar GrammarOf(ExpressionKind kind) {
  if (kind == ExpressionKind::kUpdate) return Grammar::kUpdate;
  if (kind == ExpressionKind::kProjection) return Grammar::kProjection;
  return Grammar::kCondition;
}

// A piece of the source; 4096 bytes is the most a source may have.
struct SourceRange {
  uint16_t offset = 0;
  uint16_t length = 0;

  std::string_view In(std::string_view source) const { return source.substr(offset, length); }
};

enum class Function : uint8_t {
  kAttributeExists,
  kAttributeNotExists,
  kAttributeType,
  kBeginsWith,
  kContains,
  kSize,
  kIfNotExists,
  kListAppend,
  kUnknown,
};

std::string_view FunctionName(Function function);

enum class NodeKind : uint8_t { kPath, kValue, kFunction, kCondition, kPlus, kMinus };

using NodeIndex = uint16_t;

struct Node {
  NodeKind kind = NodeKind::kValue;
  ConditionOp op = ConditionOp::kAnd;      // of kCondition
  Function function = Function::kUnknown;  // of kFunction
  bool parenthesised = false;
  SourceRange text{};  // of kValue, with its colon
  uint32_t first = 0;  // of kPath: into parts; of the others: into links, their arguments
  uint32_t count = 0;
};

struct PathPart {
  enum class Kind : uint8_t { kName, kAlias, kIndex };
  Kind kind = Kind::kName;
  SourceRange text{};  // an alias with its hash
  uint32_t index = 0;
};

struct ParsedAction {
  UpdateActionKind kind = UpdateActionKind::kSet;
  NodeIndex path = 0;
  NodeIndex value = 0;  // unless kRemove
};

struct ParsedExpression {
  std::vector<Node> nodes;
  std::vector<NodeIndex> links;
  std::vector<PathPart> parts;
  NodeIndex root = 0;                 // of a condition
  std::vector<ParsedAction> actions;  // of an update
  std::vector<NodeIndex> paths;       // of a projection
  uint32_t path_count = 0;            // nodes that are paths

  // What is wrong with the text, without the "Invalid …Expression: " in front; empty if nothing.
  std::string error;
  // An error that an update reports only after those found by binding.
  std::string late_error;

  size_t MemoryBytes() const {
    return sizeof(*this) + nodes.capacity() * sizeof(Node) + links.capacity() * sizeof(NodeIndex) +
           parts.capacity() * sizeof(PathPart) + actions.capacity() * sizeof(ParsedAction) +
           paths.capacity() * sizeof(NodeIndex) + error.capacity() + late_error.capacity();
  }
};

}  // namespace armature::expr
