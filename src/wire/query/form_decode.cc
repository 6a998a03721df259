#include "wire/query/form_decode.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/messages/query.h"
#include "wire/fields.h"
#include "wire/query/query_errors.h"
#include "wire/validate.h"

namespace armature::wire {

namespace messages = model::messages;

namespace {

using Parameters = std::span<const FormParameter>;

// Java's Integer, which AWS reads them into.
constexpr int64_t kMaxInteger = 2'147'483'647;
constexpr int64_t kMinInteger = -kMaxInteger - 1;
constexpr size_t kMaxIndexDigits = 9;

// Parameters whose names are the same up to a dot or their end: "Tags", "Tags.member.1.Key", …
struct Group {
  std::string_view segment;              // "Tags"
  const FormParameter* value = nullptr;  // the one whose name ends there, if there is one
  Parameters parts{};                    // those whose names go on
  size_t parts_at = 0;                   // where in their names
};

// Calls `each` with the groups of parameters by the segment of their names at `at`, in the order of the segments.
template <class Each>
model::ApiResult<void> ForEachGroup(Parameters parameters, size_t at, Each&& each) {
  while (!parameters.empty()) {
    const auto segment_of = [at](const FormParameter& parameter) {
      const std::string_view rest = parameter.name.substr(at);
      return rest.substr(0, rest.find('.'));
    };
    Group group{.segment = segment_of(parameters.front())};
    const auto ends = [&](const FormParameter& parameter) {
      return parameter.name.size() == at + group.segment.size();
    };
    size_t values = 0;
    while (values < parameters.size() && segment_of(parameters[values]) == group.segment && ends(parameters[values]))
      ++values;
    size_t end = values;
    while (end < parameters.size() && segment_of(parameters[end]) == group.segment) ++end;
    if (values > 0) group.value = &parameters.front();  // the first of several
    group.parts = parameters.subspan(values, end - values);
    group.parts_at = at + group.segment.size() + 1;
    ARMATURE_CHECK_OK(each(group));
    parameters = parameters.subspan(end);
  }
  return {};
}

std::optional<uint32_t> ReadIndex(std::string_view text) {
  uint32_t index = 0;
  if (text.empty() || text.size() > kMaxIndexDigits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index == 0) return std::nullopt;
  return index;
}

class FormDecoder {
 public:
  explicit FormDecoder(Arena& arena) : arena_(arena) {}

  // `out` is zeroed.
  model::ApiResult<void> DecodeStructure(const ShapeDesc& shape, Parameters parameters, size_t at, void* out);

 private:
  model::ApiResult<void> DecodeMember(const ShapeDesc& shape, const Group& group, void* field);
  // The same for an element of a list, which lies there without its Opt, or as a structure.
  model::ApiResult<void> DecodeElement(const ShapeDesc& shape, const Group& group, void* slot);
  model::ApiResult<void> DecodeScalar(const ShapeDesc& shape, const Group& group, void* slot);
  model::ApiResult<void> DecodeList(const ShapeDesc& shape, const Group& group, void* field);

  void* Zeroed(size_t bytes) { return std::memset(arena_.Allocate(bytes), 0, bytes); }

