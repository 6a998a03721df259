// The operations of AWS's Security Token Service, each in the file of its name.
//
// Registered once, at the start. Used by server/.
#pragma once

#include "base/async.h"
#include "query/query_context.h"
#include "query/query_operations.h"
#include "sts/sts_service.h"
#include "wire/query/sts.h"

namespace armature::sts {

// Those that need nothing but their caller.
void AddOperations(query::QueryOperations& operations);
// The others. `service` outlives the operations.
void AddOperations(query::QueryOperations& operations, StsService& service);

Task<query::QueryResult> GetCallerIdentity(query::QueryContext& context, const wire::sts::GetCallerIdentityInput& input,
                                           wire::sts::GetCallerIdentityOutput& output);
Task<query::QueryResult> AssumeRole(StsService& service, query::QueryContext& context,
                                    const wire::sts::AssumeRoleInput& input, wire::sts::AssumeRoleOutput& output);
Task<query::QueryResult> AssumeRoleWithWebIdentity(StsService& service, query::QueryContext& context,
                                                   const wire::sts::AssumeRoleWithWebIdentityInput& input,
                                                   wire::sts::AssumeRoleWithWebIdentityOutput& output);
Task<query::QueryResult> GetSessionToken(StsService& service, query::QueryContext& context,
                                         const wire::sts::GetSessionTokenInput& input,
                                         wire::sts::GetSessionTokenOutput& output);
Task<query::QueryResult> GetFederationToken(StsService& service, query::QueryContext& context,
                                            const wire::sts::GetFederationTokenInput& input,
                                            wire::sts::GetFederationTokenOutput& output);
Task<query::QueryResult> GetAccessKeyInfo(StsService& service, query::QueryContext& context,
                                          const wire::sts::GetAccessKeyInfoInput& input,
                                          wire::sts::GetAccessKeyInfoOutput& output);
Task<query::QueryResult> DecodeAuthorizationMessage(StsService& service, query::QueryContext& context,
                                                    const wire::sts::DecodeAuthorizationMessageInput& input,
                                                    wire::sts::DecodeAuthorizationMessageOutput& output);

}  // namespace armature::sts
