#include "storage/rocksdb/encrypted/sealed_pages.h"

#include <array>
#include <utility>

namespace armature::storage {
namespace {

using Nonce = std::array<unsigned char, 12>;

Nonce NonceOf(uint64_t page, bool is_last) {
  Nonce nonce{};
  nonce[0] = is_last ? 1 : 0;
  for (size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<unsigned char>(page >> (8 * (7 - i)));
  return nonce;
}

}  // namespace

// A context with the key in it: making one costs as much as opening a page.
class SealedPages::Lent {
 public:
  explicit Lent(const SealedPages& pages) : pages_(pages) {
    {
      MutexLock lock(pages.mutex_);
      if (!pages.opening_.empty()) {
        context_ = std::move(pages.opening_.back());
        pages.opening_.pop_back();
      }
    }
    if (context_) return;
    context_ = NewCipherContext();
    CipherMustSucceed(EVP_DecryptInit_ex(context_.get(), EVP_aes_256_gcm(), nullptr,
                                         CipherBytes(pages.secrets_.cipher.data()), nullptr));
  }
  ~Lent() {
    MutexLock lock(pages_.mutex_);
    if (pages_.opening_.size() < kMostKept) pages_.opening_.push_back(std::move(context_));
  }
  EVP_CIPHER_CTX* get() const { return context_.get(); }

 private:
  const SealedPages& pages_;
  CipherContext context_;
};

void SealedPages::Seal(uint64_t page, bool is_last, std::string_view text, char* sealed) const {
  if (!sealing_) {
    sealing_ = NewCipherContext();
    CipherMustSucceed(
        EVP_EncryptInit_ex(sealing_.get(), EVP_aes_256_gcm(), nullptr, CipherBytes(secrets_.cipher.data()), nullptr));
  }
  const Nonce nonce = NonceOf(page, is_last);
  int count = 0;
  CipherMustSucceed(EVP_EncryptInit_ex(sealing_.get(), nullptr, nullptr, nullptr, nonce.data()));
  CipherMustSucceed(EVP_EncryptUpdate(sealing_.get(), CipherBytes(sealed), &count, CipherBytes(text.data()),
                                      static_cast<int>(text.size())));
  char* const tag = sealed + text.size();
  CipherMustSucceed(EVP_EncryptFinal_ex(sealing_.get(), CipherBytes(tag), &count));
  CipherMustSucceed(EVP_CIPHER_CTX_ctrl(sealing_.get(), EVP_CTRL_GCM_GET_TAG, kTag, tag));
}

bool SealedPages::Open(uint64_t page, bool is_last, std::string_view sealed, char* text) const {
  if (sealed.size() < kTag) return false;
  const size_t size = sealed.size() - kTag;
  std::array<char, kTag> tag;
  sealed.copy(tag.data(), kTag, size);
  const Nonce nonce = NonceOf(page, is_last);
  const Lent context(*this);
  int count = 0;
  CipherMustSucceed(EVP_DecryptInit_ex(context.get(), nullptr, nullptr, nullptr, nonce.data()));
  CipherMustSucceed(
      EVP_DecryptUpdate(context.get(), CipherBytes(text), &count, CipherBytes(sealed.data()), static_cast<int>(size)));
  CipherMustSucceed(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()));
  unsigned char nothing = 0;  // GCM has no last block
  return EVP_DecryptFinal_ex(context.get(), &nothing, &count) == 1;
}

uint64_t SealedPages::TextBytes(uint64_t file_bytes) {
  if (file_bytes < FileHeader::kBytes) return 0;
  const uint64_t sealed = file_bytes - FileHeader::kBytes;
  const uint64_t rest = sealed % kSealedPage;
  return sealed / kSealedPage * kPage + (rest > kTag ? rest - kTag : 0);
}

uint64_t SealedPages::PageCount(uint64_t file_bytes) { return (TextBytes(file_bytes) + kPage - 1) / kPage; }

}  // namespace armature::storage
