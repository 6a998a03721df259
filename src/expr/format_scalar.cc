#include "expr/format_scalar.h"

#include <fmt/format.h>

#include "base/codec/base64.h"

namespace armature::expr {

std::string FormatScalar(const model::Value& value) {
  std::string text;
  if (value.is(model::Type::kN)) value.number().AppendTo(text);
  else if (value.is(model::Type::kB)) AppendBase64(text, value.str());
  else text = value.str();
  return fmt::format("{{{}:{}}}", model::TypeName(value.type()), text);
}

}  // namespace armature::expr
