#include "partiql/parser.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "expr/parse/parser.h"
#include "model/messages/expressions.h"
#include "model/messages/partiql.h"
#include "partiql/literal.h"
#include "partiql/parser_impl.h"

namespace armature::partiql {
namespace {

namespace messages = model::messages;
using model::ValidationException;

model::ApiError NotWellFormed(std::string_view detail) {
  return ValidationException(fmt::format(messages::kPartiqlNotWellFormed, detail));
}

// What an expression is called that is no statement.
std::string_view Describe(const Node& node) {
  switch (node.kind) {
    case NodeKind::kLiteral:
    case NodeKind::kNumber: return "Literal";
    case NodeKind::kMissing: return "LiteralMissing";
    case NodeKind::kParameter: return "Parameter";
    case NodeKind::kPath: return node.path.size() == 1 ? "VariableReference" : "Path";
    case NodeKind::kStruct: return "Struct";
    case NodeKind::kList:
    case NodeKind::kBag: return "Seq";
    case NodeKind::kIs: return "IsType";
    case NodeKind::kCall: return node.text == "count" ? "CallAgg" : "NAry";
    default: return "NAry";
  }
}

// The statement that the whole text is, or null.
const Body* StatementOf(const Node& node, Arena& arena) {
  if (node.kind == NodeKind::kStatement) return node.body;
  const bool is_exists = node.kind == NodeKind::kCall && node.text == "exists" && node.children.size() == 1 &&
                         node.children[0]->kind == NodeKind::kStatement &&
                         node.children[0]->body->kind == StatementKind::kSelect;
  if (!is_exists) return nullptr;
  Body* body = arena.New<Body>(*node.children[0]->body);
  body->kind = StatementKind::kExists;
  return body;
}

bool CollectEqualities(const Node& node, std::vector<Equality>& equalities) {
  if (node.kind != NodeKind::kBinary) return false;
  if (node.op == Operator::kAnd)
    return CollectEqualities(*node.children[0], equalities) && CollectEqualities(*node.children[1], equalities);
  if (node.op != Operator::kEqual) return false;
  const Node* attribute = node.children[0];
  const Node* value = node.children[1];
  if (attribute->kind != NodeKind::kPath) std::swap(attribute, value);
  const bool is_constant = value->kind == NodeKind::kLiteral || value->kind == NodeKind::kParameter;
  if (attribute->kind != NodeKind::kPath || attribute->path.size() != 1 || !is_constant) return false;
  const std::string_view name = attribute->path[0].name;
  if (std::ranges::find(equalities, name, &Equality::attribute) != equalities.end()) return false;
  equalities.push_back({name, value});
  return true;
}

std::span<const Equality> EqualitiesOf(const Node* where, Arena& arena) {
  std::vector<Equality> equalities;
  if (where == nullptr || !CollectEqualities(*where, equalities)) return {};
  return arena.Copy(equalities);
}

}  // namespace

Node* Parser::ParseAll() {
  Node* node = ParseExpression();
  if (node == nullptr) return nullptr;
  // Also bounds how deep chains of operators go, which the parser itself follows without recursion.
  if (operator_count_ > expr::kMaxOperators) Fault(messages::kTooManyOperators, expr::kMaxOperators + 1);
  const bool has_semicolon = Take(TokenKind::kSemicolon);
  if (head().kind == TokenKind::kEnd) return node;
  return Fail(has_semicolon ? messages::kPartiqlTrailingStatement : messages::kPartiqlTrailingToken);
}

std::string Position::ToString() const { return fmt::format("{}:{}:{}", line, column, length); }

std::string_view OperatorName(Operator op) {
  constexpr std::string_view kNames[] = {"AND", "OR", "=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||"};
  return kNames[static_cast<size_t>(op)];
}

std::string_view ReturningName(Returning returning) {
  constexpr std::string_view kNames[] = {"", "ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW"};
  return kNames[static_cast<size_t>(returning)];
}

model::ApiResult<StatementPtr> Parse(std::string_view text) {
  if (text.size() > kMaxStatementBytes) return NotWellFormed("");
  auto statement = std::make_shared<Statement>();
  statement->source = text;
  auto tokens = Tokenize(statement->source, statement->arena);
  if (!tokens) return NotWellFormed("");
  Parser parser(std::move(*tokens), statement->arena);
  const Node* root = parser.ParseAll();
  if (root == nullptr)
    return parser.is_too_deep() ? ValidationException(parser.error()) : NotWellFormed(parser.error());
  const Body* body = StatementOf(*root, statement->arena);
  if (body == nullptr) return ValidationException(fmt::format(messages::kPartiqlUnsupportedOperation, Describe(*root)));
  if (!parser.fault().empty()) return ValidationException(parser.fault());
  if (auto error = FoldLiterals(*body, statement->arena)) return ValidationException(std::move(*error));
  static_cast<Body&>(*statement) = *body;
  statement->late_error = parser.late_fault();
  statement->parameter_count = parser.parameter_count();
  statement->equalities = EqualitiesOf(body->where, statement->arena);
  statement->has_nested_columns =
      std::ranges::any_of(body->columns, [](const Column& column) { return column.path.size() > 1; });
  return StatementPtr(std::move(statement));
}

}  // namespace armature::partiql
