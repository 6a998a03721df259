// TicketKeys: the keys that seal session tickets, by which a client comes back without a full handshake.
//
// A ticket is what OpenSSL would have to remember of a session, sealed and given to the client. Whoever has the key can
// read what was said under such tickets, so a key seals for six hours, opens for six more, and is gone; none is ever
// written down. One per acceptor, shared by all reactors; thread-safe. Internal to net/tls.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <openssl/ssl.h>

#include "base/clock.h"
#include "base/mutex.h"

namespace armature::net {

class TicketKeys {
 public:
  static constexpr int64_t kSealingMillis = int64_t{6} * 3'600'000;

  // The clock must outlive it.
  explicit TicketKeys(const Clock& clock) : clock_(clock) {}
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  // Makes `context` use them; they must outlive its connections. False: no memory.
  bool Install(SSL_CTX* context);

 private:
  struct Key {
    std::array<unsigned char, 16> name;
    std::array<unsigned char, 32> cipher;
    std::array<unsigned char, 32> mac;
    int64_t made_millis;
  };
  struct Found {
    Key key;
    bool is_current;
  };

  static int OnTicket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
                      int is_sealing);
  int Seal(unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac);
  int Unseal(const unsigned char* name, const unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac);
  // Nothing: no random bytes to be had.
  std::optional<Key> Current();
  std::optional<Found> Find(const unsigned char* name);
  bool Rotate() ARMATURE_WITH_LOCK(mutex_);

  const Clock& clock_;
  Mutex mutex_;
  std::optional<Key> current_ ARMATURE_GUARDED_BY(mutex_);
  std::optional<Key> previous_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::net
