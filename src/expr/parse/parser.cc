#include "expr/parse/parser.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "expr/parse/lexer.h"
#include "expr/parse/reserved_words.h"
#include "model/messages/expressions.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;

// No legal text nests deeper: each pair of parentheses needs an operator of its own (300 at most), or doubles another
// pair; functions that nest freely have names too long for more.
constexpr int kMaxDepth = 400;

// Errors that leave the text readable. The whole text is read first, and the first error of the lowest rank counts.
// (Updates rank reserved words before functions, the other grammars after.)
enum class Rank : uint8_t {
  kParentheses,
  kReservedInUpdate,
  kUnknownFunction,
  kMisusedFunction,
  kReserved,
  kSection,
  kLimit,
  kNone,
};

struct FunctionEntry {
  std::string_view name;
  Function function;
};

constexpr FunctionEntry kFunctions[] = {
    {"attribute_exists", Function::kAttributeExists},
    {"attribute_not_exists", Function::kAttributeNotExists},
    {"attribute_type", Function::kAttributeType},
    {"begins_with", Function::kBeginsWith},
    {"contains", Function::kContains},
    {"size", Function::kSize},
    {"if_not_exists", Function::kIfNotExists},
    {"list_append", Function::kListAppend},
};

bool IsUpdateFunction(Function f) { return f == Function::kIfNotExists || f == Function::kListAppend; }

bool EqualsKeyword(std::string_view word, std::string_view upper_keyword) {
  if (word.size() != upper_keyword.size()) return false;
  for (size_t i = 0; i < word.size(); ++i)
    if ((word[i] & ~0x20) != upper_keyword[i]) return false;
  return true;
}

// A recursive-descent parser. A method that fails returns nullopt, with the syntax error noted in `out_.error`.
class Parser {
 public:
  Parser(Grammar grammar, std::string_view source) : grammar_(grammar), source_(source), tokens_(Tokenize(source)) {}

  ParsedExpression Run();

 private:
  using MaybeNode = std::optional<NodeIndex>;

  // Tokens.
  const Token& Peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  std::string_view Text(const Token& token) const { return token.range.In(source_); }
  bool At(TokenKind kind) const { return Peek().kind == kind; }
  bool AtKeyword(std::string_view upper) const { return At(TokenKind::kName) && EqualsKeyword(Text(Peek()), upper); }
  bool AtAnyKeyword() const;
  bool Accept(TokenKind kind);
  bool AcceptKeyword(std::string_view upper);
  std::nullopt_t SyntaxError();
  void Note(Rank rank, std::string error);
  void CountOperator();
  // False, with an error noted, when nesting goes beyond anything legal.
  bool Enter(Rank rank, std::string error);

  // Nodes.
  NodeIndex Add(const Node& node);
  NodeIndex AddCondition(ConditionOp op, std::span<const NodeIndex> arguments);
  void SetArguments(Node& node, std::span<const NodeIndex> arguments);

  // Every grammar.
  MaybeNode ParsePath();
  std::optional<PathPart> ParsePathName();
  std::optional<PathPart> ParsePathIndex();
  MaybeNode ParseFunction();
  MaybeNode ParseOperand();
  bool Close(NodeIndex inner);

  // Conditions.
  MaybeNode ParseOr(bool may_be_operand);
  MaybeNode ParseAnd(bool may_be_operand);
  MaybeNode ParseNot(bool may_be_operand);
  MaybeNode ParsePrimary(bool may_be_operand);
  MaybeNode ParseAfterOperand(NodeIndex left);
  void CheckFunctionUse(NodeIndex index, bool as_condition);

  // Updates.
  bool ParseUpdate();
  bool ParseClause(UpdateActionKind kind);
  MaybeNode ParseAssignedValue();
  void CheckUpdateFunctions(NodeIndex index, bool inside_list_append);

  bool ParseProjection();

  const Grammar grammar_;
  const std::string_view source_;
  const std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  uint32_t operators_ = 0;
  Rank rank_ = Rank::kNone;
  std::string noted_;
  ParsedExpression out_;
};

// --- tokens

