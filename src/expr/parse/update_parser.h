// UpdateParser: UpdateExpression, its sections in any order.
//
// A function that stands where it may not is a late error: it is told only after those of binding. One text, one
// thread. Internal to expr/parse.
#pragma once

#include "expr/parse/operand_parser.h"

namespace armature::expr {

class UpdateParser : private OperandParser {
 public:
  explicit UpdateParser(std::string_view source);

  ParsedExpression Run();

 private:
  bool ParseSections();
  bool ParseClause(UpdateActionKind kind);
  MaybeNode ParseAssignedValue();
  void CheckUpdateFunctions(NodeIndex index, bool inside_list_append);
};

}  // namespace armature::expr
