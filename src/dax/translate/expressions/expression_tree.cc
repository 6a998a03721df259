#include "dax/translate/expressions/expression_tree.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "dax/codec/cbor.h"
#include "model/messages/expressions.h"

namespace armature::dax {

namespace {

namespace messages = model::messages;

constexpr int64_t kFormat = 1;
constexpr uint64_t kListIndexTag = 3324;
// Of the 4096 characters that an expression may have, none makes more than three elements of arrays.
constexpr size_t kMostParts = size_t{3} * 4096;
// Nothing nests deeper: each level is an operator, of which there may be 300, or a function that DynamoDB refuses
// there.
constexpr int kMostDepth = 512;
constexpr int kMostOperators = 300;

// Reads one expression. The first error stays; after it everything gives nothing.
class TreeReader {
 public:
  TreeReader(std::string_view bytes, std::string_view parameter, Arena& arena)
      : reader_(bytes), parameter_(parameter), arena_(arena) {}

  model::ApiResult<ExpressionTree> Condition() {
    ExpressionTree tree;
    Open(3);
    tree.root = Node(0);
    if (IsAction(tree.root->op)) Malformed();
    return Finish(tree);
  }

  model::ApiResult<ExpressionTree> Update() {
    ExpressionTree tree;
    Open(3);
    std::vector<const ExpressionNode*> actions;
    auto elements = reader_.Array();
    while (Next(elements)) {
      const ExpressionNode* action = Node(0);
      if (!IsAction(action->op)) Malformed();
      actions.push_back(action);
    }
    tree.actions = arena_.Copy(actions);
    return Finish(tree);
  }

  model::ApiResult<std::span<const DocumentPath>> Projection() {
    Open(2);
    std::vector<DocumentPath> paths;
    auto elements = reader_.Array();
    while (Next(elements)) {
      const ExpressionNode* node = Node(0);
      if (node->op != ExpressionOp::kPath) Malformed();
      paths.push_back(node->path);
    }
    Close();
    if (error_) return *std::move(error_);
    return std::span<const DocumentPath>(arena_.Copy(paths));
  }

 private:
  static bool IsAction(ExpressionOp op) { return op >= ExpressionOp::kSet && op <= ExpressionOp::kRemove; }

  // How many arguments an operator has; those of IN are read otherwise.
  static size_t ArgumentsOf(ExpressionOp op) {
    switch (op) {
      case ExpressionOp::kNot:
      case ExpressionOp::kAttributeExists:
      case ExpressionOp::kAttributeNotExists:
      case ExpressionOp::kSize:
      case ExpressionOp::kRemove: return 1;
      case ExpressionOp::kBetween: return 3;
      default: return 2;
    }
  }

  void Fail(std::string_view text) {
    if (!error_) error_ = model::ValidationException(fmt::format(messages::kInvalidExpression, parameter_, text));
    reader_.Fail();
  }
  const ExpressionNode* Malformed() {
    Fail("The expression is malformed;");
    return &kNothing;
  }

  bool Next(CborReader::Items& items) {
    if (!reader_.Next(items)) return false;
    if (++parts_ > kMostParts) Fail(messages::kExpressionTooLong);
    return reader_.ok();
  }

  // The array around an expression, and its format; `parts` of the three there may be.
  void Open(uint64_t parts) {
    outer_ = reader_.Array();
    if (!outer_.is_indefinite && outer_.left != parts) Malformed();
    if (!reader_.Next(outer_) || reader_.Int() != kFormat || !reader_.Next(outer_)) Malformed();
  }
  void Close() {
    if (reader_.Next(outer_) || !reader_.ok() || !reader_.at_end()) Malformed();
  }

  model::ApiResult<ExpressionTree> Finish(ExpressionTree tree) {
    if (!reader_.Next(outer_)) Malformed();
    std::vector<std::string_view> values;
    auto elements = reader_.Array();
    while (Next(elements)) values.push_back(reader_.Raw());
    tree.values = arena_.Copy(values);
    Close();
    if (most_value_ >= static_cast<int64_t>(values.size())) Malformed();
    if (error_) return *std::move(error_);
    return tree;
  }

