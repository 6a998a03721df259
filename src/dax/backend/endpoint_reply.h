// What an endpoint's HTTP reply says: the JSON of an operation, or DynamoDB's error. Pure.
#pragma once

#include <string_view>

#include "dax/backend/backend.h"
#include "net/client/http_reply.h"

namespace armature::dax {

// Whether the reply came as it was sent: its x-amz-crc32 fits, if it has one, and a success has an object for a body.
bool IsWhole(const net::HttpReply& reply);

// REQUIRES: whole, and not a success. What is not DynamoDB's own error is named after its status.
BackendError ReadError(const net::HttpReply& reply);

// The endpoint did not accept the keys that the request was signed with; so it has not been carried out.
bool IsRefusedKey(const BackendError& error);

}  // namespace armature::dax
