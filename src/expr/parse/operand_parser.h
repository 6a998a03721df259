// OperandParser: what the grammars of all expressions have in common, and the state of one parsing.
//
// A recursive-descent parser: tokens, the tree's nodes, and operands: paths, values and functions of them. A method
// that fails returns nullopt, with the syntax error noted. The grammars are its heirs (condition_parser.h,
// update_parser.h). One text, one thread. Internal to expr/parse.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/parse/ast.h"
#include "expr/parse/lexer.h"

namespace armature::expr {

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

inline bool IsUpdateFunction(Function f) { return f == Function::kIfNotExists || f == Function::kListAppend; }

class OperandParser {
 protected:
  using MaybeNode = std::optional<NodeIndex>;

  // `keywords`, in upper case, are no names of attributes.
  OperandParser(std::string_view source, std::span<const std::string_view> keywords, Rank reserved_words)
      : source_(source), tokens_(Tokenize(source)), keywords_(keywords), reserved_words_(reserved_words) {}

  // Tokens.
  const Token& Peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool At(TokenKind kind) const { return Peek().kind == kind; }
  bool AtKeyword(std::string_view upper) const;
  bool Accept(TokenKind kind);
  bool AcceptKeyword(std::string_view upper);

  // Errors.
  std::nullopt_t SyntaxError();
  void Note(Rank rank, std::string error);
  void CountOperator();
  // After an opening parenthesis. False, with an error noted, when nesting goes beyond anything legal.
  bool EnterParentheses();
  // After what stood in them: takes the closing one, and notes a doubled pair.
  bool Close(NodeIndex inner);

  // Nodes.
  NodeIndex Add(const Node& node);
  void SetArguments(Node& node, std::span<const NodeIndex> arguments);

  MaybeNode ParsePath();
  MaybeNode ParseOperand();

  // The tree, or the error that counts: `parsed` says whether the grammar found its form.
  ParsedExpression Finish(bool parsed);
  bool has_error() const { return !out_.error.empty(); }

  ParsedExpression out_;

 private:
  std::string_view Text(const Token& token) const { return token.range.In(source_); }
  bool AtAnyKeyword() const;
  bool Enter(Rank rank, std::string error);
  std::optional<PathPart> ParsePathName();
  std::optional<PathPart> ParsePathIndex();
  MaybeNode ParseFunction();

  const std::string_view source_;
  const std::vector<Token> tokens_;
  const std::span<const std::string_view> keywords_;
  const Rank reserved_words_;
  size_t at_ = 0;
  int depth_ = 0;
  uint32_t operators_ = 0;
  Rank rank_ = Rank::kNone;
  std::string noted_;
};

}  // namespace armature::expr
