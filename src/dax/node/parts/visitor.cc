#include "dax/node/parts/visitor.h"

#include <utility>

namespace armature::dax {

ParsedRequest Visitor::Signature::AsRequest() const {
  ParsedRequest request;
  request.method = Method::kAuthorizeConnection;
  request.access_key_id = access_key_id;
  request.signature = signature;
  request.string_to_sign = string_to_sign;
  request.session_token = session_token;
  request.user_agent = user_agent;
  return request;
}

size_t Visitor::Signature::bytes() const {
  return access_key_id.size() + signature.size() + string_to_sign.size() + session_token.size() + user_agent.size();
}

void Visitor::Take(const ParsedRequest& request, const Doorkeeper& door, Arena& arena) {
  shown_.reset();
  caller_.reset();
  claimed_key_id_ = request.access_key_id.substr(0, kMostKeyIdBytes);
  Signature shown{std::string(request.access_key_id), std::string(request.signature),
                  std::string(request.string_to_sign), std::string(request.session_token),
                  std::string(request.user_agent)};
  if (shown.bytes() > kMostBytes) {
    fault_ = auth::AuthFault{auth::AuthFaultKind::kIncompleteSignature, "The signature is too long"};
    may_sign_again_ = false;
    return;
  }
  Judge(request, door, arena);
  if (caller_) shown_ = std::move(shown);
}

std::shared_ptr<const SignedIn> Visitor::Look(const Doorkeeper& door, Arena& arena) {
  const bool is_fresh =
      caller_ && door.generation() == generation_ && door.NowMillis() - looked_at_millis_ < kLookAgainMillis;
  if (is_fresh || !shown_) return caller_;
  Judge(shown_->AsRequest(), door, arena);
  if (caller_) return caller_;
  // Who was only put off is looked at again with his next request. Of the others nothing is kept; their clients sign
  // again by themselves, and perhaps with a key that is good.
  if (fault_->kind != auth::AuthFaultKind::kThrottled) shown_.reset();
  may_sign_again_ = true;
  return nullptr;
}

// What changes while the verifier looks is looked at once more with the next request.
void Visitor::Judge(const ParsedRequest& request, const Doorkeeper& door, Arena& arena) {
  generation_ = door.generation();
  looked_at_millis_ = door.NowMillis();
  auto signed_in = door.SignIn(request, arena);
  caller_.reset();
  fault_.reset();
  if (signed_in) {
    caller_ = std::make_shared<const SignedIn>(std::move(signed_in).value());
    return;
  }
  fault_ = std::move(signed_in).error();
  may_sign_again_ =
      fault_->kind == auth::AuthFaultKind::kExpiredToken || fault_->kind == auth::AuthFaultKind::kThrottled;
}

size_t Visitor::HeldBytes() const { return shown_ ? shown_->bytes() : 0; }

}  // namespace armature::dax
