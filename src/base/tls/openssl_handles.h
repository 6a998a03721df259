// OpenSSL's objects as values that free themselves, and the reason of its last failure as text.
//
// Whoever calls OpenSSL and fails takes the reason, which also empties the thread's queue of errors: what is left there
// would be mistaken for the failure of a later call. Used by net/tls, cli/ and self_signed.h.
#pragma once

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

namespace armature {

template <auto kFree>
struct OpensslFree {
  template <class Object>
  void operator()(Object* object) const {
    kFree(object);
  }
};

using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;
using PrivateKeyPtr = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, OpensslFree<X509_free>>;

// Why the last call of this thread failed, as OpenSSL says it; forgets it.
inline std::string TakeOpensslReason() {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "OpenSSL gives no reason" : reason;
}

}  // namespace armature
