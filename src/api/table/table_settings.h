// Settings CreateTable and UpdateTable have in common: stream, encryption, table class, tags.
//
// Each applies what a request asks to a TableDef, or says why not. Pure.
#pragma once

#include "api/access.h"
#include "api/request_context.h"
#include "model/api_error.h"
#include "model/table_def.h"
#include "wire/requests.h"

namespace armature::api {

// "2026-11-15T04:46:00.123", as a stream's label shows its time of creation.
std::string StreamLabel(int64_t now_millis);

model::ApiResult<void> ApplySse(const wire::SSESpecification& requested, model::TableDef& table);

// The tags a request brings, for the conditions of policies.
void AddRequestTags(const wire::List<wire::Tag>& requested, AccessDetails& details);

// Checks a list of tags and merges it into `tags`.
model::ApiResult<void> ApplyTags(const wire::List<wire::Tag>& requested, std::map<std::string, std::string>& tags);

}  // namespace armature::api
