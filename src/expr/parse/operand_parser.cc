#include "expr/parse/operand_parser.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "expr/parse/parser.h"
#include "expr/parse/reserved_words.h"
#include "model/messages/expressions.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;

// No legal text nests deeper: each pair of parentheses needs an operator of its own (300 at most), or doubles another
// pair; functions that nest freely have names too long for more.
constexpr int kMaxDepth = 400;

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

bool EqualsKeyword(std::string_view word, std::string_view upper_keyword) {
  if (word.size() != upper_keyword.size()) return false;
  for (size_t i = 0; i < word.size(); ++i)
    if ((word[i] & ~0x20) != upper_keyword[i]) return false;
  return true;
}

}  // namespace

std::string_view FunctionName(Function function) {
  for (const FunctionEntry& entry : kFunctions)
    if (entry.function == function) return entry.name;
  return "";
}

// --- tokens

bool OperandParser::AtKeyword(std::string_view upper) const {
  return At(TokenKind::kName) && EqualsKeyword(Text(Peek()), upper);
}

bool OperandParser::AtAnyKeyword() const {
  return std::any_of(keywords_.begin(), keywords_.end(),
                     [this](std::string_view keyword) { return AtKeyword(keyword); });
}

bool OperandParser::Accept(TokenKind kind) {
  if (!At(kind)) return false;
  ++at_;
  return true;
}

bool OperandParser::AcceptKeyword(std::string_view upper) {
  if (!AtKeyword(upper)) return false;
  ++at_;
  return true;
}

// Names the token, and shows the source from the token before to the token after.
std::nullopt_t OperandParser::SyntaxError() {
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

void OperandParser::Note(Rank rank, std::string error) {
  if (rank >= rank_) return;
  rank_ = rank;
  noted_ = std::move(error);
}

void OperandParser::CountOperator() {
  // AWS stops counting at the first one too many, and says 301 for any number.
  if (++operators_ == kMaxOperators + 1) Note(Rank::kLimit, fmt::format(messages::kTooManyOperators, operators_));
}

bool OperandParser::Enter(Rank rank, std::string error) {
  if (++depth_ <= kMaxDepth) return true;
  Note(rank, std::move(error));
  if (out_.error.empty()) out_.error = noted_;
  return false;
}

bool OperandParser::EnterParentheses() {
  return Enter(Rank::kParentheses, std::string(messages::kRedundantParentheses));
}

bool OperandParser::Close(NodeIndex inner) {
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

// --- nodes

NodeIndex OperandParser::Add(const Node& node) {
  out_.nodes.push_back(node);
  return static_cast<NodeIndex>(out_.nodes.size() - 1);
}

void OperandParser::SetArguments(Node& node, std::span<const NodeIndex> arguments) {
  node.first = static_cast<uint32_t>(out_.links.size());
  node.count = static_cast<uint32_t>(arguments.size());
  out_.links.insert(out_.links.end(), arguments.begin(), arguments.end());
}

// --- operands

std::optional<PathPart> OperandParser::ParsePathName() {
  const Token& token = Peek();
  if (token.kind == TokenKind::kAlias) {
    ++at_;
    return PathPart{.kind = PathPart::Kind::kAlias, .text = token.range};
  }
  if (token.kind != TokenKind::kName || AtAnyKeyword()) return SyntaxError();
  if (IsReservedWord(Text(token))) Note(reserved_words_, fmt::format(messages::kReservedKeyword, Text(token)));
  ++at_;
  return PathPart{.kind = PathPart::Kind::kName, .text = token.range};
}

// After the opening bracket.
std::optional<PathPart> OperandParser::ParsePathIndex() {
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

OperandParser::MaybeNode OperandParser::ParsePath() {
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
OperandParser::MaybeNode OperandParser::ParseFunction() {
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

OperandParser::MaybeNode OperandParser::ParseOperand() {
  if (Accept(TokenKind::kLeftParen)) {
    if (!EnterParentheses()) return std::nullopt;
    const auto inner = ParseOperand();
    if (!inner || !Close(*inner)) return std::nullopt;
    return inner;
  }
  const Token& token = Peek();
  if (Accept(TokenKind::kValue)) return Add({.kind = NodeKind::kValue, .text = token.range});
  if (At(TokenKind::kName) && Peek(1).kind == TokenKind::kLeftParen && !AtAnyKeyword()) return ParseFunction();
  return ParsePath();
}

ParsedExpression OperandParser::Finish(bool parsed) {
  if (parsed && !At(TokenKind::kEnd)) SyntaxError();
  if (out_.error.empty()) out_.error = std::move(noted_);
  return std::move(out_);
}

}  // namespace armature::expr