bool Parser::AtAnyKeyword() const {
  switch (grammar_) {
    case Grammar::kCondition:
      return AtKeyword("AND") || AtKeyword("OR") || AtKeyword("NOT") || AtKeyword("BETWEEN") || AtKeyword("IN");
    case Grammar::kUpdate: return AtKeyword("SET") || AtKeyword("REMOVE") || AtKeyword("ADD") || AtKeyword("DELETE");
    case Grammar::kProjection: return false;
  }
  return false;
}

bool Parser::Accept(TokenKind kind) {
  if (!At(kind)) return false;
  ++at_;
  return true;
}

bool Parser::AcceptKeyword(std::string_view upper) {
  if (!AtKeyword(upper)) return false;
  ++at_;
  return true;
}

// Names the token, and shows the source from the token before to the token after.
std::nullopt_t Parser::SyntaxError() {
  if (!out_.error.empty()) return std::nullopt;
  const Token& token = Peek();
  const Token& first = at_ > 0 ? tokens_[at_ - 1] : token;
  const Token& last = Peek(1).kind == TokenKind::kEnd ? token : Peek(1);
  const size_t begin = first.range.offset;
  const size_t end =
      token.kind == TokenKind::kEnd ? first.range.offset + first.range.length : last.range.offset + last.range.length;
  out_.error = fmt::format(messages::kExpressionSyntaxError, token.kind == TokenKind::kEnd ? "<EOF>" : Text(token),
                           source_.substr(begin, end - begin));
  return std::nullopt;
}

void Parser::Note(Rank rank, std::string error) {
  if (rank >= rank_) return;
  rank_ = rank;
  noted_ = std::move(error);
}

void Parser::CountOperator() {
  // AWS stops counting at the first one too many, and says 301 for any number.
  if (++operators_ == kMaxOperators + 1) Note(Rank::kLimit, fmt::format(messages::kTooManyOperators, operators_));
}

bool Parser::Enter(Rank rank, std::string error) {
  if (++depth_ <= kMaxDepth) return true;
  Note(rank, std::move(error));
  if (out_.error.empty()) out_.error = noted_;
  return false;
}

// --- nodes

NodeIndex Parser::Add(const Node& node) {
  out_.nodes.push_back(node);
  return static_cast<NodeIndex>(out_.nodes.size() - 1);
}

void Parser::SetArguments(Node& node, std::span<const NodeIndex> arguments) {
  node.first = static_cast<uint32_t>(out_.links.size());
  node.count = static_cast<uint32_t>(arguments.size());
  out_.links.insert(out_.links.end(), arguments.begin(), arguments.end());
}

NodeIndex Parser::AddCondition(ConditionOp op, std::span<const NodeIndex> arguments) {
  Node node{.kind = NodeKind::kCondition, .op = op};
  SetArguments(node, arguments);
  return Add(node);
}

// --- what all grammars share

std::optional<PathPart> Parser::ParsePathName() {
  const Token& token = Peek();
  if (token.kind == TokenKind::kAlias) {
    ++at_;
    return PathPart{.kind = PathPart::Kind::kAlias, .text = token.range};
  }
  if (token.kind != TokenKind::kName || AtAnyKeyword()) return SyntaxError();
  if (IsReservedWord(Text(token)))
    Note(grammar_ == Grammar::kUpdate ? Rank::kReservedInUpdate : Rank::kReserved,
         fmt::format(messages::kReservedKeyword, Text(token)));
  ++at_;
  return PathPart{.kind = PathPart::Kind::kName, .text = token.range};
}

// After the opening bracket.
std::optional<PathPart> Parser::ParsePathIndex() {
  const Token& token = Peek();
  if (!Accept(TokenKind::kNumber)) return SyntaxError();
  const std::string_view digits = Text(token);
  uint32_t index = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (parsed.ec != std::errc() || index > static_cast<uint32_t>(std::numeric_limits<int32_t>::max()))
    Note(Rank::kLimit, fmt::format(messages::kListIndexOutOfRange, digits));
  if (!Accept(TokenKind::kRightBracket)) return SyntaxError();
  return PathPart{.kind = PathPart::Kind::kIndex, .text = token.range, .index = index};
}

