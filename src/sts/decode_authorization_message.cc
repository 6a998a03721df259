// DecodeAuthorizationMessage: what an encoded denial says. No service here makes such denials (on AWS only some like
// EC2 do), so whatever is sent is none.
#include "sts/caller_check.h"
#include "sts/messages.h"
#include "sts/sts_operations.h"

namespace armature::sts {

Task<query::QueryResult> DecodeAuthorizationMessage(StsService&, query::QueryContext& context,
                                                    const wire::sts::DecodeAuthorizationMessageInput&,
                                                    wire::sts::DecodeAuthorizationMessageOutput&) {
  ARMATURE_CO_CHECK_OK(CheckMayCall(context));
  co_return wire::sts::InvalidAuthorizationMessageException(messages::kNoMessage);
}

}  // namespace armature::sts
