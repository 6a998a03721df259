// What is said of files that cannot be used, or should not be as they are.
#include "net/tls/tls_context.h"

#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <sys/stat.h>

#include "net/tls/tls_testing.h"

namespace armature::net {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class TlsContextTest : public testing::Test {
 protected:
  TlsContextTest() {
    chmod(key.path().c_str(), 0600);
    Use(MakeTestCertificate());
  }
  void Use(const SelfSigned& made) {
    EXPECT_TRUE(certificate.Write(made.certificate_pem));
    EXPECT_TRUE(key.Write(made.key_pem));
  }
  Result<ServerContext> Make() const { return MakeServerContext(files, std::time(nullptr)); }
  // One line that says what is wrong.
  std::string Problem() const {
    const auto made = Make();
    if (made) return "nothing";
    EXPECT_EQ(made.error().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(made.error().message(), Not(HasSubstr("\n")));
    EXPECT_EQ(ERR_peek_error(), 0u) << "nothing is left for a later call to find";
    return made.error().message();
  }

  MemoryFile certificate{"cert.pem"};
  MemoryFile key{"key.pem"};
  MemoryFile authority{"ca.pem"};
  TlsFiles files{certificate.path(), key.path(), {}};
};

TEST_F(TlsContextTest, GoodFilesAreTakenWithoutAWord) {
  const auto made = Make();
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(made->warnings, IsEmpty());
}

TEST_F(TlsContextTest, AFileThatIsNotThereIsNamed) {
  files.key = "/nowhere/key.pem";
  EXPECT_EQ(Problem(), "cannot read the TLS key /nowhere/key.pem: No such file or directory");
  files.certificate = "/nowhere/cert.pem";
  EXPECT_EQ(Problem(), "cannot read the TLS certificate /nowhere/cert.pem: No such file or directory");
  files.certificate = "/tmp";
  EXPECT_EQ(Problem(), "cannot read the TLS certificate /tmp: it is a directory");
}

TEST_F(TlsContextTest, WhatIsNoPemIsToldApartFromWhatIsBroken) {
  const SelfSigned made = MakeTestCertificate();
  EXPECT_TRUE(certificate.Write("hello"));
  EXPECT_THAT(Problem(), HasSubstr("holds no certificate"));
  EXPECT_TRUE(certificate.Write(made.key_pem));
  EXPECT_THAT(Problem(), HasSubstr("holds no certificate"));
  EXPECT_TRUE(certificate.Write(made.certificate_pem.substr(0, made.certificate_pem.size() / 2)));
  EXPECT_THAT(Problem(), AllOf(HasSubstr("the TLS certificate"), HasSubstr("cannot be understood")));
  Use(made);
  EXPECT_TRUE(key.Write(made.certificate_pem));
  EXPECT_THAT(Problem(), HasSubstr("holds no key"));
  EXPECT_TRUE(key.Write(""));
  EXPECT_THAT(Problem(), HasSubstr("holds no key"));
  EXPECT_TRUE(certificate.Write(std::string((1 << 20) + 1, 'x')));
  EXPECT_THAT(Problem(), HasSubstr("is longer than"));
}

TEST_F(TlsContextTest, AKeyThatIsNotTheCertificatesIsRefused) {
  EXPECT_TRUE(key.Write(MakeTestCertificate().key_pem));
  EXPECT_THAT(Problem(), HasSubstr("does not belong to the certificate"));
  const PrivateKeyPtr other(EVP_RSA_gen(2048));
  const BioPtr text(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(text.get(), other.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  EXPECT_TRUE(key.Write({bytes, static_cast<size_t>(size)}));
  EXPECT_THAT(Problem(), HasSubstr("does not belong to the certificate")) << "of another kind";
}

TEST_F(TlsContextTest, NobodyIsAskedForAPassphrase) {
  const PrivateKeyPtr made(EVP_EC_gen("P-256"));
  const BioPtr text(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(text.get(), made.get(), EVP_aes_256_cbc(), reinterpret_cast<const unsigned char*>("word"), 4,
                           nullptr, nullptr);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  EXPECT_TRUE(key.Write({bytes, static_cast<size_t>(size)}));
  EXPECT_THAT(Problem(), HasSubstr("is protected by a passphrase"));
}

TEST_F(TlsContextTest, ACertificateOutOfItsTimeWorksAndIsWarnedOf) {
  const int64_t now = std::time(nullptr);
  Use(*MakeSelfSigned({{"localhost"}, now - 7200, now - 3600}));
  EXPECT_THAT(Make()->warnings, ElementsAre(HasSubstr("expired on")));
  Use(*MakeSelfSigned({{"localhost"}, now + 3600, now + 7200}));
  EXPECT_THAT(Make()->warnings, ElementsAre(HasSubstr("is not valid before")));
}

TEST_F(TlsContextTest, AKeyThatEverybodyCanReadIsWarnedOf) {
  chmod(key.path().c_str(), 0644);
  EXPECT_THAT(Make()->warnings, ElementsAre(HasSubstr("can be read by every user")));
  chmod(key.path().c_str(), 0640);
  EXPECT_THAT(Make()->warnings, IsEmpty()) << "a group may have been made for it";
}

TEST_F(TlsContextTest, TheWholeChainIsRead) {
  const SelfSigned own = MakeTestCertificate();
  Use(own);
  EXPECT_TRUE(certificate.Write(own.certificate_pem + MakeTestCertificate("between.example").certificate_pem +
                                MakeTestCertificate("above.example").certificate_pem));
  const auto made = Make();
  ASSERT_TRUE(made) << made.error().message();
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(made->context.get(), &chain);
  EXPECT_EQ(sk_X509_num(chain), 2);
  EXPECT_TRUE(
      certificate.Write(own.certificate_pem + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
  EXPECT_THAT(Problem(), HasSubstr("cannot be understood"));
}

TEST_F(TlsContextTest, AnAuthorityOfClientsThatCannotBeReadIsNamed) {
  files.client_ca = "/nowhere/ca.pem";
  EXPECT_EQ(Problem(), "cannot read the TLS client CA /nowhere/ca.pem: No such file or directory");
  files.client_ca = authority.path();
  EXPECT_THAT(Problem(), HasSubstr("holds no certificate"));
}

}  // namespace
}  // namespace armature::net
