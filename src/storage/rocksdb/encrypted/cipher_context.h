// An OpenSSL cipher, set up once and used many times. One thread at a time.
#pragma once

#include <memory>
#include <new>

#include <openssl/evp.h>

namespace armature::storage {

struct FreeCipherContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipherContext>;

inline CipherContext NewCipherContext() {
  CipherContext context(EVP_CIPHER_CTX_new());
  if (!context) throw std::bad_alloc();
  return context;
}

// With parameters that are right by construction, OpenSSL fails only for want of memory.
inline void CipherMustSucceed(int result) {
  if (result != 1) throw std::bad_alloc();
}

inline unsigned char* CipherBytes(char* text) { return reinterpret_cast<unsigned char*>(text); }
inline const unsigned char* CipherBytes(const char* text) { return reinterpret_cast<const unsigned char*>(text); }

}  // namespace armature::storage
