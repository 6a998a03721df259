#include "sts/sts_operations.h"

namespace armature::sts {

void AddOperations(query::QueryOperations& operations) { operations.Add<GetCallerIdentity>(); }

void AddOperations(query::QueryOperations& operations, StsService& service) {
  operations.Add<AssumeRole>(service);
  operations.Add<AssumeRoleWithWebIdentity>(service);
  operations.Add<GetSessionToken>(service);
  operations.Add<GetFederationToken>(service);
  operations.Add<GetAccessKeyInfo>(service);
  operations.Add<DecodeAuthorizationMessage>(service);
}

}  // namespace armature::sts
