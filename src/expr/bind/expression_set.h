// ExpressionSet: all expressions of one request, bound to its names and values.
//
// Checks ExpressionAttributeNames and ExpressionAttributeValues, parses each expression (through the thread's cache),
// resolves it, finds every error that does not depend on the item, and knows which names and values were used.
// Results live in the arena; `names`, `values` and the texts must outlive them. One request, one thread.
// api/ makes one per request (per table or action in batches and transactions). Never sees an item.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"
#include "model/wording.h"

namespace armature::expr {

// One entry of ExpressionAttributeNames: "#n" and the attribute's name.
struct NameBinding {
  std::string_view alias{};
  std::string_view name{};
};

// One entry of ExpressionAttributeValues: ":v" and the value, itself already valid.
struct ValueBinding {
  std::string_view ref{};
  model::Value value{};
};

class ExpressionSet {
 public:
  // A parameter that is absent is nullopt; one that is there but empty is an error, see CheckBindings.
  ExpressionSet(Arena& arena, std::optional<std::span<const NameBinding>> names,
                std::optional<std::span<const ValueBinding>> values,
                const model::Wording& wording = model::kPlainWording);
  ExpressionSet(const ExpressionSet&) = delete;
  ExpressionSet& operator=(const ExpressionSet&) = delete;

  // Empty maps, and keys that are no "#name" or ":value". Call it before the first Add…. That the maps come together
  // with at least one expression is the caller's check: its text names the operation's parameters.
  model::ApiResult<void> CheckBindings() const;

  // `kind` is kCondition, kFilter or kKeyCondition.
  model::ApiResult<const BoundCondition*> AddCondition(ExpressionKind kind, std::string_view text);
  model::ApiResult<const BoundUpdate*> AddUpdate(std::string_view text);
  model::ApiResult<const BoundProjection*> AddProjection(std::string_view text);

  // After the last Add…: names, then values, that no expression used.
  model::ApiResult<void> CheckAllUsed() const;

  // For the binders of each kind: look a reference up and note its use; null if there is none.
  const std::string_view* UseName(std::string_view alias);
  const model::Value* UseValue(std::string_view ref);
  Arena& arena() { return arena_; }

 private:
  model::ApiError ParseError(ExpressionKind kind, const std::string& error, size_t size) const;

  Arena& arena_;
  const model::Wording& wording_;
  std::optional<std::span<const NameBinding>> names_;
  std::optional<std::span<const ValueBinding>> values_;
  std::span<bool> name_used_;
  std::span<bool> value_used_;
  // Positions sorted by key; empty when there are few.
  std::span<const uint32_t> name_order_;
  std::span<const uint32_t> value_order_;
};

}  // namespace armature::expr
