// Page: one page of a list, by Marker and MaxItems.
//
// Elements come in ascending order of a key; the page takes those behind the marker, and no more than were asked for. A
// marker is the key of the last element of a page: what is added or removed between two calls shifts nothing. Internal
// to iam_api/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/api_error.h"
#include "wire/fields.h"

namespace armature::iam_api {

class Page {
 public:
  static constexpr int64_t kDefaultItems = 100;

  // A marker, and what is in one. ValidationError, if it is none of ours.
  static std::string MarkerOf(std::string_view key);
  static model::ApiResult<std::string> KeyIn(std::string_view marker);
  static model::ApiError InvalidMarker();

  // ValidationError, if the marker is none of ours.
  static model::ApiResult<Page> Begin(const wire::Opt<std::string_view>& marker, const wire::Opt<int64_t>& max_items);
  template <class Input>
  static model::ApiResult<Page> Of(const Input& input) {
    return Begin(input.Marker, input.MaxItems);
  }

  // Whether the element with this key is on the page. REQUIRES: keys ascend.
  bool Takes(std::string_view key);
  bool is_full() const { return is_truncated_; }

  template <class Output>
  void Finish(Output& output) const {
    output.IsTruncated = is_truncated_;
    if (is_truncated_) output.Marker = MarkerOf(last_);
  }

 private:
  size_t most_ = kDefaultItems;
  size_t taken_ = 0;
  bool has_marker_ = false;
  bool is_truncated_ = false;
  std::string after_;
  std::string last_;
};

}  // namespace armature::iam_api
