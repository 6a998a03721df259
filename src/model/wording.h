// Wording: in which words, and in which envelope, an operation tells what is wrong with a request.
//
// AWS moves its operations one at a time from an older reader of requests to a newer one. The two find the same faults
// and word them differently. Which words an operation uses is the table below and nothing else: schema/ names the row
// of each operation ("wording"), and whoever makes a text asks the row. When AWS moves an operation, change its row or
// the row's columns; when it changes a text, change messages.h. Constants; used by expr/, wire/ and api/.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "model/api_error.h"
#include "model/messages/requests.h"
#include "model/number.h"

namespace armature::model {

// The members a repeated member of a set is shown among.
enum class SetPrinting : uint8_t {
  kSorted,  // ["a", "b", "b"]: up to the repeated one in order, the rest as sent
  kAsSent,  // [b, a, b]
};

struct Wording {
  std::string_view name{};
  NumberReading numbers = NumberReading::kCurrent;
  SetPrinting sets = SetPrinting::kSorted;
  // Faults of values, expressions and legacy parameters stand behind "1 validation error detected: ".
  bool has_envelope = false;
  // A bad expression value, nesting included, is told with its name: "… contains invalid value: … for key :v".
  bool names_bad_values = false;
  // Values without an expression: the text ends with the parameters that are not there.
  bool names_missing_expressions = true;
  // An expression that is too long is told its size.
  bool tells_condition_size = true;
  bool tells_update_size = true;
  // An empty attribute name stands behind "One or more parameter values were invalid: ".
  bool has_prefix_for_empty_name = true;
  // Of an item's faults an empty name is told first, then nesting; else the first in the order of the request.
  bool ranks_item_faults = false;
  // Enums and lengths of members for which schema/ has a "newer_message" are told with that.
  bool has_newer_member_texts = false;
  // The row for bodies nested kDeepBody levels or more, which AWS gives to its older reader; null: the same row.
  const Wording* deep = nullptr;
};

// Nested lists and maps of a body, the body itself being 1.
inline constexpr int kDeepBody = 128;

// clang-format off
inline constexpr Wording kDeepItemWriteWording{
    .name = "item_write, deep", .numbers = NumberReading::kOlder, .sets = SetPrinting::kAsSent, .names_bad_values = true};
inline constexpr Wording kItemWriteWording{
    .name = "item_write", .has_envelope = true, .names_missing_expressions = false, .tells_condition_size = false,
    .tells_update_size = false, .has_newer_member_texts = true, .deep = &kDeepItemWriteWording};
inline constexpr Wording kReadWording{.name = "read"};
inline constexpr Wording kScanWording{
    .name = "scan", .numbers = NumberReading::kOlder, .sets = SetPrinting::kAsSent, .names_bad_values = true};
inline constexpr Wording kBatchWriteWording{
    .name = "batch_write", .numbers = NumberReading::kOlder, .sets = SetPrinting::kAsSent};
inline constexpr Wording kDeepTransactionWording{
    .name = "transaction, deep", .names_bad_values = true, .tells_update_size = false,
    .has_prefix_for_empty_name = false, .ranks_item_faults = true};
inline constexpr Wording kTransactionWording{
    .name = "transaction", .tells_update_size = false, .has_prefix_for_empty_name = false, .ranks_item_faults = true,
    .deep = &kDeepTransactionWording};
inline constexpr Wording kStatementWording{
    .name = "statement", .numbers = NumberReading::kStatement, .sets = SetPrinting::kAsSent};
// Operations without attribute values.
inline constexpr Wording kPlainWording{.name = "plain"};
// clang-format on

// A fault of the request by itself, as the operation tells it.
inline ApiError Told(const Wording& wording, ApiError error) {
  if (wording.has_envelope) error.message.insert(0, messages::kOneValidationError);
  return error;
}

}  // namespace armature::model
