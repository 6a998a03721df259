#include "net/handler.h"

#include "net/transport/peer_text.h"
#include "net/transport/session.h"

namespace armature::net {

std::string Exchange::PeerAddress() const { return PeerText(*peer_); }
std::string Exchange::SourceIp() const { return AddressText(*peer_); }
bool Exchange::is_secure() const { return peer_->is_secure; }
bool Exchange::is_from_loopback() const { return IsLoopback(*peer_); }
uint64_t Exchange::client_network() const { return NetworkNumber(peer_->address); }

}  // namespace armature::net
