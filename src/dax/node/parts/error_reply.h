// What a node itself tells a client instead of an answer: faults that DynamoDB never heard of.
//
// Each appends a whole answer, in the codes that the clients know. Pure. Used by node/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/auth_fault.h"
#include "dax/backend/backend.h"
#include "model/api_error.h"

namespace armature::dax {

// The message is not what the protocol wants.
void AppendRefusal(std::string_view why, std::string& out);
// Nobody has signed in (no fault), or not rightly. Clients send their signature again before the next request, and this
// one once more if that may help.
void AppendSignatureFault(const std::optional<auth::AuthFault>& fault, bool may_sign_again, std::string& out);
// There is no room for the request now: clients try again.
void AppendOverload(std::string& out);
// The table does not take all that is written.
void AppendThrottling(std::string& out);
// There are too many attribute lists, or this one is too long.
void AppendListsFull(std::string& out);
// defineKeySchema was asked of a table that is not there.
void AppendNoSuchTable(const BackendError& error, std::string& out);
// A fault of our own.
void AppendFailure(std::string& out);
void AppendApiError(const model::ApiError& error, std::string& out);

}  // namespace armature::dax
