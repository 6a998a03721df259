// The HTTP envelope of AWS JSON 1.0: what stands around an operation's body.
//
// The front calls these in order: AwsJsonType, RouteTarget, RequestBody, …, then SetError if something failed, and
// Finish for every answer. Stateless and thread-safe; reads net::HttpRequest, fills
// net::HttpResponse, knows no operation's meaning.
#pragma once

#include <string>
#include <string_view>

#include "model/api_error.h"
#include "net/http_message.h"
#include "wire/shape.h"

namespace armature::wire {

inline constexpr size_t kMaxBodyBytes = 16 * 1024 * 1024;
inline constexpr size_t kCompressAboveBytes = 4096;

// The content type to answer a request for an operation with; empty if the request is none: another method, path or
// content type.
std::string_view AwsJsonType(const net::HttpRequest& request);

// The body with its Content-Encoding undone; `buffer` holds it when it was compressed. Behind it are
// net::kBodyPaddingBytes readable bytes. Damaged data is a SerializationException. What would become longer than
// kMaxBodyBytes is refused as a body of that length is, with 413, and is inflated no further.
model::ApiResult<std::string_view> RequestBody(const net::HttpRequest& request, std::string& buffer);

// The operation X-Amz-Target names; null if it is missing or unknown.
const OperationSchema* RouteTarget(const net::HttpRequest& request);

// Sets status and body: {"__type":"prefix#Name","message":"…"}, or no body for an error without a name.
void SetError(const model::ApiError& error, net::HttpResponse& response);

// Compresses the body if it is long and the client wants it, then adds request id and checksum.
// `request_id` is fit for a header: letters, digits, dashes.
void Finish(const net::HttpRequest& request, std::string_view request_id, net::HttpResponse& response);

}  // namespace armature::wire
