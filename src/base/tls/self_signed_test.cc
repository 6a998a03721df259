#include "base/tls/self_signed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/tls/openssl_handles.h"

namespace armature {
namespace {

constexpr int64_t kNoon = 1'800'000'000;

SelfSignedRequest Request(std::vector<std::string> hosts) {
  return {.hosts = std::move(hosts), .not_before_seconds = kNoon, .not_after_seconds = kNoon + 86'400};
}

CertificatePtr Parse(const std::string& pem) {
  const BioPtr text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return CertificatePtr(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
}

TEST(SelfSignedTest, ItIsMadeOutToEachOfItsHostsAndToNoOther) {
  const auto made = MakeSelfSigned(Request({"localhost", "127.0.0.1", "::1", "*.db.example"}));
  ASSERT_TRUE(made) << made.error().message();
  const CertificatePtr certificate = Parse(made->certificate_pem);
  ASSERT_TRUE(certificate);
  const auto has_name = [&](const char* name) {
    return X509_check_host(certificate.get(), name, 0, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr) == 1;
  };
  EXPECT_TRUE(has_name("localhost"));
  EXPECT_TRUE(has_name("one.db.example"));
  EXPECT_FALSE(has_name("db.example"));
  EXPECT_FALSE(has_name("example"));
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.2", 0), 0);
}

TEST(SelfSignedTest, KeyAndCertificateBelongTogetherAndItMaySignNoOther) {
  const auto made = MakeSelfSigned(Request({"localhost"}));
  ASSERT_TRUE(made);
  const CertificatePtr certificate = Parse(made->certificate_pem);
  const BioPtr text(BIO_new_mem_buf(made->key_pem.data(), static_cast<int>(made->key_pem.size())));
  const PrivateKeyPtr key(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
  ASSERT_TRUE(certificate && key);
  EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
  EXPECT_EQ(X509_verify(certificate.get(), key.get()), 1);
  EXPECT_EQ(X509_check_ca(certificate.get()), 0);
  EXPECT_EQ(EVP_PKEY_get_bits(key.get()), 256);
}

TEST(SelfSignedTest, ItHoldsForTheTimeAskedFor) {
  const auto made = MakeSelfSigned(Request({"localhost"}));
  ASSERT_TRUE(made);
  const CertificatePtr certificate = Parse(made->certificate_pem);
  for (const auto& [seconds, before, after] :
       {std::tuple{kNoon - 1, 1, 1}, {kNoon + 1, -1, 1}, {kNoon + 86'401, -1, -1}}) {
    time_t now = seconds;
    EXPECT_EQ(X509_cmp_time(X509_get0_notBefore(certificate.get()), &now), before) << seconds;
    EXPECT_EQ(X509_cmp_time(X509_get0_notAfter(certificate.get()), &now), after) << seconds;
  }
}

TEST(SelfSignedTest, TwoOfThemDifferInKeyAndSerialNumber) {
  const auto one = MakeSelfSigned(Request({"localhost"}));
  const auto other = MakeSelfSigned(Request({"localhost"}));
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->key_pem, other->key_pem);
  const CertificatePtr first = Parse(one->certificate_pem), second = Parse(other->certificate_pem);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(first.get()), X509_get0_serialNumber(second.get())), 0);
}

TEST(SelfSignedTest, WhatIsNoHostIsRefused) {
  for (const std::string host : {"", "a b", "a,DNS:b", "-a", "a..b", "*", "a.*", "http://a", "a\nb", "256.1.1.1:80"}) {
    EXPECT_FALSE(IsCertificateHost(host)) << host;
    const auto made = MakeSelfSigned(Request({"localhost", host}));
    ASSERT_FALSE(made) << host;
    EXPECT_EQ(made.error().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_FALSE(MakeSelfSigned(Request({})));
  EXPECT_FALSE(IsCertificateHost(std::string(64, 'a')));
  EXPECT_FALSE(IsCertificateHost(std::string(250, 'a')));
  EXPECT_TRUE(IsCertificateHost("db-1.internal_net.example"));
}

}  // namespace
}  // namespace armature
