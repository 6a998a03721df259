#include "net/tls/ticket_keys.h"

#include <cstring>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rand.h>

namespace armature::net {
namespace {

// What OpenSSL's callback returns.
constexpr int kFailed = -1;
constexpr int kNoTicket = 0;
constexpr int kUsed = 1;
constexpr int kUsedAndRenew = 2;

bool SetMac(EVP_MAC_CTX* mac, unsigned char* key, size_t size) {
  char digest[] = "SHA256";
  const OSSL_PARAM settings[] = {OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, size),
                                 OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                 OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, settings) == 1;
}

template <class Key>
void Wipe(std::optional<Key>& key) {
  if (key) OPENSSL_cleanse(&*key, sizeof(*key));
  key.reset();
}

}  // namespace

TicketKeys::~TicketKeys() {
  MutexLock lock(mutex_);
  Wipe(current_);
  Wipe(previous_);
}

bool TicketKeys::Install(SSL_CTX* context) {
  // A ticket opens as long as the key it was sealed with is there, whatever it says of itself.
  SSL_CTX_set_timeout(context, kSealingMillis / 1000);
  return SSL_CTX_set_app_data(context, this) == 1 && SSL_CTX_set_tlsext_ticket_key_evp_cb(context, &OnTicket) == 1;
}

int TicketKeys::OnTicket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
                         int is_sealing) {
  auto& keys = *static_cast<TicketKeys*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  return is_sealing != 0 ? keys.Seal(name, iv, cipher, mac) : keys.Unseal(name, iv, cipher, mac);
}

int TicketKeys::Seal(unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  std::optional<Key> key = Current();
  if (!key || RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) return kNoTicket;
  std::memcpy(name, key->name.data(), key->name.size());
  const bool is_set = EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->cipher.data(), iv) == 1 &&
                      SetMac(mac, key->mac.data(), key->mac.size());
  Wipe(key);
  return is_set ? kUsed : kFailed;
}

int TicketKeys::Unseal(const unsigned char* name, const unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  std::optional<Found> found = Find(name);
  if (!found) return kNoTicket;
  const bool is_current = found->is_current;
  const bool is_set = SetMac(mac, found->key.mac.data(), found->key.mac.size()) &&
                      EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, found->key.cipher.data(), iv) == 1;
  Wipe(found);
  if (!is_set) return kFailed;
  return is_current ? kUsed : kUsedAndRenew;
}

std::optional<TicketKeys::Key> TicketKeys::Current() {
  MutexLock lock(mutex_);
  if (!Rotate()) return std::nullopt;
  return current_;
}

std::optional<TicketKeys::Found> TicketKeys::Find(const unsigned char* name) {
  MutexLock lock(mutex_);
  if (!Rotate()) return std::nullopt;
  for (const auto* key : {&current_, &previous_})
    if (*key && CRYPTO_memcmp((*key)->name.data(), name, (*key)->name.size()) == 0)
      return Found{**key, key == &current_};
  return std::nullopt;
}

// A key that nobody replaced in time, for want of clients, opens nothing either.
bool TicketKeys::Rotate() {
  const int64_t now = clock_.NowMillis();
  if (current_ && now - current_->made_millis < kSealingMillis) return true;
  Key fresh{};
  fresh.made_millis = now;
  if (RAND_bytes(fresh.name.data(), static_cast<int>(fresh.name.size())) != 1 ||
      RAND_priv_bytes(fresh.cipher.data(), static_cast<int>(fresh.cipher.size())) != 1 ||
      RAND_priv_bytes(fresh.mac.data(), static_cast<int>(fresh.mac.size())) != 1)
    return false;
  Wipe(previous_);
  if (current_ && now - current_->made_millis < 2 * kSealingMillis) previous_ = current_;
  Wipe(current_);
  current_ = fresh;
  OPENSSL_cleanse(&fresh, sizeof(fresh));
  return true;
}

}  // namespace armature::net
