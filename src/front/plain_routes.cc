#include "front/plain_routes.h"

#include <utility>

#include <fmt/format.h>

#include "model/api_error.h"
#include "model/messages/requests.h"
#include "wire/envelope/envelope.h"

namespace armature::front {

void PlainRoute::Refuse(net::Exchange& exchange, auth::AuthFault fault) const {
  exchange.response().content_type = "application/x-amz-json-1.0";
  wire::SetError(auth::ToApiError(std::move(fault)), exchange.response());
}

PlainRoute::Test IsGetOf(std::string_view path) {
  return
      [path](const net::HttpRequest& request) { return request.method == net::Method::kGet && request.path == path; };
}

bool IsPreflight(const net::HttpRequest& request) {
  return request.method == net::Method::kOptions && request.Find("Origin") != nullptr;
}

bool IsProbe(const net::HttpRequest& request) { return request.method != net::Method::kPost && !IsPreflight(request); }

bool IsAnything(const net::HttpRequest&) { return true; }

PlainRoute::Reply Healthy(std::string region) {
  return [region = std::move(region)](const net::HttpRequest& request, net::HttpResponse& response) {
    const net::Header* const host = request.Find("Host");
    response.body = fmt::format(model::messages::kHealthy,
                                host ? std::string(host->value) : fmt::format("dynamodb.{}.amazonaws.com", region));
  };
}

void AnswerPreflight(const net::HttpRequest& request, net::HttpResponse& response) {
  response.AddRenderedHeaders("Access-Control-Max-Age: 172800\r\n");
  if (const net::Header* header = request.Find("Access-Control-Request-Headers"))
    response.AddHeader("Access-Control-Allow-Headers", header->value);
  if (const net::Header* header = request.Find("Access-Control-Request-Method"))
    response.AddHeader("Access-Control-Allow-Methods", header->value);
}

void AskForToken(const net::HttpRequest&, net::HttpResponse& response) {
  model::ApiError error;  // as DynamoDB Local words it: neither the name nor the family is Amazon's
  error.name = "MissingAuthenticationToken";
  error.message = model::messages::kAccessKeyWanted;
  error.capital_message = true;
  response.content_type = "application/x-amz-json-1.0";
  wire::SetError(error, response);
  response.close_connection = true;  // who probes may never read the answer, and wait for its end (jest-dynamodb does)
}

void AnswerNotFound(const net::HttpRequest&, net::HttpResponse& response) {
  response.status = 404;
  response.body = model::messages::kNotFoundBody;
}

}  // namespace armature::front
