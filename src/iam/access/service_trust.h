// TrustsService: whether a role lets a service of AWS's act as it.
//
// The role's trust policy alone decides: a service has no policies of its own. Its conditions may ask for whom the
// service acts (aws:SourceAccount, aws:SourceArn) and for the time; of a caller and a connection there is nothing to
// tell. Pure, thread-safe. Asked by server/, for the clusters of DAX.
#pragma once

#include <cstdint>
#include <string_view>

#include "iam/entities/entities.h"

namespace armature::iam {

struct ServiceCall {
  std::string_view service;         // "dax.amazonaws.com"
  std::string_view source_account;  // whose resource it acts for,
  std::string_view source_arn;      // and which
  int64_t now_millis = 0;
};

bool TrustsService(const Role& role, std::string_view role_arn, const ServiceCall& call);

}  // namespace armature::iam
