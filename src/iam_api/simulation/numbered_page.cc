#include "iam_api/simulation/numbered_page.h"

#include <algorithm>
#include <charconv>

namespace armature::iam_api {

model::ApiResult<NumberedPage> NumberedPage::Begin(const wire::Opt<std::string_view>& marker,
                                                   const wire::Opt<int64_t>& max_items, size_t total) {
  NumberedPage page;
  page.total_ = total;
  if (marker) {
    ARMATURE_TRY(const std::string key, Page::KeyIn(*marker));
    const auto read = std::from_chars(key.data(), key.data() + key.size(), page.next_);
    if (read.ec != std::errc() || read.ptr != key.data() + key.size()) return Page::InvalidMarker();
  }
  page.next_ = std::min(page.next_, total);
  const auto most = static_cast<size_t>(max_items.value_or(Page::kDefaultItems));
  page.end_ = page.next_ + std::min(most, total - page.next_);
  return page;
}

}  // namespace armature::iam_api
