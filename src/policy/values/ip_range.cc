#include "policy/values/ip_range.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

namespace armature::policy {

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  char terminated[INET6_ADDRSTRLEN];
  if (text.size() >= sizeof(terminated) || text.find('\0') != std::string_view::npos) return std::nullopt;
  terminated[text.copy(terminated, text.size())] = '\0';
  IpAddress address;
  address.is_v6 = text.find(':') != std::string_view::npos;
  if (inet_pton(address.is_v6 ? AF_INET6 : AF_INET, terminated, address.bytes.data()) != 1) return std::nullopt;
  return address;
}

std::optional<IpRange> IpRange::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const auto address = IpAddress::Parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  IpRange range;
  range.first_ = *address;
  const int most_bits = address->is_v6 ? 128 : 32;
  range.prefix_bits_ = most_bits;
  if (slash == std::string_view::npos) return range;
  const std::string_view bits = text.substr(slash + 1);
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), range.prefix_bits_);
  if (error != std::errc() || end != bits.data() + bits.size() || range.prefix_bits_ < 0 ||
      range.prefix_bits_ > most_bits)
    return std::nullopt;
  return range;
}

bool IpRange::Contains(const IpAddress& address) const {
  if (address.is_v6 != first_.is_v6) return false;
  const size_t whole = static_cast<size_t>(prefix_bits_ / 8);
  if (!std::equal(first_.bytes.begin(), first_.bytes.begin() + static_cast<ptrdiff_t>(whole), address.bytes.begin()))
    return false;
  const int left = prefix_bits_ % 8;
  if (left == 0) return true;
  const auto mask = static_cast<uint8_t>(0xFF << (8 - left));
  return ((first_.bytes[whole] ^ address.bytes[whole]) & mask) == 0;
}

}  // namespace armature::policy
