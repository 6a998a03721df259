#include "dax/control/page.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/codec/hex.h"
#include "dax/control/messages.h"
#include "wire/services/dax.h"

namespace armature::dax::control {

using wire::dax::InvalidParameterValueException;

model::ApiResult<Page> PageOf(std::vector<std::string> keys, const wire::Opt<int64_t>& max_results,
                              const wire::Opt<std::string_view>& next_token) {
  const int64_t most = max_results.value_or(kMostResults);
  if (most < kFewestResults || most > kMostResults)
    return InvalidParameterValueException(fmt::format(messages::kInvalidMaxResults, kFewestResults, kMostResults));
  if (next_token) {
    const auto last = FromHex(*next_token);
    if (!last || last->empty()) return InvalidParameterValueException(std::string(messages::kInvalidNextToken));
    keys.erase(keys.begin(), std::ranges::upper_bound(keys, *last));
  }
  Page page;
  if (keys.size() > static_cast<size_t>(most)) {
    keys.resize(static_cast<size_t>(most));
    page.next_token = ToHex(keys.back());
  }
  page.keys = std::move(keys);
  return page;
}

}  // namespace armature::dax::control
