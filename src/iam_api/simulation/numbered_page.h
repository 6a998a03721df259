// NumberedPage: one page of a list whose elements are counted, by Marker and MaxItems.
//
// For lists that are made on demand, of which there may be more than anybody would go over: where a page begins is
// read from the marker, and nothing before it is looked at. A marker says how many elements came before; one that is
// beyond the end gives an empty page. Internal to iam_api/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "iam_api/page.h"
#include "model/api_error.h"
#include "wire/fields.h"

namespace armature::iam_api {

class NumberedPage {
 public:
  // Of a list of `total` elements. ValidationError, if the marker is none of ours.
  static model::ApiResult<NumberedPage> Begin(const wire::Opt<std::string_view>& marker,
                                              const wire::Opt<int64_t>& max_items, size_t total);

  // The number of the element to make next; REQUIRES: it is not complete.
  size_t next() const { return next_; }
  bool is_complete() const { return next_ >= end_; }
  void Advance() { ++next_; }

  // The list may go on where the page ended, also before it had all that were asked for.
  template <class Output>
  void Finish(Output& output) const {
    output.IsTruncated = next_ < total_;
    if (next_ < total_) output.Marker = Page::MarkerOf(std::to_string(next_));
  }

 private:
  size_t total_ = 0;
  size_t next_ = 0;
  size_t end_ = 0;
};

}  // namespace armature::iam_api
