#include "api/streams/shard_iterator.h"

#include <array>

#include "base/bytes.h"
#include "base/codec/base64.h"
#include "wire/envelope/crc32.h"

namespace armature::api {

namespace {

constexpr std::string_view kSeparator = "|1|";
constexpr size_t kPlaceBytes = 3 * sizeof(uint64_t);
constexpr size_t kBytes = kPlaceBytes + sizeof(uint32_t);

// Of the place and the ARN: an iterator cannot be moved to another stream.
uint32_t Checksum(std::string_view place, std::string_view arn) {
  std::string all(place);
  all.append(arn);
  return wire::Crc32(all);
}

}  // namespace

void AppendShardIterator(const ShardIterator& iterator, std::string& out) {
  std::string place;
  AppendBigEndian(place, iterator.lane);
  AppendBigEndian(place, iterator.position);
  AppendBigEndian(place, static_cast<uint64_t>(iterator.issued_millis));
  AppendBigEndian(place, Checksum(place, iterator.stream_arn));
  out.append(iterator.stream_arn).append(kSeparator);
  AppendBase64(out, place);
}

std::optional<ShardIterator> ParseShardIterator(std::string_view text) {
  const size_t separator = text.rfind(kSeparator);
  if (separator == std::string_view::npos) return std::nullopt;
  const std::string_view arn = text.substr(0, separator), encoded = text.substr(separator + kSeparator.size());
  std::array<char, Base64DecodedCapacity(Base64EncodedSize(kBytes))> buffer{};
  if (encoded.size() != Base64EncodedSize(kBytes)) return std::nullopt;
  const auto size = DecodeBase64To(encoded, buffer.data());
  if (!size || *size != kBytes) return std::nullopt;
  ByteReader reader(std::string_view(buffer.data(), kBytes));
  ShardIterator iterator;
  iterator.stream_arn = arn;
  iterator.lane = reader.BigEndian<uint64_t>();
  iterator.position = reader.BigEndian<uint64_t>();
  iterator.issued_millis = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  if (reader.BigEndian<uint32_t>() != Checksum({buffer.data(), kPlaceBytes}, arn)) return std::nullopt;
  return iterator;
}

}  // namespace armature::api
