#include "expr/bind/expression_set.h"

#include <algorithm>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "expr/bind/binder.h"
#include "expr/parse/cache.h"
#include "expr/parse/lexer.h"
#include "model/item_size.h"
#include "model/messages/expressions.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;
using model::ApiResult;
using model::ValidationException;

constexpr std::string_view kNames = "ExpressionAttributeNames";
constexpr std::string_view kValues = "ExpressionAttributeValues";
constexpr size_t kMaxReferenceBytes = 255;
constexpr size_t kMaxBindingsBytes = 2 << 20;

model::ApiError Invalid(ExpressionKind kind, std::string_view error) {
  return ValidationException(fmt::format(messages::kInvalidExpression, ExpressionKindName(kind), error));
}

ApiResult<void> CheckReference(std::string_view map, std::string_view key, char sigil) {
  if (!IsReference(key, sigil)) return ValidationException(fmt::format(messages::kAttributeMapInvalidKey, map, key));
  if (key.size() > kMaxReferenceBytes)
    return ValidationException(fmt::format(messages::kAttributeMapKeyTooLong, map, key));
  return {};
}

template <class Bindings, class Key>
std::string JoinUnused(const Bindings& bindings, std::span<const bool> used, Key key) {
  std::string out;
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (used[i]) continue;
    if (!out.empty()) out += ", ";
    out += bindings[i].*key;
  }
  return out;
}

// Requests have a handful of bindings, which a scan finds fastest. A hostile one may have a hundred thousand, and more
// than a thousand references to them: these are looked up in sorted order.
constexpr size_t kScanAtMost = 16;

template <class Bindings, class Key>
std::span<const uint32_t> SortedOrder(const Bindings& bindings, Key key, Arena& arena) {
  if (!bindings || bindings->size() <= kScanAtMost) return {};
  std::span<uint32_t> order = arena.NewArray<uint32_t>(bindings->size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](uint32_t i) { return (*bindings)[i].*key; });
  return order;
}

template <class Bindings, class Key>
size_t Find(const Bindings& bindings, std::span<const uint32_t> order, Key key, std::string_view wanted) {
  if (!order.empty()) {
    const auto it = std::ranges::lower_bound(order, wanted, {}, [&](uint32_t i) { return bindings[i].*key; });
    return it != order.end() && bindings[*it].*key == wanted ? *it : bindings.size();
  }
  for (size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].*key == wanted) return i;
  return bindings.size();
}

}  // namespace

ExpressionSet::ExpressionSet(Arena& arena, std::optional<std::span<const NameBinding>> names,
                             std::optional<std::span<const ValueBinding>> values, const model::Wording& wording)
    : arena_(arena),
      wording_(wording),
      names_(names),
      values_(values),
      name_used_(arena.NewArray<bool>(names ? names->size() : 0)),
      value_used_(arena.NewArray<bool>(values ? values->size() : 0)),
      name_order_(SortedOrder(names, &NameBinding::alias, arena)),
      value_order_(SortedOrder(values, &ValueBinding::ref, arena)) {}

ApiResult<void> ExpressionSet::CheckBindings() const {
  size_t bytes = 0;
  if (names_) {
    if (names_->empty()) return ValidationException(fmt::format(messages::kAttributeMapEmpty, kNames));
    for (const NameBinding& binding : *names_) {
      ARMATURE_CHECK_OK(CheckReference(kNames, binding.alias, '#'));
      if (binding.name.empty())
        return ValidationException(
            fmt::format(messages::kAttributeMapInvalidValue, kNames, messages::kEmptyAttributeName, binding.alias));
      bytes += binding.alias.size() + binding.name.size();
    }
  }
  if (values_) {
    if (values_->empty()) return ValidationException(fmt::format(messages::kAttributeMapEmpty, kValues));
    for (const ValueBinding& binding : *values_) {
      ARMATURE_CHECK_OK(CheckReference(kValues, binding.ref, ':'));
      bytes += binding.ref.size() + model::ValueSize(binding.value);
    }
  }
  if (bytes > kMaxBindingsBytes) return ValidationException(std::string(messages::kAttributeMapsTooLarge));
  return {};
}

model::ApiError ExpressionSet::ParseError(ExpressionKind kind, const std::string& error, size_t size) const {
  const bool tells_size = kind == ExpressionKind::kUpdate ? wording_.tells_update_size : wording_.tells_condition_size;
  if (error != messages::kExpressionTooLong || !tells_size) return Invalid(kind, error);
  return Invalid(kind, error + fmt::format(messages::kExpressionSize, size));
}

ApiResult<const BoundCondition*> ExpressionSet::AddCondition(ExpressionKind kind, std::string_view text) {
  const ParsedExpression& parsed = ExpressionCache::ForThisThread().Get(Grammar::kCondition, text);
  if (!parsed.error.empty()) return ParseError(kind, parsed.error, text.size());
  Binder binder(*this, parsed, text);
  const ConditionNode* root = BindCondition(binder);
  if (root == nullptr) return Invalid(kind, binder.error());
  return arena_.New<BoundCondition>(root, binder.paths());
}

ApiResult<const BoundUpdate*> ExpressionSet::AddUpdate(std::string_view text) {
  const ParsedExpression& parsed = ExpressionCache::ForThisThread().Get(Grammar::kUpdate, text);
  if (!parsed.error.empty()) return ParseError(ExpressionKind::kUpdate, parsed.error, text.size());
  Binder binder(*this, parsed, text);
  const BoundUpdate* update = BindUpdate(binder);
  if (update == nullptr) return Invalid(ExpressionKind::kUpdate, binder.error());
  return update;
}

ApiResult<const BoundProjection*> ExpressionSet::AddProjection(std::string_view text) {
  const ParsedExpression& parsed = ExpressionCache::ForThisThread().Get(Grammar::kProjection, text);
  if (!parsed.error.empty()) return ParseError(ExpressionKind::kProjection, parsed.error, text.size());
  Binder binder(*this, parsed, text);
  const BoundProjection* projection = BindProjection(binder);
  if (projection == nullptr) return Invalid(ExpressionKind::kProjection, binder.error());
  return projection;
}

ApiResult<void> ExpressionSet::CheckAllUsed() const {
  if (names_) {
    const std::string unused = JoinUnused(*names_, name_used_, &NameBinding::alias);
    if (!unused.empty()) return ValidationException(fmt::format(messages::kAttributeMapUnused, kNames, unused));
  }
  if (values_) {
    const std::string unused = JoinUnused(*values_, value_used_, &ValueBinding::ref);
    if (!unused.empty()) return ValidationException(fmt::format(messages::kAttributeMapUnused, kValues, unused));
  }
  return {};
}

const std::string_view* ExpressionSet::UseName(std::string_view alias) {
  if (!names_) return nullptr;
  const size_t found = Find(*names_, name_order_, &NameBinding::alias, alias);
  if (found == names_->size()) return nullptr;
  name_used_[found] = true;
  return &(*names_)[found].name;
}

const model::Value* ExpressionSet::UseValue(std::string_view ref) {
  if (!values_) return nullptr;
  const size_t found = Find(*values_, value_order_, &ValueBinding::ref, ref);
  if (found == values_->size()) return nullptr;
  value_used_[found] = true;
  return &(*values_)[found].value;
}

}  // namespace armature::expr
