#include "wire/validate.h"

#include <algorithm>
#include <cassert>
#include <string>

#include <fmt/core.h>

#include "model/messages/query.h"
#include "model/messages/requests.h"
#include "wire/fields.h"
#include "wire/print_value.h"

namespace armature::wire {

namespace messages = model::messages;

namespace {

constexpr size_t kMostErrors = 10;

// How the walk came to a value; rendered only when there is something to report.
struct Path {
  const Path* parent = nullptr;
  const MemberDesc* member = nullptr;  // else an element of the list or map above
  size_t index = 0;                    // of a list element, from 1
  std::string_view key;                // of a map entry

  void Render(bool verbatim, std::string& out) const {
    if (parent != nullptr) {
      parent->Render(verbatim, out);
      out += '.';
    }
    if (member != nullptr) {
      out += verbatim ? member->name : member->path_name;
    } else if (index != 0) {
      fmt::format_to(std::back_inserter(out), "{}.member", index);
    } else {
      out += key;
      out += ".member";
    }
  }
};

// The length Java gives a string: UTF-16 units.
size_t Utf16Length(std::string_view text) {
  size_t length = 0;
  for (unsigned char c : text) {
    // Without branches, so that long texts are counted many bytes at a time: bytes that begin a character, and once
    // more those of characters beyond the basic plane, which are surrogate pairs.
    length += static_cast<size_t>((c & 0xC0) != 0x80) + static_cast<size_t>(c >= 0xF0);
  }
  return length;
}

bool IsArn(const ShapeDesc& shape, std::string_view text) { return shape.arn_max != 0 && text.starts_with("arn:"); }

class Validator {
 public:
  explicit Validator(bool has_newer_texts, Echo echo = Echo::kValues)
      : has_newer_texts_(has_newer_texts), echo_(echo) {}

  // Checks the members of the request itself that are reported together.
  template <class Chosen>
  void CheckRequest(const ShapeDesc& input, const void* request, Chosen&& is_chosen) {
    for (const MemberDesc& member : input.members) {
      if (is_chosen(member)) CheckMember(input, member, request, nullptr);
    }
  }

  bool found_fault() const { return count_ != 0 || !special_message_.empty(); }

  // Texts that replace the constraint form come last, except for members reported alone. REQUIRES: found_fault().
  std::string Text(bool alone) const {
    assert(found_fault());
    if (!special_message_.empty() && (alone || count_ == 0)) return std::string(special_message_);
    std::string message(messages::kOneValidationError);
    if (count_ > 1) message = fmt::format(messages::kValidationErrors, count_);
    return message + errors_;
  }
  model::ApiError Verdict(bool alone) const { return model::ValidationException(Text(alone)); }

 private:
  void CheckMember(const ShapeDesc& owner, const MemberDesc& member, const void* structure, const Path* parent);
  void CheckStructure(const ShapeDesc& shape, const void* structure, const Path* path) {
    for (const MemberDesc& member : shape.members) CheckMember(shape, member, structure, path);
  }
  void CheckValue(const ShapeDesc& shape, const void* value, const Path& path);
  void CheckString(const ShapeDesc& shape, std::string_view text, const void* value, const Path& path);
  void CheckList(const ShapeDesc& shape, const RawList& list, const Path& path);
  void CheckMap(const ShapeDesc& shape, const RawList& map, const Path& path);
  void CheckAttributeMap(const ShapeDesc& shape, const AttributeMap& map, const Path& path);
  void CheckLength(const ShapeDesc& shape, size_t length, size_t max, const void* value, const Path& path);

  template <class... Args>
  void Add(const ShapeDesc& shape, const void* value, const Path& path, fmt::format_string<Args...> rule,
           Args&&... args) {
    if (count_ >= kMostErrors) return;
    if (count_++ != 0) errors_ += "; ";
    const bool verbatim = path.member != nullptr && path.member->verbatim_path;
    errors_ += "Value";
    if (value == nullptr) {
      errors_ += " null";
    } else if (!verbatim && echo_ == Echo::kValues && !shape.sensitive) {
      errors_ += " '";
      if (path.member != nullptr && path.member->echoes_json) PrintValueAsJson(shape, value, errors_);
      else PrintValue(shape, value, errors_);
      errors_ += '\'';
    }
    std::string where;
    path.Render(verbatim, where);
    fmt::format_to(std::back_inserter(errors_), messages::kConstraintFailed, where);
    fmt::format_to(std::back_inserter(errors_), rule, std::forward<Args>(args)...);
  }

  // Adds the text that the newer readers have for a member's enum or short length; false if there is none.
  bool AddNewer(const Path& path) {
    if (!has_newer_texts_ || path.member == nullptr || path.member->newer_message.empty()) return false;
    if (count_ >= kMostErrors) return true;
    if (count_++ != 0) errors_ += "; ";
    errors_ += path.member->newer_message;
    return true;
  }