Parser::MaybeNode Parser::ParsePath() {
  Node node{.kind = NodeKind::kPath, .first = static_cast<uint32_t>(out_.parts.size())};
  auto part = ParsePathName();
  while (part) {
    out_.parts.push_back(*part);
    if (Accept(TokenKind::kDot)) {
      part = ParsePathName();
    } else if (Accept(TokenKind::kLeftBracket)) {
      part = ParsePathIndex();
    } else {
      node.count = static_cast<uint32_t>(out_.parts.size()) - node.first;
      if (node.count > kMaxPathElements) Note(Rank::kLimit, fmt::format(messages::kPathTooDeep, node.count));
      ++out_.path_count;
      return Add(node);
    }
  }
  return std::nullopt;
}

// At a name followed by a parenthesis.
Parser::MaybeNode Parser::ParseFunction() {
  const std::string_view name = Text(Peek());
  Node node{.kind = NodeKind::kFunction};
  for (const FunctionEntry& entry : kFunctions)
    if (entry.name == name) node.function = entry.function;
  if (node.function == Function::kUnknown)
    Note(Rank::kUnknownFunction, fmt::format(messages::kInvalidFunctionName, name));
  at_ += 2;
  if (!Enter(Rank::kMisusedFunction, fmt::format(messages::kMisusedFunction, name))) return std::nullopt;
  std::vector<NodeIndex> arguments;
  do {
    const auto argument = ParseOperand();
    if (!argument) return std::nullopt;
    arguments.push_back(*argument);
  } while (Accept(TokenKind::kComma));
  if (!Accept(TokenKind::kRightParen)) return SyntaxError();
  --depth_;
  SetArguments(node, arguments);
  return Add(node);
}

// After something in parentheses: takes the closing one, and notes a doubled pair.
bool Parser::Close(NodeIndex inner) {
  if (!Accept(TokenKind::kRightParen)) {
    SyntaxError();
    return false;
  }
  --depth_;
  Node& node = out_.nodes[inner];
  if (node.parenthesised) Note(Rank::kParentheses, std::string(messages::kRedundantParentheses));
  node.parenthesised = true;
  return true;
}

Parser::MaybeNode Parser::ParseOperand() {
  if (Accept(TokenKind::kLeftParen)) {
    if (!Enter(Rank::kParentheses, std::string(messages::kRedundantParentheses))) return std::nullopt;
    const auto inner = ParseOperand();
    if (!inner || !Close(*inner)) return std::nullopt;
    return inner;
  }
  const Token& token = Peek();
  if (Accept(TokenKind::kValue)) return Add({.kind = NodeKind::kValue, .text = token.range});
  if (At(TokenKind::kName) && Peek(1).kind == TokenKind::kLeftParen && !AtAnyKeyword()) return ParseFunction();
  return ParsePath();
}

// --- conditions

// `may_be_operand`: this stands in parentheses, where a single operand is fine too, as in `(a) = :v`.
Parser::MaybeNode Parser::ParseOr(bool may_be_operand) {
  auto first = ParseAnd(may_be_operand);
  if (!first || !AtKeyword("OR")) return first;
  std::vector<NodeIndex> children{*first};
  while (AcceptKeyword("OR")) {
    CountOperator();
    const auto next = ParseAnd(false);
    if (!next) return std::nullopt;
    children.push_back(*next);
  }
  return AddCondition(ConditionOp::kOr, children);
}

Parser::MaybeNode Parser::ParseAnd(bool may_be_operand) {
  auto first = ParseNot(may_be_operand);
  if (!first || !AtKeyword("AND")) return first;
  std::vector<NodeIndex> children{*first};
  while (AcceptKeyword("AND")) {
    CountOperator();
    const auto next = ParseNot(false);
    if (!next) return std::nullopt;
    children.push_back(*next);
  }
  return AddCondition(ConditionOp::kAnd, children);
}

Parser::MaybeNode Parser::ParseNot(bool may_be_operand) {
  uint32_t count = 0;
  while (AcceptKeyword("NOT")) {
    CountOperator();
    ++count;
  }
  auto node = ParsePrimary(may_be_operand && count == 0);
  // Too many were noted above; there is no use in building them.
  for (count = std::min(count, kMaxOperators + 1); node && count > 0; --count) {
    const NodeIndex child = *node;
    node = AddCondition(ConditionOp::kNot, {&child, 1});
  }
  return node;
}