  Arena& arena_;
};

model::ApiResult<void> FormDecoder::DecodeStructure(const ShapeDesc& shape, Parameters parameters, size_t at,
                                                    void* out) {
  return ForEachGroup(parameters, at, [&](const Group& group) -> model::ApiResult<void> {
    const auto member = std::find_if(shape.members.begin(), shape.members.end(),
                                     [&](const MemberDesc& known) { return known.name == group.segment; });
    if (member == shape.members.end()) return {};
    return DecodeMember(*member->shape, group, static_cast<char*>(out) + member->offset);
  });
}

model::ApiResult<void> FormDecoder::DecodeMember(const ShapeDesc& shape, const Group& group, void* field) {
  switch (shape.kind) {
    case Kind::kList: return DecodeList(shape, group, field);
    case Kind::kStructure: {
      if (group.parts.empty() && group.value->value.empty()) return {};
      void* const structure = Zeroed(shape.size);
      *static_cast<void**>(field) = structure;
      return DecodeElement(shape, group, structure);
    }
    case Kind::kInteger: static_cast<Opt<int64_t>*>(field)->present = true; break;
    case Kind::kBoolean: static_cast<Opt<bool>*>(field)->present = true; break;
    default: static_cast<Opt<std::string_view>*>(field)->present = true;
  }
  return DecodeScalar(shape, group, field);  // an Opt starts with its value
}

model::ApiResult<void> FormDecoder::DecodeElement(const ShapeDesc& shape, const Group& group, void* slot) {
  if (shape.kind == Kind::kList) return DecodeList(shape, group, slot);
  if (shape.kind != Kind::kStructure) return DecodeScalar(shape, group, slot);
  if (group.parts.empty()) return MalformedInput(std::string(messages::kStructureExpected));
  return DecodeStructure(shape, group.parts, group.parts_at, slot);
}

model::ApiResult<void> FormDecoder::DecodeScalar(const ShapeDesc& shape, const Group& group, void* slot) {
  if (group.value == nullptr) {
    const bool is_list = group.parts.front().name.substr(group.parts_at).starts_with("member");
    return MalformedInput(std::string(is_list ? messages::kListNotExpected : messages::kStructureNotExpected));
  }
  const std::string_view text = group.value->value;
  switch (shape.kind) {
    case Kind::kInteger: {
      int64_t& number = *static_cast<int64_t*>(slot);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool is_whole = error == std::errc() && end == text.data() + text.size();
      if (is_whole && number >= kMinInteger && number <= kMaxInteger) return {};
      return MalformedInput(fmt::format(messages::kNotAnInteger, group.segment));
    }
    case Kind::kBoolean:
      if (text != "true" && text != "false") return MalformedInput(fmt::format(messages::kNotABoolean, group.segment));
      *static_cast<bool*>(slot) = text == "true";
      return {};
    default: *static_cast<std::string_view*>(slot) = text; return {};
  }
}

model::ApiResult<void> FormDecoder::DecodeList(const ShapeDesc& shape, const Group& group, void* field) {
  RawList& list = *static_cast<RawList*>(field);
  list.present = true;
  if (group.parts.empty()) {
    if (!group.value->value.empty()) return MalformedInput(std::string(messages::kListExpected));
    return {};
  }
  struct Element {
    uint32_t index;
    Group group;
  };
  std::vector<Element> elements;
  ARMATURE_CHECK_OK(ForEachGroup(group.parts, group.parts_at, [&](const Group& members) -> model::ApiResult<void> {
    if (members.segment != "member") return MalformedInput(std::string(messages::kListExpected));
    return ForEachGroup(members.parts, members.parts_at, [&](const Group& element) -> model::ApiResult<void> {
      const std::optional<uint32_t> index = ReadIndex(element.segment);
      if (!index) return MalformedInput(std::string(messages::kListExpected));
      elements.push_back({*index, element});
      return {};
    });
  }));
  // "1" and "01" are one number: the first of them counts.
  std::stable_sort(elements.begin(), elements.end(),
                   [](const Element& a, const Element& b) { return a.index < b.index; });
  elements.erase(std::unique(elements.begin(), elements.end(),
                             [](const Element& a, const Element& b) { return a.index == b.index; }),
                 elements.end());
  if (elements.empty()) return {};
  char* const slots = static_cast<char*>(Zeroed(elements.size() * shape.size));
  list.data = slots;
  list.count = elements.size();
  for (size_t i = 0; i < elements.size(); ++i)
    ARMATURE_CHECK_OK(DecodeElement(*shape.element, elements[i].group, slots + i * shape.size));
  return {};
}

}  // namespace

model::ApiResult<const void*> DecodeForm(const QueryOperationSchema& schema, const FormParameters& form, Arena& arena) {
  const ShapeDesc& input = *schema.input;
  void* const request = std::memset(arena.Allocate(input.size), 0, input.size);  // every field is absent when all zero
  ARMATURE_CHECK_OK(FormDecoder(arena).DecodeStructure(input, form.all(), 0, request));
  const Echo echo = schema.service->echoes_values ? Echo::kValues : Echo::kNothing;
  if (std::optional<std::string> faults = ConstraintFaults(input, echo, request))
    return ValidationError(std::move(*faults));
  return static_cast<const void*>(request);
}

}  // namespace armature::wire
