// ActionPattern: one entry of Action or NotAction, such as "dynamodb:Get*".
//
// Compared without case, both sides in lower case. Most are names or a name's beginning and take one comparison.
// Immutable, in the arena of its policy. Internal to policy/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "policy/values/glob.h"

namespace armature::policy {

class ActionPattern {
 public:
  static ActionPattern Compile(std::string_view text, Arena& arena);

  ActionPattern() = default;

  // REQUIRES: `action` is in lower case.
  bool Matches(std::string_view action) const {
    switch (form_) {
      case Form::kAll: return true;
      case Form::kName: return action == text_;
      case Form::kBeginning: return action.starts_with(text_);
      case Form::kGlob: return MatchGlob(pieces_, action);
    }
    return false;
  }

  std::string_view source() const { return source_; }  // as written

 private:
  enum class Form : uint8_t { kAll, kName, kBeginning, kGlob };

  Form form_ = Form::kName;
  std::string_view source_;
  std::string_view text_;
  std::span<const GlobPiece> pieces_;
};

}  // namespace armature::policy