  const ExpressionNode* Node(int depth) {
    if (depth > kMostDepth) Fail(fmt::format(messages::kTooManyOperators, kMostOperators + 1));
    auto parts = reader_.Array();
    if (!Next(parts)) return Malformed();
    const int64_t number = reader_.Int();
    if (!reader_.ok() || number < 0 || number > static_cast<int64_t>(ExpressionOp::kMinus)) return Malformed();
    auto* node = arena_.New<ExpressionNode>();
    node->op = static_cast<ExpressionOp>(number);
    // An action stands in an update and nowhere else.
    if (IsAction(node->op) && depth > 0) return Malformed();
    if (node->op == ExpressionOp::kPath) node->path = Path(parts);
    else if (node->op == ExpressionOp::kValue) node->value = Value(parts);
    else if (node->op == ExpressionOp::kIn) node->arguments = ArgumentsOfIn(parts, depth);
    else node->arguments = Arguments(parts, ArgumentsOf(node->op), depth);
    if (!reader_.ok() || reader_.Next(parts)) return Malformed();
    return node;
  }

  std::span<const ExpressionNode* const> Arguments(CborReader::Items& parts, size_t count, int depth) {
    const auto arguments = arena_.NewArray<const ExpressionNode*>(count);
    for (const ExpressionNode*& argument : arguments) {
      argument = &kNothing;
      if (Next(parts)) argument = Node(depth + 1);
      else Malformed();
    }
    return arguments;
  }

  std::span<const ExpressionNode* const> ArgumentsOfIn(CborReader::Items& parts, int depth) {
    std::vector<const ExpressionNode*> arguments;
    if (!Next(parts)) Malformed();
    arguments.push_back(Node(depth + 1));
    if (!Next(parts)) Malformed();
    auto elements = reader_.Array();
    while (Next(elements)) arguments.push_back(Node(depth + 1));
    return arena_.Copy(arguments);
  }

  uint32_t Value(CborReader::Items& parts) {
    if (!Next(parts)) return Malformed()->value;
    const uint64_t value = reader_.Unsigned();
    if (value >= kMostParts) return Malformed()->value;
    most_value_ = std::max(most_value_, static_cast<int64_t>(value));
    return static_cast<uint32_t>(value);
  }

  DocumentPath Path(CborReader::Items& parts) {
    std::vector<PathElement> path;
    while (Next(parts)) {
      PathElement element;
      element.is_index = reader_.Peek() == CborKind::kTag;
      if (element.is_index) element.index = ListIndex();
      else element.name = reader_.Text(arena_);
      path.push_back(element);
    }
    if (path.empty() || path[0].is_index) Malformed();
    return arena_.Copy(path);
  }

  uint32_t ListIndex() {
    if (reader_.Tag() != kListIndexTag) return Malformed()->value;
    const uint64_t index = reader_.Unsigned();
    if (index > std::numeric_limits<uint32_t>::max()) return Malformed()->value;
    return static_cast<uint32_t>(index);
  }

  static constexpr ExpressionNode kNothing{};

  CborReader reader_;
  const std::string_view parameter_;
  Arena& arena_;
  CborReader::Items outer_;
  size_t parts_ = 0;
  int64_t most_value_ = -1;
  std::optional<model::ApiError> error_;
};

}  // namespace

model::ApiResult<ExpressionTree> ReadCondition(std::string_view bytes, std::string_view parameter, Arena& arena) {
  return TreeReader(bytes, parameter, arena).Condition();
}

model::ApiResult<ExpressionTree> ReadUpdate(std::string_view bytes, Arena& arena) {
  return TreeReader(bytes, "UpdateExpression", arena).Update();
}

model::ApiResult<std::span<const DocumentPath>> ReadProjection(std::string_view bytes, Arena& arena) {
  return TreeReader(bytes, "ProjectionExpression", arena).Projection();
}

}  // namespace armature::dax
