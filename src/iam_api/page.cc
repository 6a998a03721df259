#include "iam_api/page.h"

#include "base/codec/base64.h"
#include "wire/query/query_errors.h"

namespace armature::iam_api {

namespace {

// So that not every text in base64 is a marker.
constexpr std::string_view kPrefix = "m1:";

}  // namespace

std::string Page::MarkerOf(std::string_view key) {
  std::string marker;
  AppendBase64(marker, std::string(kPrefix).append(key));
  return marker;
}

model::ApiError Page::InvalidMarker() { return wire::ValidationError("Invalid Marker."); }

model::ApiResult<std::string> Page::KeyIn(std::string_view marker) {
  std::string bytes(Base64DecodedCapacity(marker.size()), '\0');
  const auto size = DecodeBase64To(marker, bytes.data());
  if (size) bytes.resize(*size);
  if (!size || !bytes.starts_with(kPrefix)) return InvalidMarker();
  return bytes.substr(kPrefix.size());
}

model::ApiResult<Page> Page::Begin(const wire::Opt<std::string_view>& marker, const wire::Opt<int64_t>& max_items) {
  Page page;
  page.most_ = static_cast<size_t>(max_items.value_or(kDefaultItems));
  if (!marker) return page;
  ARMATURE_TRY(page.after_, KeyIn(*marker));
  page.has_marker_ = true;
  return page;
}

bool Page::Takes(std::string_view key) {
  if (has_marker_ && key <= after_) return false;
  if (taken_ == most_) {
    is_truncated_ = true;
    return false;
  }
  ++taken_;
  last_ = key;
  return true;
}

}  // namespace armature::iam_api
