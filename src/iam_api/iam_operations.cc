#include "iam_api/iam_operations.h"

namespace armature::iam_api {

void AddOperations(query::QueryOperations& operations, IamService& service) {
  AddUserOperations(operations, service);
  AddAccessKeyOperations(operations, service);
  AddGroupOperations(operations, service);
  AddRoleOperations(operations, service);
  AddServiceLinkedRoleOperations(operations, service);
  AddPolicyOperations(operations, service);
  AddPolicyVersionOperations(operations, service);
  AddInlinePolicyOperations(operations, service);
  AddAttachedPolicyOperations(operations, service);
  AddBoundaryOperations(operations, service);
  AddTagOperations(operations, service);
  AddProviderOperations(operations, service);
  AddAbsentCredentialOperations(operations, service);
  AddAccountOperations(operations, service);
  AddAuthorizationDetailOperations(operations, service);
  AddSimulationOperations(operations, service);
  AddContextKeyOperations(operations, service);
}

}  // namespace armature::iam_api
