// Lambda's REST API, as far as triggers need it: /2015-03-31/event-source-mappings.
//
// The one place that knows which method and path is which operation, and what Lambda's errors look like: a type in the
// header x-amzn-ErrorType, and {"Type": …, "Message": …}. Signatures are read as everywhere. Used by the front.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/request_context.h"
#include "base/async.h"
#include "lambda/rest_request.h"
#include "model/api_error.h"
#include "net/http_message.h"
#include "triggers/triggers.h"

namespace armature::lambda {

struct RestOperation {
  std::string_view name;
  std::string_view iam_action;
  net::Method method = net::Method::kGet;
  bool has_uuid = false;  // the path goes on with one
  int success_status = 200;
  Task<model::ApiResult<void>> (*execute)(api::RequestContext& context, triggers::Triggers& triggers,
                                          RestRequest& request) = nullptr;
};

// All of them, in a fixed order.
std::span<const RestOperation> RestOperations();

// Which of them a request is for; nothing if it is none of Lambda's.
std::optional<size_t> FindRestOperation(const net::HttpRequest& request);

// The UUID that the path names; empty: none.
std::string MappingNamedIn(const net::HttpRequest& request);

// Reads path, query and body, and executes. The context's body gets the reply.
Task<model::ApiResult<void>> RunRestOperation(const RestOperation& operation, triggers::Triggers& triggers,
                                              api::RequestContext& context, const net::HttpRequest& request,
                                              std::string_view body);

void SetRestError(const model::ApiError& error, net::HttpResponse& response);

// Whether the caller may do this to a mapping, be it there or not.
model::ApiResult<void> AuthorizeMapping(const api::RequestContext& context, const RestRequest& request);

// Whether the caller may read the stream himself, as the server is to do for him: a mapping hands its records to a
// function that he names.
model::ApiResult<void> AuthorizeFollowing(const api::RequestContext& context, std::string_view stream_arn);

// The operations, each in the file of its name.
Task<model::ApiResult<void>> CreateEventSourceMapping(api::RequestContext& context, triggers::Triggers& triggers,
                                                      RestRequest& request);
Task<model::ApiResult<void>> DeleteEventSourceMapping(api::RequestContext& context, triggers::Triggers& triggers,
                                                      RestRequest& request);
Task<model::ApiResult<void>> GetEventSourceMapping(api::RequestContext& context, triggers::Triggers& triggers,
                                                   RestRequest& request);
Task<model::ApiResult<void>> ListEventSourceMappings(api::RequestContext& context, triggers::Triggers& triggers,
                                                     RestRequest& request);
Task<model::ApiResult<void>> UpdateEventSourceMapping(api::RequestContext& context, triggers::Triggers& triggers,
                                                      RestRequest& request);

}  // namespace armature::lambda
