#include "oidc/key_set.h"

#include <algorithm>
#include <new>
#include <optional>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <simdjson.h>

namespace armature::oidc {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kMostLevels = 16;
constexpr int kLeastRsaBits = 2048;
// What an exponent or modulus can be at most: checking costs grow with them.
constexpr size_t kMostRsaBytes = 1025;  // a zero may stand before them
constexpr size_t kMostExponentBytes = 8;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* what) const {
    Free(what);
  }
};
using KeyPointer = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;

// One kind of signature.
struct Algorithm {
  std::string_view name;
  std::string_view key_type;  // "RSA", "EC"
  std::string_view curve;     // as JWKS calls it
  const char* group;          // as OpenSSL does
  const EVP_MD* (*digest)();
  size_t coordinate_bytes;  // of EC: half a signature
};
constexpr Algorithm kAlgorithms[] = {
    {"RS256", "RSA", "", nullptr, EVP_sha256, 0},          {"RS384", "RSA", "", nullptr, EVP_sha384, 0},
    {"RS512", "RSA", "", nullptr, EVP_sha512, 0},          {"ES256", "EC", "P-256", "prime256v1", EVP_sha256, 32},
    {"ES384", "EC", "P-384", "secp384r1", EVP_sha384, 48}, {"ES512", "EC", "P-521", "secp521r1", EVP_sha512, 66},
};

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string_view Text(object from, std::string_view name) {
  std::string_view text;
  return from[name].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

Number NumberOf(std::string_view bytes) {
  return Number(BN_bin2bn(Bytes(bytes), static_cast<int>(bytes.size()), nullptr));
}

// Null: OpenSSL does not take it for a key.
KeyPointer MakeKey(const char* type, OSSL_PARAM_BLD* builder) {
  const std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>> parameters(OSSL_PARAM_BLD_to_param(builder));
  const std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>> context(
      EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
    return nullptr;
  return KeyPointer(key);
}

KeyPointer MakeRsaKey(object from) {
  const auto modulus = DecodeBase64Url(Text(from, "n"));
  const auto exponent = DecodeBase64Url(Text(from, "e"));
  if (!modulus || !exponent || modulus->size() > kMostRsaBytes || exponent->size() > kMostExponentBytes) return nullptr;
  const Number n = NumberOf(*modulus), e = NumberOf(*exponent);
  const std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>> builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || BN_num_bits(n.get()) < kLeastRsaBits || !BN_is_odd(e.get()) || BN_is_one(e.get()))
    return nullptr;
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  return MakeKey("RSA", builder.get());
}

KeyPointer MakeEcKey(object from, const Algorithm& algorithm) {
  const auto x = DecodeBase64Url(Text(from, "x"));
  const auto y = DecodeBase64Url(Text(from, "y"));
  if (!x || !y || x->size() != algorithm.coordinate_bytes || y->size() != algorithm.coordinate_bytes) return nullptr;
  const std::string point = "\x04" + *x + *y;  // uncompressed
  const std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>> builder(OSSL_PARAM_BLD_new());
  if (!builder) return nullptr;
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, algorithm.group, 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  return MakeKey("EC", builder.get());  // refuses a point that is not on the curve
}

// OpenSSL wants ASN.1 where tokens have two numbers side by side. Empty: it is no signature.
std::string AsAsn1(std::string_view signature, size_t coordinate_bytes) {
  if (signature.size() != 2 * coordinate_bytes) return {};
  const std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>> both(ECDSA_SIG_new());
  Number r = NumberOf(signature.substr(0, coordinate_bytes)), s = NumberOf(signature.substr(coordinate_bytes));
  if (!both || !r || !s || ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());  // both's now
  static_cast<void>(s.release());
  unsigned char* bytes = nullptr;
  const int size = i2d_ECDSA_SIG(both.get(), &bytes);
  if (size <= 0) return {};
  std::string asn1(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  return asn1;
}

}  // namespace

struct KeySet::Key {
  std::string id;
  std::string type;
  std::string curve;
  std::string only_algorithm;  // empty: any that goes with its type
  KeyPointer key;

  bool HasSigned(const Token& token, const Algorithm& algorithm) const {
    if (type != algorithm.key_type || curve != algorithm.curve) return false;
    if (!only_algorithm.empty() && only_algorithm != algorithm.name) return false;
    const std::string signature =
        algorithm.coordinate_bytes > 0 ? AsAsn1(token.signature, algorithm.coordinate_bytes) : token.signature;
    const std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
    return !signature.empty() && context &&
           EVP_DigestVerifyInit(context.get(), nullptr, algorithm.digest(), nullptr, key.get()) == 1 &&
           EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(token.signed_text),
                            token.signed_text.size()) == 1;
  }
};

KeySet::KeySet() = default;
KeySet::~KeySet() = default;
KeySet::KeySet(KeySet&&) noexcept = default;
KeySet& KeySet::operator=(KeySet&&) noexcept = default;

Result<KeySet> KeySet::Read(std::string_view json) {
  simdjson::dom::parser parser;
  if (json.empty() || json.size() > kMostKeySetBytes)
    return Status::InvalidArgument("a key set of a size that none has");
  if (parser.allocate(json.size(), kMostLevels) != simdjson::SUCCESS) throw std::bad_alloc();
  const simdjson::padded_string padded(json);
  simdjson::dom::array keys;
  if (parser.parse(padded)["keys"].get(keys) != simdjson::SUCCESS) return Status::InvalidArgument("not a key set");
  KeySet set;
  for (const element one : keys) {
    object from;
    if (one.get(from) != simdjson::SUCCESS) continue;
    const std::string_view use = Text(from, "use");
    if (!use.empty() && use != "sig") continue;
    auto key = std::make_unique<Key>();
    key->type = Text(from, "kty");
    key->curve = key->type == "EC" ? Text(from, "crv") : std::string_view();
    const auto* const algorithm = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms), [&](const Algorithm& a) {
      return a.key_type == key->type && a.curve == key->curve;
    });
    if (algorithm == std::end(kAlgorithms)) continue;
    key->id = Text(from, "kid");
    key->only_algorithm = Text(from, "alg");
    key->key = key->type == "RSA" ? MakeRsaKey(from) : MakeEcKey(from, *algorithm);
    if (!key->key) continue;
    if (set.keys_.size() == kMostKeys) return Status::InvalidArgument("a key set with too many keys");
    set.keys_.push_back(std::move(key));
  }
  return set;
}

bool KeySet::HasKey(std::string_view key_id) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const auto& key) { return key_id.empty() || key->id == key_id; });
}

bool KeySet::HasSigned(const Token& token) const {
  const auto* const algorithm = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                             [&](const Algorithm& a) { return a.name == token.algorithm; });
  if (algorithm == std::end(kAlgorithms)) return false;
  return std::any_of(keys_.begin(), keys_.end(), [&](const auto& key) {
    return (token.key_id.empty() || key->id == token.key_id) && key->HasSigned(token, *algorithm);
  });
}

}  // namespace armature::oidc
