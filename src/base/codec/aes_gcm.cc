#include "base/codec/aes_gcm.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/codec/sha256.h"

namespace armature {

namespace {

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

Context NewContext() {
  Context context(EVP_CIPHER_CTX_new());
  if (!context) throw std::bad_alloc();
  return context;
}

const unsigned char* Bytes(const char* text) { return reinterpret_cast<const unsigned char*>(text); }
unsigned char* Bytes(char* text) { return reinterpret_cast<unsigned char*>(text); }

// OpenSSL counts in int; nothing of the house's that is sealed comes near.
int Count(std::string_view text) {
  assert(text.size() < (size_t{1} << 30));
  return static_cast<int>(text.size());
}

// With parameters that are right by construction, OpenSSL fails only for want of memory.
void MustSucceed(int result) {
  if (result != 1) throw std::bad_alloc();
}

}  // namespace

AesGcmKey::AesGcmKey(std::string_view bytes) : bytes_{} {
  assert(bytes.size() == kBytes);
  std::copy_n(bytes.begin(), std::min(bytes.size(), kBytes), bytes_.begin());
}

AesGcmKey::~AesGcmKey() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

std::string AesGcmKey::Seal(std::string_view text, std::string_view associated, RandomSource& random) const {
  std::string sealed(kOverhead + text.size(), '\0');
  random.FillBytes({sealed.data(), kNonceBytes});
  char* const body = sealed.data() + kNonceBytes;
  const Context context = NewContext();
  int count = 0;
  MustSucceed(
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, Bytes(bytes_.data()), Bytes(sealed.data())));
  MustSucceed(EVP_EncryptUpdate(context.get(), nullptr, &count, Bytes(associated.data()), Count(associated)));
  MustSucceed(EVP_EncryptUpdate(context.get(), Bytes(body), &count, Bytes(text.data()), Count(text)));
  char* const tag = body + text.size();
  MustSucceed(EVP_EncryptFinal_ex(context.get(), Bytes(tag), &count));
  MustSucceed(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag));
  return sealed;
}

std::optional<std::string> AesGcmKey::Open(std::string_view sealed, std::string_view associated) const {
  if (sealed.size() < kOverhead) return std::nullopt;
  const std::string_view body = sealed.substr(kNonceBytes, sealed.size() - kOverhead);
  std::array<char, kTagBytes> tag;
  std::copy_n(sealed.end() - kTagBytes, kTagBytes, tag.begin());
  std::string text(body.size(), '\0');
  const Context context = NewContext();
  int count = 0;
  MustSucceed(
      EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, Bytes(bytes_.data()), Bytes(sealed.data())));
  MustSucceed(EVP_DecryptUpdate(context.get(), nullptr, &count, Bytes(associated.data()), Count(associated)));
  MustSucceed(EVP_DecryptUpdate(context.get(), Bytes(text.data()), &count, Bytes(body.data()), Count(body)));
  MustSucceed(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()));
  unsigned char nothing = 0;  // GCM has no last block
  if (EVP_DecryptFinal_ex(context.get(), &nothing, &count) != 1) {
    OPENSSL_cleanse(text.data(), text.size());
    return std::nullopt;
  }
  return text;
}

AesGcmKey AesGcmKey::Derive(std::string_view purpose) const {
  std::array<char, kBytes> bytes = DeriveBytes(purpose);
  AesGcmKey derived({bytes.data(), bytes.size()});
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return derived;
}

std::array<char, AesGcmKey::kBytes> AesGcmKey::DeriveBytes(std::string_view purpose) const {
  Sha256Digest digest = HmacSha256::Of({bytes_.data(), bytes_.size()}, purpose);
  std::array<char, kBytes> bytes;
  std::copy(digest.begin(), digest.end(), bytes.begin());
  OPENSSL_cleanse(digest.data(), digest.size());
  return bytes;
}

std::string AesGcmKey::Fingerprint() const {
  const Sha256Digest digest = HmacSha256::Of({bytes_.data(), bytes_.size()}, "armature key fingerprint");
  return std::string(BytesOf(digest).substr(0, 8));
}

}  // namespace armature
