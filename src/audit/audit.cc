#include "audit/audit.h"

namespace armature::audit {

void Audit::Record(Event& event, bool is_denied) const {
  event.now_millis = clock_.NowMillis();
  if (!event.resources.empty() && !event.resources.front().account.empty())
    event.recipient_account = event.resources.front().account;
  else if (event.caller.identity) event.recipient_account = event.caller.account;
  else event.recipient_account = account_;
  const Rank rank = is_denied ? Rank::kDenial : event.is_management ? Rank::kManagement : Rank::kData;
  log_.Offer(rank, LineOf(event, random_));
}

}  // namespace armature::audit
