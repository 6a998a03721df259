// Errors as DAX's clients know them: sequences of codes (6.2 and 6.3 of the protocol).
//
// The codes decide which exception a client throws and whether it tries again; the details behind the message have the
// exception's name, which is what users see where the codes have none. Pure.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "dax/backend/backend.h"

namespace armature::dax {

// Errors of the node itself. A table that is not there, as the answer of defineKeySchema; and a connection that has not
// said, or not proven, who it is: the first makes a client say it again and repeat the request, the second only fails.
inline constexpr std::array kNoSuchTableCodes = {4, 23, 24};
inline constexpr std::array kSignInAgainCodes = {4, 23, 31, 33};
inline constexpr std::array kSignInRefusedCodes = {4, 23, 31, 32};

// The codes of an exception of DynamoDB. What has none of its own is told by its name, and repeated by clients if its
// status is 500 or 503.
std::span<const int> CodesOf(std::string_view exception);

struct ErrorText {
  std::string_view name;  // "ConditionalCheckFailedException"
  std::string_view message;
  std::string_view request_id;  // empty: there is none
  int http_status = 400;
};

// Why one action of a transaction has cancelled it, or not.
struct CancellationReason {
  std::string_view code;  // "None": it has not
  std::optional<std::string_view> message{};
  std::optional<std::string_view> blob{};  // of the item that was there
};

// An answer: codes, message, details. With `reasons` the details have them.
void AppendError(std::string& out, std::span<const int> codes, const ErrorText& text,
                 std::span<const CancellationReason> reasons = {});
// Whether an answer is none of these.
inline bool IsSuccess(std::string_view answer) { return answer.starts_with('\x80'); }
// What an answer tells, but for its codes and reasons; none: it is a success, or is not whole.
std::optional<ErrorText> ReadError(std::string_view answer, Arena& arena);
// If the request may have been carried out all the same, clients repeat it only if it reads.
void AppendError(std::string& out, const BackendError& error, std::span<const CancellationReason> reasons = {});

}  // namespace armature::dax
