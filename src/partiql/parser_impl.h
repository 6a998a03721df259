// The parser's state and its two halves: expressions by precedence, and statements, which are terms of expressions.
//
// A method that fails returns null with `error()` set. What is wrong with a statement that is well formed (an index out
// of range, an alias, …) is noted as the first `fault()` and parsing goes on, since bad syntax is told first. Internal
// to partiql/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/memory/arena.h"
#include "partiql/ast.h"
#include "partiql/lexer.h"

namespace armature::partiql {

class Parser {
 public:
  Parser(std::vector<Token> tokens, Arena& arena) : tokens_(std::move(tokens)), arena_(arena) {}

  // The whole text: one expression and the end.
  Node* ParseAll();

  // Without what stands before every syntax error.
  const std::string& error() const { return error_; }
  // Set instead of an error when the text nests too deeply.
  bool is_too_deep() const { return is_too_deep_; }
  const std::string& fault() const { return fault_; }
  // Told after a look at the index.
  const std::string& late_fault() const { return late_fault_; }
  uint32_t parameter_count() const { return parameter_count_; }

 private:
  enum class PathMode { kFull, kSimple };

  // --- tokens
  const Token& head(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  void Skip() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }
  bool TakeKeyword(std::string_view word);
  bool Take(TokenKind kind);
  bool Expect(TokenKind kind, std::string_view name);

  template <class... Args>
  std::nullptr_t Fail(std::string_view text, const Args&... args) {
    if (error_.empty()) error_ = fmt::format(fmt::runtime(text), args...);
    return nullptr;
  }
  template <class... Args>
  void Fault(std::string_view text, const Args&... args) {
    if (fault_.empty()) fault_ = fmt::format(fmt::runtime(text), args...);
  }
  template <class... Args>
  void LateFault(std::string_view text, const Args&... args) {
    if (late_fault_.empty()) late_fault_ = fmt::format(fmt::runtime(text), args...);
  }

  Node* New(NodeKind kind, const Position& at);
  Node* New(NodeKind kind, const Position& at, const std::vector<Node*>& children);
  Node* NewStatement(const Body& body, const Position& at);

  // --- expressions
  Node* ParseExpression(int precedence = -1);
  Node* ParseInfix(Node* left, const Token& op, int precedence);
  Node* ParseRightSide(int precedence);
  Node* ParseIn(Node* left, const Token& op, int precedence);
  Node* ParseIs(Node* left, const Token& op);
  Node* ParseBetween(Node* left, const Token& op, int precedence);
  Node* ParseUnary();
  Node* ParsePath(PathMode mode);
  bool ParsePathDot(PathMode mode, std::vector<expr::PathElement>& path, Position* wild);
  bool ParsePathIndex(PathMode mode, std::vector<expr::PathElement>& path, Position* wild);
  Node* ParseTerm();
  Node* ParseKeywordTerm();
  Node* ParseCall(const Token& name);
  Node* ParseGroup();
  Node* ParseCollection(NodeKind kind, TokenKind close, std::string_view close_name);
  Node* ParseStruct();
  // Separated by commas, at least one.
  bool ParseList(std::vector<Node*>& items);

  // --- statements
  Node* ParseSelect();
  bool ParseColumns(Body& body);
  bool ParseSelectSource(Body& body);
  bool ParseOrderBy(Body& body);
  bool ParseUnsupportedClauses();
  Node* ParseFromFirst();
  Node* ParseUpdate();
  Node* ParseDelete();
  Node* ParseInsert();
  bool ParseDmlSource(Body& body);
  bool ParseAssignments(Body& body);
  bool ParseAssignment(std::vector<Assignment>& assignments);
  bool ParseWhere(Body& body);
  bool ParseReturning(Body& body);
  bool ParseAlias();
  void SetSource(const Node* source, Body& body);

  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nesting() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  const std::vector<Token> tokens_;
  Arena& arena_;
  size_t at_ = 0;
  int depth_ = 0;
  uint32_t parameter_count_ = 0;
  uint32_t operator_count_ = 0;
  std::string error_;
  bool is_too_deep_ = false;
  std::string fault_;
  std::string late_fault_;
};

}  // namespace armature::partiql
