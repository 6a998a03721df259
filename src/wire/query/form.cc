#include "wire/query/form.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/codec/percent_encoding.h"
#include "base/text/visible_text.h"
#include "model/messages/query.h"
#include "wire/query/query_errors.h"

namespace armature::wire {

namespace {

// Calls `each` with every name and value, still encoded, until it returns false.
template <class Each>
bool ForEachPair(std::string_view encoded, Each&& each) {
  while (!encoded.empty()) {
    const std::string_view pair = encoded.substr(0, encoded.find('&'));
    encoded.remove_prefix(std::min(pair.size() + 1, encoded.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    if (!each(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())))) return false;
  }
  return true;
}

std::string_view DecodeText(std::string_view encoded, Arena& arena) {
  const std::string_view text = PercentDecode(encoded, arena);
  return IsUtf8(text) ? text : arena.Copy(WellFormedUtf8(text));
}

// A dot comes before all else, so that the parts of a member are not torn apart by "Member-like" names.
bool ComesBefore(const FormParameter& a, const FormParameter& b) {
  const auto rank = [](char c) { return c == '.' ? -1 : static_cast<int>(static_cast<unsigned char>(c)); };
  return std::lexicographical_compare(a.name.begin(), a.name.end(), b.name.begin(), b.name.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

}  // namespace

model::ApiResult<FormParameters> FormParameters::Parse(std::string_view query, std::string_view body, Arena& arena) {
  if (query.size() + body.size() > kMaxFormBytes) return FormTooLarge();
  FormParameters form;
  for (const std::string_view part : {query, body}) {
    const bool fits = ForEachPair(part, [&](std::string_view name, std::string_view value) {
      if (form.parameters_.size() == kMaxFormParameters) return false;
      form.parameters_.push_back({DecodeText(name, arena), DecodeText(value, arena)});
      return true;
    });
    if (!fits) return MalformedInput(fmt::format(model::messages::kTooManyParameters, kMaxFormParameters));
  }
  std::stable_sort(form.parameters_.begin(), form.parameters_.end(), ComesBefore);
  return form;
}

FoundParameter FindInForm(std::string_view encoded, std::string_view name) {
  FoundParameter result;
  ForEachPair(encoded, [&](std::string_view encoded_name, std::string_view value) {
    // A name as long or longer than the one looked for; decoding only makes shorter.
    if (encoded_name.size() < name.size() || encoded_name.size() > 3 * name.size()) return true;
    if (PercentDecode(encoded_name) != name) return true;
    result = {true, WellFormedUtf8(PercentDecode(value))};
    return false;
  });
  return result;
}

}  // namespace armature::wire
