// ExpressionWriter: compiled expressions as text again, with placeholders for names and values.
//
// One for each set of ExpressionAttributeNames and -Values: a request, or a member of a transaction. The text is not
// longer than the client's was but for odd cases: placeholders are #0 … #Z and :0 … :Z before they get longer, equal
// names and values share one, a name of one letter stands for itself, and parentheses are only where precedence needs
// them (DynamoDB refuses doubled ones). Whatever is wrong with an expression that can be written is left to DynamoDB.
// Views into the message and the arena; used once, by json_request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/memory/arena.h"
#include "base/text/json_writer.h"
#include "dax/translate/expressions/expression_tree.h"
#include "model/api_error.h"
#include "model/value.h"
#include "model/wording.h"

namespace armature::dax {

class ExpressionWriter {
 public:
  // `wording`: of the operation, for values that DynamoDB does not take.
  explicit ExpressionWriter(Arena& arena, const model::Wording& wording = model::kReadWording)
      : arena_(arena), wording_(wording) {}
  ExpressionWriter(const ExpressionWriter&) = delete;
  ExpressionWriter& operator=(const ExpressionWriter&) = delete;

  // The text of an expression. `parameter`: "FilterExpression", for errors.
  model::ApiResult<std::string> Condition(std::string_view bytes, std::string_view parameter);
  model::ApiResult<std::string> Update(std::string_view bytes);
  model::ApiResult<std::string> Projection(std::string_view bytes);

  // ExpressionAttributeNames and ExpressionAttributeValues, where any were used.
  void WriteAttributeMaps(JsonWriter& json) const;

 private:
  void WriteNode(const ExpressionNode& node, int least_precedence);
  void WriteBare(const ExpressionNode& node);
  void WriteBetween(const ExpressionNode& node, std::string_view word, int least_precedence);
  void WriteCall(std::string_view function, const ExpressionNode& node);
  void WriteArguments(std::span<const ExpressionNode* const> arguments);
  void WriteSection(ExpressionOp op, std::span<const ExpressionNode* const> actions);
  void WriteAction(const ExpressionNode& action);
  void WritePath(DocumentPath path);
  void WriteName(std::string_view name);
  void WriteValue(std::string_view cbor);
  void NoteBadValue(model::ApiError error, size_t number);

  Arena& arena_;
  const model::Wording& wording_;
  // While an expression is written.
  std::string text_;
  std::span<const std::string_view> tree_values_;
  std::optional<model::ApiError> bad_value_;

  std::unordered_map<std::string_view, size_t> name_numbers_;
  std::vector<std::string_view> names_;                         // by number
  std::unordered_map<std::string_view, size_t> value_numbers_;  // by their CBOR
  std::vector<model::Value> values_;
};

}  // namespace armature::dax
