// Session and Protocol: what is spoken over a Transport. HTTP is one; a unit test speaks another.
//
// A session is one conversation: it is told of bytes that came and takes whole messages out of the transport's input;
// it writes answers to the transport's output. The transport does the rest for every protocol alike: sockets, buffers,
// timeouts, back-pressure, memory accounts, draining. Everything here is called on the transport's reactor. A session
// is owned by its transport and destroyed with it; a protocol outlives its sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <endian.h>
#include <netinet/in.h>

namespace armature::net {

class Transport;

// Who is at the other end, for a session to look at.
struct Peer {
  sockaddr_in6 address{};  // IPv4 lies in it as a sockaddr_in, by its family
  bool is_secure = false;  // its bytes come through TLS
};

// A number for all addresses that one host may have at will, for whoever counts by address: of IPv4 the address, of
// IPv6 its network (64 bits). One of IPv4 that came over IPv6 is of IPv4. No network of IPv6 begins as those of IPv4
// are written here: 0:ffff::/32 is nobody's.
inline uint64_t NetworkNumber(const sockaddr_in6& address) {
  constexpr uint64_t kVersion4 = uint64_t{0xffff} << 32;
  if (address.sin6_family != AF_INET6)
    return kVersion4 | ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr);
  uint64_t halves[2];
  std::memcpy(halves, &address.sin6_addr, sizeof(halves));
  if (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) return kVersion4 | (be64toh(halves[1]) & 0xffffffff);
  return be64toh(halves[0]);
}

// Why the transport gives a peer up that is still there.
enum class GiveUp : uint8_t {
  kTooSlow,       // a message that has begun did not become whole in its time
  kTooLong,       // a message is not whole although it has taken MaxInputBytes
  kNoRoom,        // there is no memory for the rest of its message
  kWaitedInVain,  // there was none for the whole time a message may take
  kEvicted,       // it holds memory that others need, and does not move
  kRefused,       // it came when there were too many
  kNotSecure,     // it speaks without TLS where TLS is spoken; what it said is lost
};

class Session {
 public:
  enum class Progress : uint8_t {
    kTook,      // a message was taken, there may be another
    kNeedMore,  // what is there is not a whole message
    kBusy,      // a message is being worked on: nothing is read, and this is not called, before Transport::Resume
    kStopped,   // nothing can be taken now: it waits for room, or the transport was told to close
  };

  virtual ~Session() = default;

  // There is input that has not been looked at, or it is time to look again. A message stays in the input until it is
  // whole: what is left there when this wants more is a message that has begun, and its time runs.
  virtual Progress OnInput() = 0;
  // How much input the message that is being received may take, as far as is known by now.
  virtual size_t MaxInputBytes() const = 0;
  // Memory held beyond the transport's own buffers.
  virtual size_t HeldBytes() const { return 0; }

  // What Transport::SendFrom named has been written: its memory may go.
  virtual void OnSent() {}
  // Last words may be put to the output; they are written, then the connection is closed.
  virtual void OnGivenUp(GiveUp why) = 0;
  // The peer will send no more, and what has come is not a whole message. Behind this what is in the output is written
  // and the connection closed.
  virtual void OnPeerFinished() {}
  // Of a transport that was told to connect.
  virtual void OnConnected() {}
  // The socket is gone: by the peer (`error` as errno says it), or by our own closing (0). Called once. A busy session
  // lives on until it calls Transport::Resume; any other is destroyed at the end of the turn.
  virtual void OnClosed([[maybe_unused]] int error) {}
};

// Makes the sessions of one reactor's connections.
class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual std::unique_ptr<Session> MakeSession(Transport& transport) = 0;
};

}  // namespace armature::net
