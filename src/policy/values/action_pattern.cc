#include "policy/values/action_pattern.h"

#include <algorithm>
#include <vector>

#include "policy/values/letter_case.h"

namespace armature::policy {

namespace {

std::vector<GlobPiece> PiecesOf(std::string_view text) {
  std::vector<GlobPiece> pieces;
  while (!text.empty()) {
    const size_t literal = std::min(text.find_first_of("*?"), text.size());
    if (literal > 0) pieces.push_back({GlobPiece::Kind::kLiteral, text.substr(0, literal)});
    text.remove_prefix(literal);
    if (text.empty()) break;
    pieces.push_back({text.front() == '*' ? GlobPiece::Kind::kAny : GlobPiece::Kind::kOne, {}});
    text.remove_prefix(1);
  }
  return pieces;
}

}  // namespace

ActionPattern ActionPattern::Compile(std::string_view text, Arena& arena) {
  ActionPattern pattern;
  pattern.source_ = arena.Copy(text);
  pattern.text_ = arena.Copy(LowerCase(text));
  const size_t wildcard = pattern.text_.find_first_of("*?");
  if (pattern.text_ == "*") {
    pattern.form_ = Form::kAll;
  } else if (wildcard == std::string_view::npos) {
    pattern.form_ = Form::kName;
  } else if (wildcard + 1 == pattern.text_.size() && pattern.text_.back() == '*') {
    pattern.form_ = Form::kBeginning;
    pattern.text_.remove_suffix(1);
  } else {
    pattern.form_ = Form::kGlob;
    pattern.pieces_ = arena.Copy(PiecesOf(pattern.text_));
  }
  return pattern;
}

}  // namespace armature::policy