Parser::MaybeNode Parser::ParsePrimary(bool may_be_operand) {
  MaybeNode node;
  if (Accept(TokenKind::kLeftParen)) {
    if (!Enter(Rank::kParentheses, std::string(messages::kRedundantParentheses))) return std::nullopt;
    node = ParseOr(true);
    if (!node || !Close(*node)) return std::nullopt;
    if (out_.nodes[*node].kind == NodeKind::kCondition) return node;
  } else {
    node = ParseOperand();
    if (!node) return std::nullopt;
  }
  // A function may be the whole condition; whether it is one that may, is checked at the end.
  const bool can_end = out_.nodes[*node].kind == NodeKind::kFunction || (may_be_operand && At(TokenKind::kRightParen));
  const size_t before = at_;
  const auto condition = ParseAfterOperand(*node);
  if (!condition && can_end && at_ == before && out_.error.empty()) return node;
  if (!condition) return SyntaxError();
  return condition;
}

std::optional<ConditionOp> ComparatorOf(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual: return ConditionOp::kEqual;
    case TokenKind::kNotEqual: return ConditionOp::kNotEqual;
    case TokenKind::kLess: return ConditionOp::kLess;
    case TokenKind::kLessEqual: return ConditionOp::kLessEqual;
    case TokenKind::kGreater: return ConditionOp::kGreater;
    case TokenKind::kGreaterEqual: return ConditionOp::kGreaterEqual;
    default: return std::nullopt;
  }
}

// Null without an error, and nothing read, when no comparison follows.
Parser::MaybeNode Parser::ParseAfterOperand(NodeIndex left) {
  std::vector<NodeIndex> operands{left};
  const auto take_operand = [&] {
    const auto operand = ParseOperand();
    if (operand) operands.push_back(*operand);
    return operand.has_value();
  };
  if (const auto op = ComparatorOf(Peek().kind)) {
    ++at_;
    CountOperator();
    if (!take_operand()) return std::nullopt;
    return AddCondition(*op, operands);
  }
  if (AcceptKeyword("BETWEEN")) {
    CountOperator();
    if (!take_operand()) return std::nullopt;
    if (!AcceptKeyword("AND")) return SyntaxError();
    if (!take_operand()) return std::nullopt;
    return AddCondition(ConditionOp::kBetween, operands);
  }
  if (AcceptKeyword("IN")) {
    CountOperator();
    if (!Accept(TokenKind::kLeftParen)) return SyntaxError();
    do {
      if (!take_operand()) return std::nullopt;
    } while (Accept(TokenKind::kComma));
    if (!Accept(TokenKind::kRightParen)) return SyntaxError();
    return AddCondition(ConditionOp::kIn, operands);
  }
  return std::nullopt;
}

// size() is an operand, the others are conditions; those of updates have no place here.
void Parser::CheckFunctionUse(NodeIndex index, bool as_condition) {
  const Node node = out_.nodes[index];
  if (node.kind == NodeKind::kFunction && node.function != Function::kUnknown) {
    if (IsUpdateFunction(node.function))
      Note(Rank::kMisusedFunction, fmt::format(messages::kFunctionNotInCondition, FunctionName(node.function)));
    else if (as_condition == (node.function == Function::kSize))
      Note(Rank::kMisusedFunction, fmt::format(messages::kMisusedFunction, FunctionName(node.function)));
  }
  if (node.kind == NodeKind::kPath || node.kind == NodeKind::kValue) return;
  const bool of_conditions = node.kind == NodeKind::kCondition && node.op <= ConditionOp::kNot;
  for (uint32_t i = 0; i < node.count; ++i) CheckFunctionUse(out_.links[node.first + i], of_conditions);
}

// --- updates

bool Parser::ParseUpdate() {
  struct Section {
    std::string_view keyword;
    UpdateActionKind kind;
    bool seen = false;
  };
  Section sections[] = {{"SET", UpdateActionKind::kSet},
                        {"REMOVE", UpdateActionKind::kRemove},
                        {"ADD", UpdateActionKind::kAdd},
                        {"DELETE", UpdateActionKind::kDelete}};
  do {
    Section* found = nullptr;
    for (Section& section : sections)
      if (AcceptKeyword(section.keyword)) found = &section;
    if (found == nullptr) {
      SyntaxError();
      return false;
    }
    if (found->seen) Note(Rank::kSection, fmt::format(messages::kSectionRepeated, found->keyword));
    found->seen = true;
    if (!ParseClause(found->kind)) return false;
  } while (!At(TokenKind::kEnd));
  return true;
}

