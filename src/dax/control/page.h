// A page of a listing: what follows where the last one ended.
//
// NextToken is the key of the last one shown, in hexadecimal digits; listings are in the order of their keys, so what
// is added or removed in between moves nothing else. Pure. Used by the operations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/api_error.h"
#include "wire/fields.h"

namespace armature::dax::control {

inline constexpr int64_t kFewestResults = 20;
inline constexpr int64_t kMostResults = 100;

struct Page {
  std::vector<std::string> keys;
  std::optional<std::string> next_token;
};

// Of keys that are in their order.
model::ApiResult<Page> PageOf(std::vector<std::string> keys, const wire::Opt<int64_t>& max_results,
                              const wire::Opt<std::string_view>& next_token);

template <class T>
std::vector<std::string> KeysOf(const std::map<std::string, T, std::less<>>& all) {
  std::vector<std::string> keys;
  for (const auto& [key, part] : all) keys.push_back(key);
  return keys;
}

}  // namespace armature::dax::control