  const bool has_newer_texts_;
  const Echo echo_;
  std::string errors_;
  size_t count_ = 0;
  std::string_view special_message_;
};

bool FitsString(const ShapeDesc& shape, std::string_view text) {
  const size_t length = Utf16Length(text);
  const bool arn = IsArn(shape, text);
  if (shape.has_min && length < static_cast<size_t>(shape.min)) return false;
  if (shape.has_max && length > static_cast<size_t>(arn ? shape.arn_max : shape.max)) return false;
  return arn || MatchesPattern(shape.pattern, text);
}

bool FitsLength(const ShapeDesc& shape, size_t length) {
  if (shape.has_min && length < static_cast<size_t>(shape.min)) return false;
  return !shape.has_max || length <= static_cast<size_t>(shape.max);
}

// "Member must have length less than or equal to 255, …": the rules of a map's keys or values.
std::string RulesOf(const ShapeDesc& shape) {
  std::string out;
  auto add = [&out](const std::string& rule) { out += (out.empty() ? "" : ", ") + rule; };
  if (shape.has_max) add(fmt::format(messages::kLengthAtMost, shape.max));
  if (shape.has_min) add(fmt::format(messages::kLengthAtLeast, shape.min));
  if (shape.pattern != Pattern::kNone) add(fmt::format(messages::kMustMatchPattern, shape.pattern_text));
  return out;
}

void Validator::CheckLength(const ShapeDesc& shape, size_t length, size_t max, const void* value, const Path& path) {
  const bool too_short = shape.has_min && length < static_cast<size_t>(shape.min);
  const bool too_long = shape.has_max && length > max;
  if (!too_short && !too_long) return;
  if (path.member != nullptr && !path.member->length_message.empty()) {
    if (special_message_.empty()) special_message_ = path.member->length_message;
    return;
  }
  if (too_short && !AddNewer(path)) Add(shape, value, path, messages::kLengthAtLeast, shape.min);
  if (too_long) Add(shape, value, path, messages::kLengthAtMost, max);
}

void Validator::CheckString(const ShapeDesc& shape, std::string_view text, const void* value, const Path& path) {
  if (!shape.enum_values.empty()) {
    if (std::find(shape.enum_values.begin(), shape.enum_values.end(), text) != shape.enum_values.end()) return;
    if (path.member != nullptr && !path.member->enum_message.empty()) {
      if (special_message_.empty()) special_message_ = path.member->enum_message;
      return;
    }
    if (AddNewer(path)) return;
    if (echo_ == Echo::kValues) Add(shape, value, path, messages::kMustBeInEnum, shape.enum_text);
    else Add(shape, value, path, messages::kMustBeInSomeEnum);
    return;
  }
  const bool arn = IsArn(shape, text);
  // An empty string also fails every `+` pattern, but AWS names its length only.
  if (!arn && !text.empty() && !MatchesPattern(shape.pattern, text)) {
    const std::string_view own_text = path.member != nullptr ? path.member->pattern_message : std::string_view();
    if (own_text.empty()) Add(shape, value, path, messages::kMustMatchPattern, shape.pattern_text);
    else if (special_message_.empty()) special_message_ = own_text;
  }
  if (!shape.has_min && !shape.has_max) return;
  CheckLength(shape, Utf16Length(text), static_cast<size_t>(arn ? shape.arn_max : shape.max), value, path);
}

void Validator::CheckList(const ShapeDesc& shape, const RawList& list, const Path& path) {
  // In a map the length of its lists is a rule of the map.
  const bool in_map = path.member == nullptr && path.index == 0;
  if (!in_map) CheckLength(shape, list.count, static_cast<size_t>(shape.max), &list, path);
  if (!shape.element->constrained) return;
  const char* element = static_cast<const char*>(list.data);
  for (size_t i = 0; i < list.count && count_ < kMostErrors; ++i, element += shape.size) {
    CheckValue(*shape.element, element, Path{&path, nullptr, i + 1, {}});
  }
}

void Validator::CheckMap(const ShapeDesc& shape, const RawList& map, const Path& path) {
  CheckLength(shape, map.count, static_cast<size_t>(shape.max), &map, path);
  const char* const entries = static_cast<const char*>(map.data);
  auto key_of = [&](size_t i) { return *reinterpret_cast<const std::string_view*>(entries + i * shape.size); };
  auto value_of = [&](size_t i) { return entries + i * shape.size + shape.value_offset; };
  if (shape.key->constrained) {
    bool fits = true;
    for (size_t i = 0; i < map.count && fits; ++i) fits = FitsString(*shape.key, key_of(i));
    if (!fits) Add(shape, &map, path, messages::kMapKeysMust, RulesOf(*shape.key));
  }
  if (!shape.element->constrained) return;
  if (shape.element->kind == Kind::kList) {
    bool fits = true;
    for (size_t i = 0; i < map.count && fits; ++i) {
      fits = FitsLength(*shape.element, reinterpret_cast<const RawList*>(value_of(i))->count);
    }
    if (!fits) Add(shape, &map, path, messages::kMapValueMust, RulesOf(*shape.element));
  }
  for (size_t i = 0; i < map.count && count_ < kMostErrors; ++i) {
    CheckValue(*shape.element, value_of(i), Path{&path, nullptr, 0, key_of(i)});
  }
}

void Validator::CheckAttributeMap(const ShapeDesc& shape, const AttributeMap& map, const Path& path) {
  if (!shape.key->has_max) return;
  for (const model::MapEntry& entry : map.entries) {
    if (entry.name.size() > static_cast<size_t>(shape.key->max) && !FitsString(*shape.key, entry.name)) {
      return Add(shape, &map, path, messages::kMapKeysMust, RulesOf(*shape.key));
    }
  }
}

// `value` is a value as it lies in a list or map (wire/fields.h).
void Validator::CheckValue(const ShapeDesc& shape, const void* value, const Path& path) {
  switch (shape.kind) {
    case Kind::kString: return CheckString(shape, *static_cast<const std::string_view*>(value), value, path);
    case Kind::kInteger:
    case Kind::kLong: {
      const int64_t number = *static_cast<const int64_t*>(value);
      if (shape.has_min && number < shape.min) Add(shape, value, path, messages::kValueAtLeast, shape.min);
      if (shape.has_max && number > shape.max) Add(shape, value, path, messages::kValueAtMost, shape.max);
      return;
    }
    case Kind::kStructure: return CheckStructure(shape, value, &path);
    case Kind::kList: return CheckList(shape, *static_cast<const RawList*>(value), path);
    case Kind::kMap: return CheckMap(shape, *static_cast<const RawList*>(value), path);
    case Kind::kAttributeMap: return CheckAttributeMap(shape, *static_cast<const AttributeMap*>(value), path);
    default: return;
  }
}

void Validator::CheckMember(const ShapeDesc& owner, const MemberDesc& member, const void* structure,
                            const Path* parent) {
  const void* field = static_cast<const char*>(structure) + member.offset;
  if (!IsPresent(*member.shape, field)) {
    if (!member.required) return;
    if (member.unless >= 0) {
      const MemberDesc& other = owner.members[static_cast<size_t>(member.unless)];
      if (IsPresent(*other.shape, static_cast<const char*>(structure) + other.offset)) return;
    }
    if (!member.missing_message.empty()) {
      if (special_message_.empty()) special_message_ = member.missing_message;
      return;
    }
    return Add(*member.shape, nullptr, Path{parent, &member, 0, {}}, messages::kMustNotBeNull);
  }
  if (!member.shape->constrained) return;
  CheckValue(*member.shape, ValueOf(*member.shape, field), Path{parent, &member, 0, {}});
}

}  // namespace

namespace {

// Whether a member that must be there is not, other than the table's name.
bool LacksMember(const ShapeDesc& input, const void* request) {
  return std::any_of(input.members.begin(), input.members.end(), [&](const MemberDesc& member) {
    return member.required && member.turn != Turn::kAlone &&
           !IsPresent(*member.shape, static_cast<const char*>(request) + member.offset);
  });
}

}  // namespace

std::optional<std::string> ConstraintFaults(const ShapeDesc& input, Echo echo, const void* request) {
  if (!input.constrained) return std::nullopt;
  Validator validator(/*has_newer_texts=*/false, echo);
  validator.CheckRequest(input, request, [](const MemberDesc&) { return true; });
  if (!validator.found_fault()) return std::nullopt;
  return validator.Text(/*alone=*/false);
}

model::ApiResult<void> ValidateRequest(const OperationSchema& schema, const model::Wording& wording,
                                       const void* request) {
  const ShapeDesc& input = *schema.input;
  if (!input.constrained) return {};
  const auto every = [](const MemberDesc&) { return true; };
  Validator quick(/*has_newer_texts=*/false);
  quick.CheckRequest(input, request, every);
  if (!quick.found_fault()) return {};
  // The newer readers leave a request without its key or item to the older one, which tells all faults in one list.
  if (wording.has_newer_member_texts && LacksMember(input, request)) return quick.Verdict(/*alone=*/false);
  for (const Turn turn : {Turn::kAlone, Turn::kOrdinary, Turn::kLast}) {
    Validator validator(wording.has_newer_member_texts);
    validator.CheckRequest(input, request, [&](const MemberDesc& member) { return member.turn == turn; });
    if (validator.found_fault()) return validator.Verdict(turn == Turn::kAlone);
  }
  return {};
}

}  // namespace armature::wire
