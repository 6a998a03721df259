// The one decoder of requests: JSON against a ShapeDesc, into a generated structure.
//
// Unknown members are ignored; a null member is absent, a null element an error: every decoded element is a value. JSON
// of the wrong type is a SerializationException at once; faults of an attribute value (a bad number, …) wait beside it,
// as DynamoDB tells them later (fields.h). Strings point into the JsonDocument or the arena. Called by api/.
#pragma once

#include <cstring>
#include <forward_list>
#include <string>
#include <utility>

#include <simdjson.h>

#include "base/memory/arena.h"
#include "model/api_error.h"
#include "model/wording.h"
#include "wire/fields.h"
#include "wire/requests.h"
#include "wire/shape.h"
#include "wire/validate.h"

namespace armature::wire {

// Owns the errors that decoded fields point to. Lives as long as the request.
class DecodeErrors {
 public:
  const model::ApiError* Add(model::ApiError error) {
    // Only the first fault of each map is ever reported; a body full of faults shall not fill the memory.
    if (count_ >= kMostKept) return &errors_.front();
    ++count_;
    return &errors_.emplace_front(std::move(error));
  }
  bool empty() const { return errors_.empty(); }
  size_t size() const { return count_; }

  // How many values nested deeper than items may be were met.
  void NoteTooDeep() { ++too_deep_; }
  size_t too_deep() const { return too_deep_; }
  // The body is one that AWS gives to its older reader (model::kDeepBody).
  void NoteDeepBody() { is_deep_body_ = true; }
  // In whose words the request's faults are told.
  const model::Wording& WordingOf(const OperationSchema& schema) const {
    return is_deep_body_ && schema.wording->deep ? *schema.wording->deep : *schema.wording;
  }

 private:
  static constexpr size_t kMostKept = 256;
  std::forward_list<model::ApiError> errors_;
  size_t count_ = 0;
  size_t too_deep_ = 0;
  bool is_deep_body_ = false;
};

// Whether a whole number may be written as text, as DynamoDB Local has it ("5").
enum class NumberForm { kNumbersOnly, kTextToo };

// `out` points to schema.input->size bytes, aligned for any of the generated structures; they are overwritten.
model::ApiResult<void> DecodeRequest(const OperationSchema& schema, simdjson::dom::element root, Arena& arena,
                                     DecodeErrors& errors, void* out, NumberForm numbers = NumberForm::kNumbersOnly);

// Decodes and validates: DecodeAs<GetItemInput>(document.root(), arena, errors) gives a const GetItemInput*.
template <class Input>
model::ApiResult<const Input*> DecodeAs(simdjson::dom::element root, Arena& arena, DecodeErrors& errors) {
  static_assert(std::is_trivially_destructible_v<Input>);
  const OperationSchema& schema = SchemaOf(Input::kOperation);
  Input* input = arena.New<Input>();
  ARMATURE_CHECK_OK(DecodeRequest(schema, root, arena, errors, input));
  ARMATURE_CHECK_OK(ValidateRequest(schema, errors.WordingOf(schema), input));
  return static_cast<const Input*>(input);
}

// The error of an ExpressionAttributeValues map, in the operation's words. REQUIRES: values.first_error.
model::ApiError InvalidExpressionValue(const model::Wording& wording, const AttributeMap& values);

}  // namespace armature::wire
