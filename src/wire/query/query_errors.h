// Errors of the Query protocol that no model names, and how errors of the house are called there.
//
// An ApiError's name is the protocol's Code. Errors that a service's model names have functions of their own in the
// generated headers (wire/query/iam.h, wire/query/sts.h). Pure; used by front/ and by the operations.
#pragma once

#include <string>
#include <string_view>

#include "model/api_error.h"

namespace armature::wire {

[[gnu::cold]] model::ApiError QueryError(std::string_view code, int http_status, std::string message);

// --- whatever the service

[[gnu::cold]] model::ApiError ValidationError(std::string message);        // a constraint, or a service's own check
[[gnu::cold]] model::ApiError InvalidParameterValue(std::string message);  // STS's, where members do not fit together
[[gnu::cold]] model::ApiError AccessDenied(std::string message);
[[gnu::cold]] model::ApiError MalformedInput(std::string message);  // a parameter that cannot be read as what it is
[[gnu::cold]] model::ApiError MissingAction();
// `version` is what the request said; empty if it said nothing.
[[gnu::cold]] model::ApiError InvalidAction(std::string_view action, std::string_view version);
[[gnu::cold]] model::ApiError FormTooLarge();
[[gnu::cold]] model::ApiError MustBePosted(std::string_view action);

// What the house says in DynamoDB's words, in this protocol's: a shortage, a fault of its own (model::FromStatus), a
// denial of the Authorizer. An error that has a Code already stays as it is.
model::ApiError AsQueryError(model::ApiError error);

}  // namespace armature::wire
