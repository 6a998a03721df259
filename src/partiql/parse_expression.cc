#include <algorithm>
#include <array>
#include <charconv>

#include "model/messages/expressions.h"
#include "model/messages/partiql.h"
#include "partiql/keywords.h"
#include "partiql/parser.h"
#include "partiql/parser_impl.h"

namespace armature::partiql {
namespace messages = model::messages;

namespace {

constexpr int kNotPrecedence = 30;

struct InfixOperator {
  std::string_view text;
  int precedence;
  Operator op = Operator::kAnd;
};

constexpr auto kInfixOperators = std::to_array<InfixOperator>({
    {"or", 10, Operator::kOr},
    {"and", 20, Operator::kAnd},
    {"=", 40, Operator::kEqual},
    {"<>", 40, Operator::kNotEqual},
    {"is", 40},
    {"is_not", 40},
    {"in", 40},
    {"not_in", 40},
    {"<", 50, Operator::kLess},
    {"<=", 50, Operator::kLessEqual},
    {">", 50, Operator::kGreater},
    {">=", 50, Operator::kGreaterEqual},
    {"between", 50},
    {"not_between", 50},
    {"like", 50},
    {"not_like", 50},
    {"+", 60, Operator::kPlus},
    {"-", 60, Operator::kMinus},
    {"||", 60, Operator::kConcatenate},
    {"*", 70, Operator::kTimes},
    {"/", 70, Operator::kDivide},
    {"%", 70, Operator::kModulo},
});

const InfixOperator* FindInfix(const Token& token) {
  if (token.kind != TokenKind::kOperator && token.kind != TokenKind::kStar) return nullptr;
  const auto it = std::ranges::find(kInfixOperators, token.text, &InfixOperator::text);
  return it == kInfixOperators.end() ? nullptr : &*it;
}

}  // namespace

// --- tokens and nodes

bool Parser::TakeKeyword(std::string_view word) {
  if (!head().IsKeyword(word)) return false;
  Skip();
  return true;
}

bool Parser::Take(TokenKind kind) {
  if (head().kind != kind) return false;
  Skip();
  return true;
}

bool Parser::Expect(TokenKind kind, std::string_view name) {
  if (Take(kind)) return true;
  Fail(messages::kPartiqlExpected, name);
  return false;
}

Node* Parser::New(NodeKind kind, const Position& at) {
  Node* node = arena_.New<Node>();
  node->kind = kind;
  node->at = at;
  return node;
}

Node* Parser::New(NodeKind kind, const Position& at, const std::vector<Node*>& children) {
  Node* node = New(kind, at);
  node->children = arena_.Copy(children);
  return node;
}

// --- operators

Node* Parser::ParseExpression(int precedence) {
  const Nesting nesting(*this);
  if (depth_ > kMaxParserDepth) {
    is_too_deep_ = true;
    return Fail(messages::kPartiqlTooDeep);
  }
  Node* node = ParseUnary();
  while (node != nullptr) {
    const InfixOperator* infix = FindInfix(head());
    if (infix == nullptr || infix->precedence <= precedence) break;
    ++operator_count_;
    node = ParseInfix(node, head(), infix->precedence);
  }
  return node;
}

Node* Parser::ParseInfix(Node* left, const Token& op, int precedence) {
  if (op.text == "is" || op.text == "is_not") return ParseIs(left, op);
  if (op.text == "in" || op.text == "not_in") return ParseIn(left, op, precedence);
  Node* right = ParseRightSide(precedence);
  if (right == nullptr) return nullptr;
  if (op.text == "between" || op.text == "not_between") {
    left = New(NodeKind::kBetween, op.at, {left, right});
    return ParseBetween(left, op, precedence);
  }
  if (op.text == "like" || op.text == "not_like") {
    if (TakeKeyword("escape") && ParseExpression(precedence) == nullptr) return nullptr;
    return New(NodeKind::kLike, op.at, {left, right});
  }
  Node* node = New(NodeKind::kBinary, op.at, {left, right});
  node->op = FindInfix(op)->op;
  return node;
}

// The head is the operator.
Node* Parser::ParseRightSide(int precedence) {
  if (at_ + 2 >= tokens_.size()) return Fail(messages::kPartiqlMissingRightSide);
  Skip();
  return ParseExpression(precedence);
}

Node* Parser::ParseIn(Node* left, const Token& op, int precedence) {
  Node* right = nullptr;
  if (head(1).kind == TokenKind::kLeftParen && !head(2).IsKeyword("select")) {
    const Position at = head(1).at;
    Skip();
    Skip();
    std::vector<Node*> items;
    if (!ParseList(items) || !Expect(TokenKind::kRightParen, "RIGHT_PAREN")) return nullptr;
    right = New(NodeKind::kList, at, items);
  } else {
    right = ParseRightSide(precedence);
    if (right == nullptr) return nullptr;
  }
  Node* node = New(NodeKind::kIn, op.at, {left, right});
  node->is_negated = op.text == "not_in";
  return node;
}

Node* Parser::ParseIs(Node* left, const Token& op) {
  Skip();
  const Token& type = head();
  std::string_view name = type.text;
  if (type.kind == TokenKind::kNull) name = "null";
  else if (type.kind == TokenKind::kMissing) name = "missing";
  else if (type.kind != TokenKind::kKeyword) name = {};
  if (!IsTypeName(name)) return Fail(messages::kPartiqlExpectedTypeName);
  Skip();
  if (Take(TokenKind::kLeftParen)) {  // precision and scale, which mean nothing here
    std::vector<Node*> sizes;
    if (!ParseList(sizes) || !Expect(TokenKind::kRightParen, "RIGHT_PAREN")) return nullptr;
  }
  Node* node = New(NodeKind::kIs, op.at, {left});
  node->text = name;
  node->is_negated = op.text == "is_not";
  return node;
}

// `node` has the value and its lower bound.
Node* Parser::ParseBetween(Node* node, const Token& op, int precedence) {
  if (!head().IsOperator("and")) return Fail(messages::kPartiqlExpectedKeyword, "AND");
  const TokenKind next = head(1).kind;
  if (next == TokenKind::kEnd || next == TokenKind::kSemicolon) return Fail(messages::kPartiqlExpectedAfterAnd);
  Skip();
  Node* upper = ParseExpression(precedence);
  if (upper == nullptr) return nullptr;
  Node* between = New(NodeKind::kBetween, op.at, {node->children[0], node->children[1], upper});
  between->is_negated = op.text == "not_between";
  return between;
}

Node* Parser::ParseUnary() {
  const Token& op = head();
  if (op.IsOperator("not")) {
    Skip();
    Node* operand = ParseExpression(kNotPrecedence);
    return operand == nullptr ? nullptr : New(NodeKind::kNot, op.at, {operand});
  }
  if (!op.IsOperator("+") && !op.IsOperator("-")) return ParsePath(PathMode::kFull);
  const Nesting nesting(*this);
  if (depth_ > kMaxParserDepth) {
    is_too_deep_ = true;
    return Fail(messages::kPartiqlTooDeep);
  }
  Skip();
  Node* operand = ParseUnary();
  if (operand == nullptr) return nullptr;
  const bool is_minus = op.text == "-";
  if (operand->kind == NodeKind::kNumber) {
    if (is_minus) operand->is_negated = !operand->is_negated;
    return operand;
  }
  Node* sign = New(NodeKind::kSign, op.at, {operand});
  sign->op = is_minus ? Operator::kMinus : Operator::kPlus;
  return sign;
}

// --- paths

Node* Parser::ParsePath(PathMode mode) {
  Node* term = nullptr;
  if (mode == PathMode::kFull) {
    term = ParseTerm();
    if (term == nullptr) return nullptr;
  } else {
    if (!head().is_identifier()) return Fail(messages::kPartiqlExpectedSimplePath);
    term = New(NodeKind::kPath, head().at);
    term->path = arena_.Copy(std::vector<expr::PathElement>{{.name = head().text}});
    Skip();
  }
  std::vector<expr::PathElement> path(term->path.begin(), term->path.end());
  Position wild;  // of a step that leads to no single place
  bool has_steps = false;
  while (head().kind == TokenKind::kDot || head().kind == TokenKind::kLeftBracket) {
    const bool is_dot = head().kind == TokenKind::kDot;
    Skip();
    if (is_dot ? !ParsePathDot(mode, path, &wild) : !ParsePathIndex(mode, path, &wild)) return nullptr;
    has_steps = true;
  }
  if (!has_steps) return term;
  if (term->kind != NodeKind::kPath) wild = term->at;
  Node* node = New(NodeKind::kPath, term->at);
  if (wild.length > 0) node->at = wild;
  else node->path = arena_.Copy(path);  // without a path: not one that attributes are found by
  if (path.size() > expr::kMaxPathElements) Fault(messages::kPathTooDeep, path.size());
  return node;
}

bool Parser::ParsePathDot(PathMode mode, std::vector<expr::PathElement>& path, Position* wild) {
  if (head().is_identifier()) {
    path.push_back({.name = head().text});
  } else if (head().kind == TokenKind::kStar) {
    if (mode == PathMode::kSimple) return Fail(messages::kPartiqlSimpleDotComponent) != nullptr;
    *wild = head().at;
  } else {
    return Fail(messages::kPartiqlDotComponent) != nullptr;
  }
  Skip();
  return true;
}

bool Parser::ParsePathIndex(PathMode mode, std::vector<expr::PathElement>& path, Position* wild) {
  if (head().kind == TokenKind::kStar) {
    if (mode == PathMode::kSimple) return Fail(messages::kPartiqlSimpleComponent) != nullptr;
    *wild = head().at;
    Skip();
    return Expect(TokenKind::kRightBracket, "RIGHT_BRACKET");
  }
  const Node* index = ParseExpression();
  if (index == nullptr || !Expect(TokenKind::kRightBracket, "RIGHT_BRACKET")) return false;
  if (index->kind == NodeKind::kLiteral && index->value.is(model::Type::kS)) {
    path.push_back({.name = index->value.str()});
    return true;
  }
  const bool is_integer =
      index->kind == NodeKind::kNumber && index->text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_integer) {
    if (mode == PathMode::kSimple && index->kind != NodeKind::kNumber)
      return Fail(messages::kPartiqlSimpleComponent) != nullptr;
    *wild = index->at;
    return true;
  }
  uint32_t number = 0;
  const auto parsed = std::from_chars(index->text.data(), index->text.data() + index->text.size(), number);
  const bool fits = parsed.ec == std::errc() && number <= INT32_MAX && (number == 0 || !index->is_negated);
  if (!fits)
    Fault(messages::kPartiqlListIndex, fmt::format("{}{}", index->is_negated ? "-" : "", index->text),
          index->at.ToString());
  path.push_back({.index = number, .is_index = true});
  return true;
}

