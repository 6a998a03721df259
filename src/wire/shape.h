// ShapeDesc: what the schema says about one shape, as static data.
//
// Generated from schema/ (wire/requests.cc, wire/services/dax.cc); walked by the one decoder and the one validator.
// Immutable, so shared by all threads. Order matters: members stand in the order AWS checks them, enum values in the
// order AWS prints them. Used by wire/ and, for OperationSchema, by api/'s registry.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/wording.h"

namespace armature::wire {

enum class Kind : uint8_t {
  kString,
  kBlob,
  kInteger,
  kLong,
  kDouble,
  kBoolean,
  kTimestamp,
  kStructure,
  kList,
  kMap,
  kAttributeValue,  // AttributeField
  kAttributeMap,    // AttributeMap
};

// The patterns the schema names; a regular expression engine is neither needed nor quick.
enum class Pattern : uint8_t {
  kNone,
  kResourceName,  // [a-zA-Z0-9_.-]+
  kPrintable,     // \p{Print}+
  kRoleArn,       // any characters XML allows
  kNoDollar,      // ^[^\$]+$
  kInsightsRule,  // [A-Za-z0-9][A-Za-z0-9\-\_\.]{0,126}[A-Za-z0-9]
  kCsvDelimiter,  // [,;:|\t ]
  kCsvHeader,     // printable ASCII without quote and comma
  kHexGroups,     // ([0-9a-f]{16})+
  kS3Bucket,      // ^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$
  kAccountId,     // [0-9]{12}
  // IAM's and STS's
  kIamName,         // [\w+=,.@-]+
  kIamNameOrEmpty,  // [\w+=,.@-]*
  kWord,            // [\w]+
  kWordOrEmpty,     // [\w]*
  kDigitsOrEmpty,   // [\d]*
  kSerialNumber,    // [\w+=/:,.@-]*
  kExternalId,      // [\w+=,.@:\/-]*
  kTagKey,          // [\p{L}\p{Z}\p{N}_.:/=+\-@]+
  kTagValue,        // [\p{L}\p{Z}\p{N}_.:/=+\-@]*
  kDescription,     // tab, line breaks, U+0020-U+007E, U+00A1-U+00FF
  kMarker,          // [\u0020-\u00FF]+
  kPolicyDocument,  // tab, line breaks, U+0020-U+00FF, at least one
  kXmlText,         // any characters XML allows, but controls; at least one
  kPath,            // / or /…/ of visible ASCII
  kPolicyPath,      // ((/[A-Za-z0-9\.,\+@=_-]+)*)/
  kPathPrefix,      // /[\u0021-\u007F]*
  kAccountAlias,    // ^[a-z0-9]([a-z0-9]|-(?!-)){1,61}[a-z0-9]$
  kPolicyVersion,   // v[1-9][0-9]*(\.[A-Za-z0-9-]*)?
};

struct ShapeDesc;

enum class Turn : uint8_t { kAlone, kOrdinary, kLast };

struct MemberDesc {
  std::string_view name{};       // as in JSON
  std::string_view path_name{};  // as in the paths of error texts: first letter in lower case
  const ShapeDesc* shape = nullptr;
  uint32_t offset = 0;  // of the field in its structure
  bool required = false;
  // Faults are reported together with those of the same turn only, and before those of later turns.
  Turn turn = Turn::kOrdinary;
  bool verbatim_path = false;          // the text names the path as in JSON and leaves the value out
  int16_t unless = -1;                 // index of a member whose presence lifts `required`
  std::string_view missing_message{};  // replaces the constraint text where AWS has one of its own
  std::string_view length_message{};
  std::string_view enum_message{};
  std::string_view pattern_message{};
  std::string_view newer_message{};  // of an enum or of a length too short, where Wording::has_newer_member_texts
  bool echoes_json = false;          // the text shows the value as JSON, not as Java prints it
};

struct ShapeDesc {
  std::string_view name{};
  Kind kind = Kind::kString;
  bool has_min = false;
  bool has_max = false;
  Pattern pattern = Pattern::kNone;
  bool constrained = false;  // this shape or one inside it has something to check
  int64_t min = 0;           // of the length or of the value
  int64_t max = 0;
  int64_t arn_max = 0;  // not 0: an ARN may stand here too; up to that length, the pattern set aside
  std::string_view pattern_text{};
  std::string_view enum_text{};  // "A, B, C" in print order
  std::span<const std::string_view> enum_values{};
  std::span<const MemberDesc> members{};  // structure
  const ShapeDesc* element = nullptr;     // list element or map value
  const ShapeDesc* key = nullptr;         // map key
  uint32_t size = 0;                      // structure: sizeof; list: stride of an element; map: stride of an entry
  uint32_t value_offset = 0;              // map: of the value in its entry
  std::string_view java_type{};           // how AWS names a collection in a type error
  bool sensitive = false;                 // a secret: no text shows the value
};

enum class OperationKind : uint8_t { kRead, kWrite, kControl };

struct OperationSchema {
  std::string_view name{};        // "GetItem"
  std::string_view service{};     // "DynamoDB_20120810": what X-Amz-Target has before the dot
  std::string_view iam_action{};  // "dynamodb:GetItem"; "armature:…" of our own
  OperationKind kind = OperationKind::kControl;
  bool is_streams = false;
  uint16_t index = 0;  // among those of its service; of DynamoDB's, its streams' and our own together an OperationId
  const ShapeDesc* input = nullptr;
  const model::Wording* wording = nullptr;
  std::span<const std::string_view> errors{};
};

}  // namespace armature::wire
