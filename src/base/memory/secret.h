// Secret: a text that must not outlive its use: it is overwritten when it goes, and nothing prints it.
//
// Movable, not copyable: whoever needs it shares the one copy. Immutable once made, hence readable by all threads.
#pragma once

#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <openssl/crypto.h>

namespace armature {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string_view text) : bytes_(std::make_unique<char[]>(text.size())), size_(text.size()) {
    if (!text.empty()) std::memcpy(bytes_.get(), text.data(), text.size());
  }
  Secret(Secret&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  Secret& operator=(Secret&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Secret() {
    if (size_ > 0) OPENSSL_cleanse(bytes_.get(), size_);
  }

  bool empty() const { return size_ == 0; }
  std::string_view text() const { return {bytes_.get(), size_}; }
  // In a time that depends on the lengths only.
  bool Equals(std::string_view other) const {
    return other.size() == size_ && (size_ == 0 || CRYPTO_memcmp(other.data(), bytes_.get(), size_) == 0);
  }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
};

}  // namespace armature
