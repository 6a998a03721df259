// The operations of AWS's Identity and Access Management.
//
// Registered once, at the start. Used by server/.
#pragma once

#include "iam_api/iam_service.h"
#include "query/query_operations.h"

namespace armature::iam_api {

// `service` outlives the operations.
void AddOperations(query::QueryOperations& operations, IamService& service);

// Family by family, each in the file of its name.
void AddUserOperations(query::QueryOperations& operations, IamService& service);
void AddAccessKeyOperations(query::QueryOperations& operations, IamService& service);
void AddGroupOperations(query::QueryOperations& operations, IamService& service);
void AddRoleOperations(query::QueryOperations& operations, IamService& service);
void AddServiceLinkedRoleOperations(query::QueryOperations& operations, IamService& service);
void AddPolicyOperations(query::QueryOperations& operations, IamService& service);
void AddPolicyVersionOperations(query::QueryOperations& operations, IamService& service);
void AddInlinePolicyOperations(query::QueryOperations& operations, IamService& service);
void AddAttachedPolicyOperations(query::QueryOperations& operations, IamService& service);
void AddBoundaryOperations(query::QueryOperations& operations, IamService& service);
void AddTagOperations(query::QueryOperations& operations, IamService& service);
void AddProviderOperations(query::QueryOperations& operations, IamService& service);
void AddAbsentCredentialOperations(query::QueryOperations& operations, IamService& service);
void AddAccountOperations(query::QueryOperations& operations, IamService& service);
void AddAuthorizationDetailOperations(query::QueryOperations& operations, IamService& service);
void AddSimulationOperations(query::QueryOperations& operations, IamService& service);
void AddContextKeyOperations(query::QueryOperations& operations, IamService& service);

}  // namespace armature::iam_api
