// GetCallerIdentity: who signed this. Needs no permission, and no policy can take it away.
#include "auth/identity.h"
#include "sts/sts_operations.h"

namespace armature::sts {

Task<query::QueryResult> GetCallerIdentity(query::QueryContext& context, const wire::sts::GetCallerIdentityInput&,
                                           wire::sts::GetCallerIdentityOutput& output) {
  const auth::Identity& caller = *context.caller->identity;
  output.Account = caller.account;
  output.Arn = caller.arn;
  output.UserId = caller.user_id;
  co_return query::QueryResult();
}

}  // namespace armature::sts
