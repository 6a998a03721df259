#include "dax/codec/error_codes.h"

#include "dax/codec/cbor.h"

namespace armature::dax {

namespace {

// All of DynamoDB's own: a client's error, in the request to DynamoDB, which has answered with an exception.
using Codes = std::array<int, 5>;
constexpr Codes WithLast(int last) { return {4, 37, 38, 39, last}; }

struct Row {
  std::string_view exception;
  Codes codes;
};

constexpr Row kRows[] = {
    {"ProvisionedThroughputExceededException", WithLast(40)},
    {"ResourceNotFoundException", WithLast(41)},
    {"ConditionalCheckFailedException", WithLast(43)},
    {"ResourceInUseException", WithLast(45)},
    {"ValidationException", WithLast(46)},
    {"InternalServerError", WithLast(47)},
    {"InternalServerErrorException", WithLast(47)},
    {"ItemCollectionSizeLimitExceededException", WithLast(48)},
    {"LimitExceededException", WithLast(49)},
    {"ThrottlingException", WithLast(50)},
    {"TransactionConflictException", WithLast(57)},
    {"TransactionCanceledException", WithLast(58)},
    {"TransactionInProgressException", WithLast(59)},
    {"IdempotentParameterMismatchException", WithLast(60)},
    {"RequestLimitExceeded", WithLast(61)},
};
constexpr Codes kOtherCodes = WithLast(0);
constexpr std::array kOutcomeUnknownCodes = {1, 37, 38, 53};

void AppendText(std::string& out, std::optional<std::string_view> text) {
  if (text) AppendCborText(out, *text);
  else AppendCborNull(out);
}

void AppendReasons(std::string& out, std::span<const CancellationReason> reasons) {
  AppendCborArrayHead(out, 3 * reasons.size());
  for (const CancellationReason& reason : reasons) {
    AppendCborText(out, reason.code);
    AppendText(out, reason.message);
    if (reason.blob) AppendCborBytes(out, *reason.blob);
    else AppendCborNull(out);
  }
}

}  // namespace

std::span<const int> CodesOf(std::string_view exception) {
  for (const Row& row : kRows)
    if (row.exception == exception) return row.codes;
  return kOtherCodes;
}

void AppendError(std::string& out, std::span<const int> codes, const ErrorText& text,
                 std::span<const CancellationReason> reasons) {
  AppendCborArrayHead(out, codes.size());
  for (const int code : codes) AppendCborInt(out, code);
  AppendCborText(out, text.message);
  AppendCborArrayHead(out, reasons.empty() ? 3 : 4);
  if (text.request_id.empty()) AppendCborNull(out);
  else AppendCborText(out, text.request_id);
  AppendCborText(out, text.name);
  AppendCborInt(out, text.http_status);
  if (!reasons.empty()) AppendReasons(out, reasons);
}

std::optional<ErrorText> ReadError(std::string_view answer, Arena& arena) {
  if (IsSuccess(answer)) return std::nullopt;
  CborReader reader(answer);
  reader.Skip();
  ErrorText text;
  text.message = reader.Text(arena);
  auto details = reader.Array();
  if (reader.Next(details) && !reader.TakeNull()) text.request_id = reader.Text(arena);
  if (reader.Next(details)) text.name = reader.Text(arena);
  if (reader.Next(details)) text.http_status = static_cast<int>(reader.Int());
  return reader.ok() ? std::optional(text) : std::nullopt;
}

void AppendError(std::string& out, const BackendError& error, std::span<const CancellationReason> reasons) {
  const ErrorText text{error.name, error.message, error.request_id, error.http_status};
  if (error.is_outcome_unknown) return AppendError(out, kOutcomeUnknownCodes, text, reasons);
  AppendError(out, CodesOf(error.name), text, reasons);
}

}  // namespace armature::dax