bool Parser::ParseClause(UpdateActionKind kind) {
  do {
    ParsedAction action{.kind = kind};
    const auto path = ParsePath();
    if (!path) return false;
    action.path = *path;
    if (kind == UpdateActionKind::kSet) {
      MaybeNode value;
      if (Accept(TokenKind::kEqual)) value = ParseAssignedValue();
      else SyntaxError();
      if (!value) return false;
      action.value = *value;
      CheckUpdateFunctions(*value, false);
    } else if (kind != UpdateActionKind::kRemove) {
      const Token& token = Peek();
      if (!Accept(TokenKind::kValue)) {
        SyntaxError();
        return false;
      }
      action.value = Add({.kind = NodeKind::kValue, .text = token.range});
    }
    out_.actions.push_back(action);
  } while (Accept(TokenKind::kComma));
  return true;
}

Parser::MaybeNode Parser::ParseAssignedValue() {
  MaybeNode left;
  if (Accept(TokenKind::kLeftParen)) {
    if (!Enter(Rank::kParentheses, std::string(messages::kRedundantParentheses))) return std::nullopt;
    left = ParseAssignedValue();
    if (!left || !Close(*left)) return std::nullopt;
    // A sum in parentheses is complete: there is one + or - per assignment.
    const NodeKind kind = out_.nodes[*left].kind;
    if (kind == NodeKind::kPlus || kind == NodeKind::kMinus) return left;
  } else {
    left = ParseOperand();
    if (!left) return std::nullopt;
  }
  Node sum{.kind = NodeKind::kPlus};
  if (Accept(TokenKind::kMinus)) sum.kind = NodeKind::kMinus;
  else if (!Accept(TokenKind::kPlus)) return left;
  CountOperator();
  const auto right = ParseOperand();
  if (!right) return std::nullopt;
  const NodeIndex arguments[] = {*left, *right};
  SetArguments(sum, arguments);
  return Add(sum);
}

void Parser::CheckUpdateFunctions(NodeIndex index, bool inside_list_append) {
  const Node node = out_.nodes[index];
  if (node.kind == NodeKind::kPath || node.kind == NodeKind::kValue) return;
  if (node.kind == NodeKind::kFunction && node.function != Function::kUnknown && out_.late_error.empty()) {
    if (!IsUpdateFunction(node.function))
      out_.late_error = fmt::format(messages::kFunctionNotInUpdate, FunctionName(node.function));
    else if (inside_list_append && node.function == Function::kListAppend)
      out_.late_error = fmt::format(messages::kMisusedFunction, FunctionName(node.function));
  }
  const bool list_append = inside_list_append || node.function == Function::kListAppend;
  for (uint32_t i = 0; i < node.count; ++i) CheckUpdateFunctions(out_.links[node.first + i], list_append);
}

// --- projections

bool Parser::ParseProjection() {
  do {
    const auto path = ParsePath();
    if (!path) return false;
    out_.paths.push_back(*path);
  } while (Accept(TokenKind::kComma));
  return true;
}

ParsedExpression Parser::Run() {
  bool parsed = false;
  if (At(TokenKind::kEnd)) {
    out_.error = messages::kExpressionEmpty;
  } else if (grammar_ == Grammar::kCondition) {
    const auto root = ParseOr(false);
    parsed = root.has_value();
    if (parsed) out_.root = *root;
  } else {
    parsed = grammar_ == Grammar::kUpdate ? ParseUpdate() : ParseProjection();
  }
  if (parsed && !At(TokenKind::kEnd)) SyntaxError();
  if (parsed && out_.error.empty() && grammar_ == Grammar::kCondition) CheckFunctionUse(out_.root, true);
  if (out_.error.empty()) out_.error = std::move(noted_);
  return std::move(out_);
}

}  // namespace

std::string_view FunctionName(Function function) {
  for (const FunctionEntry& entry : kFunctions)
    if (entry.function == function) return entry.name;
  return "";
}

ParsedExpression Parse(Grammar grammar, std::string_view source) {
  if (source.size() > kMaxExpressionBytes) {
    ParsedExpression too_long;
    too_long.error = messages::kExpressionTooLong;
    return too_long;
  }
  return Parser(grammar, source).Run();
}

}  // namespace armature::expr