// --- terms

Node* Parser::ParseTerm() {
  const Token& token = head();
  switch (token.kind) {
    case TokenKind::kOperator: return Fail(messages::kPartiqlUnexpectedOperator);
    case TokenKind::kKeyword: return ParseKeywordTerm();
    case TokenKind::kLeftParen: return ParseGroup();
    case TokenKind::kLeftBracket: return ParseCollection(NodeKind::kList, TokenKind::kRightBracket, "RIGHT_BRACKET");
    case TokenKind::kLeftBag:
      return ParseCollection(NodeKind::kBag, TokenKind::kRightBag, "RIGHT_DOUBLE_ANGLE_BRACKET");
    case TokenKind::kLeftCurly: return ParseStruct();
    case TokenKind::kIdentifier:
    case TokenKind::kQuotedIdentifier: break;
    case TokenKind::kParameter: {
      Node* node = New(NodeKind::kParameter, token.at);
      node->parameter = parameter_count_++;
      Skip();
      return node;
    }
    case TokenKind::kString:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kNull: {
      Node* node = New(NodeKind::kLiteral, token.at);
      if (token.kind == TokenKind::kString) node->value = model::Value::String(token.text);
      else if (token.kind != TokenKind::kNull) node->value = model::Value::Bool(token.kind == TokenKind::kTrue);
      Skip();
      return node;
    }
    case TokenKind::kNumber: {
      Node* node = New(NodeKind::kNumber, token.at);
      node->text = token.text;
      Skip();
      return node;
    }
    case TokenKind::kMissing: {
      Node* node = New(NodeKind::kMissing, token.at);
      Skip();
      return node;
    }
    default: return Fail(messages::kPartiqlUnexpectedTerm);
  }
  Skip();
  if (head().kind == TokenKind::kLeftParen) return ParseCall(token);
  Node* node = New(NodeKind::kPath, token.at);
  node->path = arena_.Copy(std::vector<expr::PathElement>{{.name = token.text}});
  return node;
}

