// GetAccessKeyInfo: whose account an access key is of, whether the key is still there or not.
#include "iam/access/authorize.h"
#include "iam/entities/ids.h"
#include "iam/entities/told.h"
#include "sts/caller_check.h"
#include "sts/messages.h"
#include "sts/sts_operations.h"
#include "wire/query/query_errors.h"

namespace armature::sts {

Task<query::QueryResult> GetAccessKeyInfo(StsService& service, query::QueryContext& context,
                                          const wire::sts::GetAccessKeyInfoInput& input,
                                          wire::sts::GetAccessKeyInfoOutput& output) {
  ARMATURE_CO_CHECK_OK(CheckMayCall(context));
  // Keys that somebody brought along say nothing by themselves.
  const auto state = service.directory.Current();
  if (const iam::KeyOwner* const owner = state->FindKeyOwner(*input.AccessKeyId)) {
    output.Account = owner->account;
    co_return query::QueryResult();
  }
  output.Account = iam::AccountOfId(*input.AccessKeyId);
  if (!output.Account) co_return wire::ValidationError(messages::kBadAccessKey);
  co_return query::QueryResult();
}

}  // namespace armature::sts
