#include "expr/parse/parser.h"

#include "expr/parse/condition_parser.h"
#include "expr/parse/operand_parser.h"
#include "expr/parse/update_parser.h"
#include "model/messages/expressions.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;

class ProjectionParser : private OperandParser {
 public:
  explicit ProjectionParser(std::string_view source) : OperandParser(source, {}, Rank::kReserved) {}

  ParsedExpression Run() { return Finish(ParsePaths()); }

 private:
  bool ParsePaths() {
    do {
      const auto path = ParsePath();
      if (!path) return false;
      out_.paths.push_back(*path);
    } while (Accept(TokenKind::kComma));
    return true;
  }
};

ParsedExpression Refused(std::string_view error) {
  ParsedExpression refused;
  refused.error = error;
  return refused;
}

}  // namespace

ParsedExpression Parse(Grammar grammar, std::string_view source) {
  if (source.size() > kMaxExpressionBytes) return Refused(messages::kExpressionTooLong);
  if (IsBlank(source)) return Refused(messages::kExpressionEmpty);
  switch (grammar) {
    case Grammar::kCondition: return ConditionParser(source).Run();
    case Grammar::kUpdate: return UpdateParser(source).Run();
    case Grammar::kProjection: return ProjectionParser(source).Run();
  }
  return {};
}

}  // namespace armature::expr