Node* Parser::ParseKeywordTerm() {
  const Token& word = head();
  if (word.text == "select") return ParseSelect();
  if (word.text == "from") return ParseFromFirst();
  if (word.text == "update") return ParseUpdate();
  if (word.text == "delete") return ParseDelete();
  if (word.text == "insert_into") return ParseInsert();
  if (word.text == "set" || word.text == "remove") {
    // Data manipulation without a table: well formed, and refused.
    Body body;
    body.kind = StatementKind::kUpdate;
    if (!ParseAssignments(body)) return nullptr;
    Fault(messages::kPartiqlUnsupportedOperation, "DataManipulation");
    return NewStatement(body, word.at);
  }
  if (!IsFunctionKeyword(word.text) || head(1).kind != TokenKind::kLeftParen)
    return Fail(messages::kPartiqlUnexpectedKeyword);
  Skip();
  return ParseCall(word);
}

// The head is the parenthesis.
Node* Parser::ParseCall(const Token& name) {
  Skip();
  Node* call = New(NodeKind::kCall, name.at);
  std::string lower(name.text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  call->text = arena_.Copy(lower);
  std::vector<Node*> arguments;
  if (head().kind == TokenKind::kStar) {
    if (lower != "count") return Fail(messages::kPartiqlCallWithStar, lower);
    Skip();
  } else if (head().kind != TokenKind::kRightParen && !ParseList(arguments)) {
    return nullptr;
  }
  if (!Expect(TokenKind::kRightParen, "RIGHT_PAREN")) return nullptr;
  call->children = arena_.Copy(arguments);
  return call;
}

Node* Parser::ParseGroup() {
  const Position at = head().at;
  Skip();
  std::vector<Node*> items;
  if (!ParseList(items) || !Expect(TokenKind::kRightParen, "RIGHT_PAREN")) return nullptr;
  return items.size() == 1 ? items[0] : New(NodeKind::kList, at, items);
}

Node* Parser::ParseCollection(NodeKind kind, TokenKind close, std::string_view close_name) {
  const Position at = head().at;
  Skip();
  std::vector<Node*> items;
  if (Take(close)) return New(kind, at, items);
  if (!ParseList(items) || !Expect(close, close_name)) return nullptr;
  return New(kind, at, items);
}

Node* Parser::ParseStruct() {
  const Position at = head().at;
  Skip();
  std::vector<Node*> members;
  if (Take(TokenKind::kRightCurly)) return New(NodeKind::kStruct, at, members);
  do {
    Node* name = ParseExpression();
    if (name == nullptr || !Expect(TokenKind::kColon, "COLON")) return nullptr;
    Node* value = ParseExpression();
    if (value == nullptr) return nullptr;
    members.push_back(name);
    members.push_back(value);
  } while (Take(TokenKind::kComma));
  if (!Expect(TokenKind::kRightCurly, "RIGHT_CURLY")) return nullptr;
  return New(NodeKind::kStruct, at, members);
}

bool Parser::ParseList(std::vector<Node*>& items) {
  do {
    Node* item = ParseExpression();
    if (item == nullptr) return false;
    items.push_back(item);
  } while (Take(TokenKind::kComma));
  return true;
}

}  // namespace armature::partiql
