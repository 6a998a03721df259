// IpRange: addresses that share their first bits, as policies write them: "203.0.113.0/24", "2001:db8::/32".
//
// An address alone is a range of one. Addresses of IPv4 are in no range of IPv6, and the other way round. Pure values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace armature::policy {

struct IpAddress {
  bool is_v6 = false;
  std::array<uint8_t, 16> bytes{};  // of IPv4 the first four

  static std::optional<IpAddress> Parse(std::string_view text);
};

class IpRange {
 public:
  // nullopt: neither an address nor a range. Bits of the address behind the prefix mean nothing.
  static std::optional<IpRange> Parse(std::string_view text);

  bool Contains(const IpAddress& address) const;

 private:
  IpAddress first_;
  int prefix_bits_ = 0;
};

}  // namespace armature::policy
