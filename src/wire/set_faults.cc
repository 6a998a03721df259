#include "wire/set_faults.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/core.h>

#include "model/messages/items.h"

namespace armature::wire {

namespace messages = model::messages;

namespace {

// The members without the brackets.
std::string PrintMembers(std::vector<SetMember> members, model::SetPrinting printing,
                         std::string_view sorted_separator) {
  const bool is_sorted = printing == model::SetPrinting::kSorted;
  if (is_sorted) {
    // Up to the first repeated member they have come together in order.
    std::set<std::string_view> seen;
    auto first = members.begin();
    while (first != members.end() && seen.insert(first->bytes).second) ++first;
    std::sort(members.begin(), first, [](const SetMember& a, const SetMember& b) { return a.bytes < b.bytes; });
  }
  std::string out;
  for (const SetMember& member : members) {
    if (!out.empty()) out += is_sorted ? sorted_separator : ", ";
    out += is_sorted ? fmt::format("\"{}\"", member.text) : std::string(member.text);
  }
  return out;
}

}  // namespace

model::ApiError DuplicatesInStringSet(std::vector<SetMember> members, model::SetPrinting printing) {
  return model::ValidationException(
      fmt::format(messages::kDuplicatesInStringSet, PrintMembers(std::move(members), printing, ", ")));
}

model::ApiError DuplicatesInBinarySet(std::vector<SetMember> members, model::SetPrinting printing) {
  return model::ValidationException(
      fmt::format(messages::kDuplicatesInBinarySet, PrintMembers(std::move(members), printing, ",")));
}

model::ApiError DuplicatesInNumberSet(model::SetPrinting printing) {
  return model::ValidationException(std::string(printing == model::SetPrinting::kSorted
                                                    ? messages::kDuplicatesInNumberSet
                                                    : messages::kDuplicatesInNumberSetOlder));
}

}  // namespace armature::wire
