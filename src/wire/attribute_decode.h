// AttributeValues straight from JSON into model::Value.
//
// The fast path of the decoder: nearly every byte of a data request is an attribute value. Establishes model::Value's
// invariants (sorted maps and sets). Used by decode.cc, by dax/ for items of replies, and by tests.
#pragma once

#include <optional>

#include <simdjson.h>

#include "base/memory/arena.h"
#include "model/api_error.h"
#include "model/value.h"
#include "model/wording.h"
#include "wire/decode.h"

namespace armature::wire {

// Where a value stands decides how AWS words that it has the wrong JSON type.
enum class Position { kMember, kElement };

class AttributeDecoder {
 public:
  AttributeDecoder(Arena& arena, const model::Wording& wording, DecodeErrors& errors)
      : arena_(arena), wording_(wording), errors_(errors) {}

  // Each returns false when the JSON has the wrong type; failure() is then the SerializationException.
  bool DecodeField(simdjson::dom::element json, AttributeField* out);
  // `names_attributes`: the keys are attribute names (and not :placeholders), so none may be empty.
  bool DecodeMap(simdjson::dom::element json, bool names_attributes, AttributeMap* out);

  bool DecodeString(simdjson::dom::element json, std::string_view* out);
  bool DecodeBlob(simdjson::dom::element json, std::string_view* out);
  bool DecodeBoolean(simdjson::dom::element json, bool* out);

  // Records a SerializationException with that text; returns false for its caller to return.
  bool Fail(std::string message);
  // The text of AWS for a scalar where `java_class` (String, Integer, …) does not fit.
  bool FailScalar(simdjson::dom::element json, std::string_view java_class);

  model::ApiError& failure() { return *failure_; }

 private:
  // What is wrong with one AttributeValue; DynamoDB reports the fault of the lowest rank.
  enum class Rank { kNumber, kNull, kEmptySet, kDuplicates, kNested, kDatatypes, kNone };
  struct Fault {
    const model::ApiError* error = nullptr;
    Rank rank = Rank::kNone;
  };

  bool DecodeValue(simdjson::dom::element json, Position position, int depth, model::Value* out,
                   const model::ApiError** error);
  bool DecodeDatatype(std::string_view name, simdjson::dom::element json, int depth, model::Value* out, Fault* fault,
                      bool* known);
  bool DecodeNumber(simdjson::dom::element json, model::Value* out, Fault* fault);
  bool DecodeStringSet(simdjson::dom::element json, model::Value* out, Fault* fault);
  bool DecodeNumberSet(simdjson::dom::element json, model::Value* out, Fault* fault);
  bool DecodeBinarySet(simdjson::dom::element json, model::Value* out, Fault* fault);
  bool DecodeList(simdjson::dom::element json, int depth, model::Value* out, Fault* fault);
  bool DecodeNestedMap(simdjson::dom::element json, int depth, model::Value* out, Fault* fault);
  bool GetArray(simdjson::dom::element json, simdjson::dom::array* out);
  bool GetMap(simdjson::dom::element json, simdjson::dom::object* out);
  const model::ApiError* EmptyName();
  void Note(Fault* fault, Rank rank, model::ApiError error);
  void NoteNested(Fault* fault, const model::ApiError* error);

  Arena& arena_;
  const model::Wording& wording_;
  DecodeErrors& errors_;
  std::optional<model::ApiError> failure_;
};

}  // namespace armature::wire
