// An issuer for tests: a key of its own, its key set, and tokens that it signs. By OpenSSL, as the code under test, but
// from the other side: keys are made and signatures given here.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "base/codec/base64.h"

namespace armature::oidc {

inline std::string Base64Url(std::string_view bytes) {
  std::string text;
  AppendBase64(text, bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return text;
}

class TestIssuer {
 public:
  // `algorithm` is "RS256" or "ES256".
  explicit TestIssuer(std::string key_id = "k1", std::string algorithm = "RS256", unsigned bits = 2048)
      : key_id_(std::move(key_id)),
        algorithm_(std::move(algorithm)),
        key_(algorithm_ == "RS256" ? EVP_RSA_gen(bits) : EVP_EC_gen("P-256"), EVP_PKEY_free) {}

  std::string Key() const {
    if (algorithm_ == "RS256")
      return fmt::format(R"({{"kty":"RSA","use":"sig","alg":"RS256","kid":"{}","n":"{}","e":"{}"}})", key_id_,
                         Number(OSSL_PKEY_PARAM_RSA_N, 0), Number(OSSL_PKEY_PARAM_RSA_E, 0));
    return fmt::format(R"({{"kty":"EC","crv":"P-256","kid":"{}","x":"{}","y":"{}"}})", key_id_,
                       Number(OSSL_PKEY_PARAM_EC_PUB_X, 32), Number(OSSL_PKEY_PARAM_EC_PUB_Y, 32));
  }
  std::string KeySetJson() const { return fmt::format(R"({{"keys":[{}]}})", Key()); }

  std::string Sign(std::string_view claims) const {
    return SignWith(fmt::format(R"({{"alg":"{}","kid":"{}","typ":"JWT"}})", algorithm_, key_id_), claims);
  }
  std::string SignWith(std::string_view header, std::string_view claims) const {
    const std::string text = Base64Url(header) + "." + Base64Url(claims);
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get());
    size_t size = 0;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size());
    std::string signature(size, '\0');
    EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size());
    signature.resize(size);
    return text + "." + Base64Url(algorithm_ == "RS256" ? signature : SideBySide(signature));
  }

 private:
  std::string Number(const char* name, int width) const {
    BIGNUM* number = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &number);
    std::string bytes(static_cast<size_t>(width > 0 ? width : BN_num_bytes(number)), '\0');
    BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    BN_free(number);
    return Base64Url(bytes);
  }

  static std::string SideBySide(const std::string& asn1) {
    const auto* at = reinterpret_cast<const unsigned char*>(asn1.data());
    ECDSA_SIG* const both = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(asn1.size()));
    std::string bytes(64, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(bytes.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(both), out, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(both), out + 32, 32);
    ECDSA_SIG_free(both);
    return bytes;
  }

  const std::string key_id_;
  const std::string algorithm_;
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
};

}  // namespace armature::oidc
