#include "iam/entities/ids.h"

#include <cassert>
#include <cstdint>

#include <fmt/format.h>

#include "model/names/names.h"

namespace armature::iam {

namespace {

constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::string_view kSecretAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/+";
constexpr size_t kPrefixSize = 4;
constexpr size_t kAccountDigits = 9;  // of base 32, the last one shared with chance
constexpr size_t kSecretSize = 40;

uint64_t NumberOf(std::string_view account) {
  uint64_t number = 0;
  for (const char digit : account) number = number * 10 + static_cast<uint64_t>(digit - '0');
  return number;
}

// The first bit is 1; 40 bits of account follow, and four of chance fill up the ninth digit.
std::string MakeId(std::string_view prefix, std::string_view account, size_t size, RandomSource& random) {
  assert(prefix.size() == kPrefixSize && model::IsAccountId(account));
  std::string id(prefix);
  const uint64_t bits = (uint64_t{1} << 44) | (NumberOf(account) << 4) | random.Below(16);
  for (size_t i = kAccountDigits; i-- > 0;) id.push_back(kBase32[(bits >> (5 * i)) & 31]);
  while (id.size() < size) id.push_back(kBase32[random.Below(kBase32.size())]);
  return id;
}

}  // namespace

std::string MakeUniqueId(std::string_view prefix, std::string_view account, RandomSource& random) {
  return MakeId(prefix, account, 21, random);
}

std::string MakeAccessKeyId(std::string_view prefix, std::string_view account, RandomSource& random) {
  return MakeId(prefix, account, 20, random);
}

std::string MakeSecret(RandomSource& random) {
  std::string secret(kSecretSize, '\0');
  for (char& c : secret) c = kSecretAlphabet[random.Below(kSecretAlphabet.size())];
  return secret;
}

std::optional<std::string> AccountOfId(std::string_view id) {
  if (id.size() < kPrefixSize + kAccountDigits || id.front() != 'A') return std::nullopt;
  uint64_t bits = 0;
  for (const char c : id.substr(kPrefixSize, kAccountDigits)) {
    const size_t digit = kBase32.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 5 | digit;
  }
  const uint64_t account = (bits >> 4) & ((uint64_t{1} << 40) - 1);
  if (bits >> 44 == 0 || account > 999'999'999'999) return std::nullopt;
  return fmt::format("{:012}", account);
}

}  // namespace armature::iam
