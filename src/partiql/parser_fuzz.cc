// libFuzzer's entry to the parser: any bytes must give a tree or an error, within bounds, and the same each time.
//
// Built by clang with AddressSanitizer and UBSan (`./dev fuzz`), never by the normal build. Seeds and dictionary are in
// tools/fuzz.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "partiql/parser.h"

namespace armature::partiql {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// Reads every node, so that a dangling view shows; the depth is what lowering will recurse into.
size_t Walk(const Node* node, int depth);

size_t WalkBody(const Body& body, int depth) {
  size_t sum = body.table.size() + body.index.size();
  for (const Column& column : body.columns) sum += column.name.size() + column.path.size();
  for (const OrderTerm& term : body.order_by) sum += term.attribute.size();
  for (const Assignment& assignment : body.assignments) sum += Walk(assignment.value, depth + 1);
  for (const InsertedAttribute& attribute : body.item) sum += attribute.name.size() + Walk(attribute.value, depth + 1);
  return sum + Walk(body.where, depth + 1);
}

size_t Walk(const Node* node, int depth) {
  if (node == nullptr) return 0;
  Require(depth < 2000);
  size_t sum = 1;
  for (const char c : node->text) sum += static_cast<uint8_t>(c);
  for (const Node* child : node->children) sum += Walk(child, depth + 1);
  if (node->body != nullptr) sum += WalkBody(*node->body, depth + 1);
  return sum;
}

}  // namespace
}  // namespace armature::partiql

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace partiql = armature::partiql;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t sum = 0;
  std::string message;
  {
    // A copy of exactly this length: reading behind the text is then seen. The tree must not refer to it afterwards.
    const std::string copy(text);
    const auto parsed = partiql::Parse(copy);
    if (parsed.has_value()) {
      const partiql::StatementPtr& statement = *parsed;
      sum = partiql::WalkBody(*statement, 0);
    } else {
      message = parsed.error().message;
      partiql::Require(!message.empty());
    }
  }
  const auto again = partiql::Parse(text);
  partiql::Require(again.has_value() == message.empty());
  if (again.has_value()) partiql::Require(partiql::WalkBody(**again, 0) == sum);
  if (!again.has_value()) partiql::Require(again.error().message == message);
  return 0;
}
