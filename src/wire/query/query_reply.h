// What stands around a reply of the Query protocol: …Response, …Result, ResponseMetadata, ErrorResponse.
//
// Pure. Used by query/ (results) and front/ (errors).
#pragma once

#include <string>
#include <string_view>

#include "model/api_error.h"
#include "net/http_message.h"
#include "wire/query/query_schema.h"
#include "wire/reply_writer.h"

namespace armature::wire {

enum class ReplyForm : uint8_t { kXml, kJson };

// XML, unless the request's Accept header asks for JSON.
ReplyForm ReplyFormFor(const net::HttpRequest& request);
std::string_view ContentTypeOf(ReplyForm form);

// Where a reply goes, and how.
struct ReplyTarget {
  ReplyForm form = ReplyForm::kXml;
  std::string_view request_id;  // the header's
  std::string& body;            // appended to
  ReplyWriter* also = nullptr;  // is given the result's members too; null: nobody
};

// `result` writes the members of the operation's …Output; null of operations without one.
void AppendReply(const ReplyTarget& target, const QueryOperationSchema& schema, const void* output,
                 void (*result)(ReplyWriter& writer, const void* output));

template <class Output>
void AppendReply(const ReplyTarget& target, const QueryOperationSchema& schema, const Output& output) {
  AppendReply(target, schema, &output,
              [](ReplyWriter& writer, const void* of) { Write(writer, *static_cast<const Output*>(of)); });
}

// Sets status, content type and body. Errors of other protocols are told in this one's words (AsQueryError).
void SetQueryError(model::ApiError error, const QueryService& service, ReplyForm form, std::string_view request_id,
                   net::HttpResponse& response);

}  // namespace armature::wire
