#include "expr/parse/update_parser.h"

#include <fmt/format.h>

#include "expr/parse/parser.h"
#include "model/messages/expressions.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;

constexpr std::string_view kKeywords[] = {"SET", "REMOVE", "ADD", "DELETE"};

}  // namespace

UpdateParser::UpdateParser(std::string_view source) : OperandParser(source, kKeywords, Rank::kReservedInUpdate) {}

ParsedExpression UpdateParser::Run() { return Finish(ParseSections()); }

bool UpdateParser::ParseSections() {
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

bool UpdateParser::ParseClause(UpdateActionKind kind) {
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

UpdateParser::MaybeNode UpdateParser::ParseAssignedValue() {
  MaybeNode left;
  if (Accept(TokenKind::kLeftParen)) {
    if (!EnterParentheses()) return std::nullopt;
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

void UpdateParser::CheckUpdateFunctions(NodeIndex index, bool inside_list_append) {
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

}  // namespace armature::expr
