#include <algorithm>

#include "model/messages/partiql.h"
#include "partiql/parser_impl.h"

namespace armature::partiql {
namespace messages = model::messages;

namespace {

// The name a column gets: the last part with a name, and the indexes behind it.
std::string ColumnName(expr::Path path) {
  size_t last = path.size() - 1;
  while (path[last].is_index) --last;
  std::string name(path[last].name);
  for (const expr::PathElement& element : path.subspan(last + 1)) name += fmt::format("[{}]", element.index);
  return name;
}

}  // namespace

Node* Parser::NewStatement(const Body& body, const Position& at) {
  Node* node = New(NodeKind::kStatement, at);
  node->body = arena_.New<Body>(body);
  return node;
}

// --- what several statements have

// The table, and for a SELECT perhaps an index, that a path names.
void Parser::SetSource(const Node* source, Body& body) {
  if (source->kind != NodeKind::kPath) return Fault(messages::kPartiqlOneSource);
  if (source->path.empty()) return Fault(messages::kPartiqlPathComponent, source->at.ToString());
  for (const expr::PathElement& element : source->path) {
    if (element.is_index) return Fault(messages::kPartiqlListSource);
    if (element.name.empty()) return Fault(messages::kPartiqlEmptyComponent);
  }
  const bool is_insert = body.kind == StatementKind::kInsert;
  if (is_insert && source->path.size() > 1) return Fault(messages::kPartiqlInsertIntoIndex);
  if (source->path.size() > 2) return Fault(messages::kPartiqlFromComponents);
  body.table = source->path[0].name;
  if (source->path.size() < 2) return;
  body.index = source->path[1].name;
  if (body.kind != StatementKind::kSelect) Fault(messages::kPartiqlWriteToIndex);
}

bool Parser::ParseAlias() {
  if (TakeKeyword("as")) {
    if (!head().is_identifier()) return Fail(messages::kPartiqlExpectedAlias, "AS") != nullptr;
    Fault(messages::kPartiqlAliasing);
    Skip();
  } else if (head().is_identifier()) {
    Fault(messages::kPartiqlAliasing);
    Skip();
  }
  for (const std::string_view word : {"at", "by"}) {
    if (!TakeKeyword(word)) continue;
    if (!head().is_identifier()) return Fail(messages::kPartiqlExpectedAlias, word == "at" ? "AT" : "BY") != nullptr;
    Fault(messages::kPartiqlAliasing);
    Skip();
  }
  return true;
}

bool Parser::ParseWhere(Body& body) {
  if (!TakeKeyword("where")) return true;
  body.where = ParseExpression();
  return body.where != nullptr;
}

bool Parser::ParseReturning(Body& body) {
  if (!TakeKeyword("returning")) return true;
  if (TakeKeyword("all_old")) body.returning = Returning::kAllOld;
  else if (TakeKeyword("all_new")) body.returning = Returning::kAllNew;
  else if (TakeKeyword("modified_old")) body.returning = Returning::kModifiedOld;
  else if (TakeKeyword("modified_new")) body.returning = Returning::kModifiedNew;
  else return Fail(messages::kPartiqlExpectedReturning) != nullptr;
  if (Take(TokenKind::kStar)) return true;
  const Node* column = ParseExpression();
  if (column == nullptr) return false;
  Fault(messages::kPartiqlPathComponent, column->at.ToString());
  return true;
}

// --- SELECT

Node* Parser::ParseSelect() {
  const Position at = head().at;
  Skip();
  Body body;
  body.kind = StatementKind::kSelect;
  if (!ParseColumns(body)) return nullptr;
  if (!TakeKeyword("from")) return Fail(messages::kPartiqlExpectedFrom);
  if (!ParseSelectSource(body) || !ParseWhere(body) || !ParseUnsupportedClauses() || !ParseOrderBy(body) ||
      !ParseUnsupportedClauses())
    return nullptr;
  return NewStatement(body, at);
}

bool Parser::ParseColumns(Body& body) {
  const Position first = head().at;
  if (TakeKeyword("distinct")) Fault(messages::kPartiqlUnsupportedClause, "DISTINCT", first.ToString());
  else TakeKeyword("all");
  if (TakeKeyword("value")) {
    Fault(messages::kPartiqlUnsupportedClause, "VALUE", first.ToString());
    return ParseExpression() != nullptr;
  }
  std::vector<Column> columns;
  size_t count = 0;
  bool has_star = false;
  do {
    ++count;
    if (Take(TokenKind::kStar)) {
      has_star = true;
      continue;
    }
    const Node* node = ParseExpression();
    if (node == nullptr || !ParseAlias()) return false;
    if (node->kind != NodeKind::kPath || node->path.empty()) {
      LateFault(messages::kPartiqlPathComponent, node->at.ToString());
      continue;
    }
    columns.push_back({node->path, arena_.Copy(ColumnName(node->path))});
  } while (Take(TokenKind::kComma));
  if (has_star && count > 1) return Fail(messages::kPartiqlStarNotAlone) != nullptr;
  std::ranges::stable_sort(columns, {}, &Column::name);
  const auto twice = std::ranges::adjacent_find(columns, {}, &Column::name);
  if (twice != columns.end()) Fault(messages::kPartiqlDuplicateColumns, twice->name);
  body.columns = arena_.Copy(columns);
  return true;
}

bool Parser::ParseSelectSource(Body& body) {
  const Node* source = ParseExpression(6);  // binds closer than what follows a source
  if (source == nullptr) return false;
  SetSource(source, body);
  if (!ParseAlias()) return false;
  const bool is_join = head().kind == TokenKind::kComma || head().IsKeyword("join") || head().IsKeyword("inner") ||
                       head().IsKeyword("left") || head().IsKeyword("right") || head().IsKeyword("cross") ||
                       head().IsKeyword("full") || head().IsKeyword("outer");
  if (!is_join) return true;
  Fault(messages::kPartiqlOneSource);
  while (head().kind == TokenKind::kKeyword && !head().IsKeyword("where")) Skip();
  Take(TokenKind::kComma);
  Body other;
  if (!ParseSelectSource(other)) return false;
  return !TakeKeyword("on") || ParseExpression() != nullptr;
}

bool Parser::ParseOrderBy(Body& body) {
  if (!TakeKeyword("order")) return true;
  if (!TakeKeyword("by")) return Fail(messages::kPartiqlExpected, "BY") != nullptr;
  std::vector<OrderTerm> terms;
  do {
    const Node* node = ParseExpression();
    if (node == nullptr) return false;
    OrderTerm term;
    if (node->kind == NodeKind::kPath && node->path.size() == 1) term.attribute = node->path[0].name;
    else Fault(messages::kPartiqlPathComponent, node->at.ToString());
    if (TakeKeyword("desc")) term.is_descending = true;
    else TakeKeyword("asc");
    terms.push_back(term);
  } while (Take(TokenKind::kComma));
  body.order_by = arena_.Copy(terms);
  return true;
}

// Clauses of SQL that DynamoDB does not have.
bool Parser::ParseUnsupportedClauses() {
  while (true) {
    std::string_view clause;
    if (head().IsKeyword("group")) clause = "GROUP BY";
    else if (head().IsKeyword("having")) clause = "HAVING";
    else if (head().IsKeyword("limit")) clause = "LIMIT";
    else if (head().IsKeyword("offset")) clause = "OFFSET";
    else return true;
    Skip();
    if (clause == "GROUP BY" && !TakeKeyword("by")) return Fail(messages::kPartiqlExpected, "BY") != nullptr;
    std::vector<Node*> items;
    if (!ParseList(items)) return false;
    Fault(messages::kPartiqlUnsupportedClause, clause, items[0]->at.ToString());
  }
}

// --- UPDATE, DELETE, INSERT

bool Parser::ParseDmlSource(Body& body) {
  const Node* source = ParsePath(PathMode::kSimple);
  if (source == nullptr) return false;
  SetSource(source, body);
  return true;
}

bool Parser::ParseAssignments(Body& body) {
  std::vector<Assignment> assignments;
  while (head().IsKeyword("set") || head().IsKeyword("remove")) {
    const bool is_set = head().text == "set";
    Skip();
    if (!is_set) {
      const Node* target = ParsePath(PathMode::kSimple);
      if (target == nullptr) return false;
      if (target->path.empty()) Fault(messages::kPartiqlPathComponent, target->at.ToString());
      assignments.push_back({.target = target->path});
      continue;
    }
    do {
      if (!ParseAssignment(assignments)) return false;
    } while (Take(TokenKind::kComma));
  }
  if (assignments.empty()) return Fail(messages::kPartiqlExpectedDml) != nullptr;
  body.assignments = arena_.Copy(assignments);
  return true;
}

bool Parser::ParseAssignment(std::vector<Assignment>& assignments) {
  const Node* target = ParsePath(PathMode::kSimple);
  if (target == nullptr) return false;
  if (!head().IsOperator("=")) return Fail(messages::kPartiqlExpectedAssignment) != nullptr;
  Skip();
  Node* value = ParseExpression();
  if (value == nullptr) return false;
  if (target->path.empty()) Fault(messages::kPartiqlPathComponent, target->at.ToString());
  assignments.push_back({.target = target->path, .value = value});
  return true;
}

Node* Parser::ParseUpdate() {
  const Position at = head().at;
  Skip();
  Body body;
  body.kind = StatementKind::kUpdate;
  if (!ParseDmlSource(body) || !ParseAlias() || !ParseAssignments(body) || !ParseWhere(body) || !ParseReturning(body))
    return nullptr;
  return NewStatement(body, at);
}

// `FROM t WHERE … SET …`, which is an UPDATE too.
Node* Parser::ParseFromFirst() {
  const Position at = head().at;
  Skip();
  Body body;
  body.kind = StatementKind::kUpdate;
  if (!ParseSelectSource(body) || !ParseWhere(body) || !ParseAssignments(body) || !ParseReturning(body)) return nullptr;
  return NewStatement(body, at);
}

Node* Parser::ParseDelete() {
  const Position at = head().at;
  Skip();
  if (!TakeKeyword("from")) return Fail(messages::kPartiqlExpectedDeleteFrom);
  Body body;
  body.kind = StatementKind::kDelete;
  if (!ParseDmlSource(body) || !ParseAlias() || !ParseWhere(body) || !ParseReturning(body)) return nullptr;
  if (body.returning != Returning::kNothing && body.returning != Returning::kAllOld)
    Fault(messages::kPartiqlDeleteReturning, ReturningName(body.returning));
  return NewStatement(body, at);
}

Node* Parser::ParseInsert() {
  const Position at = head().at;
  Skip();
  Body body;
  body.kind = StatementKind::kInsert;
  if (!ParseDmlSource(body)) return nullptr;
  const bool is_single = TakeKeyword("value");
  const Node* item = ParseExpression();
  if (item == nullptr) return nullptr;
  if (TakeKeyword("at")) {
    if (ParseExpression() == nullptr) return nullptr;
    Fault(messages::kPartiqlInsertAt);
  }
  if (!is_single || item->kind != NodeKind::kStruct) {
    Fault("{}", messages::kPartiqlItemNotAStruct);
    return NewStatement(body, at);
  }
  std::vector<InsertedAttribute> attributes;
  for (size_t i = 0; i < item->children.size(); i += 2) {
    const Node& name = *item->children[i];
    if (name.kind == NodeKind::kLiteral && name.value.is(model::Type::kS))
      attributes.push_back({name.value.str(), item->children[i + 1]});
    else Fault("{}", messages::kPartiqlItemNotAStruct);
  }
  body.item = arena_.Copy(attributes);
  return NewStatement(body, at);
}

}  // namespace armature::partiql
