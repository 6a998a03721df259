#include "policy/text_pattern.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <vector>

#include "policy/question.h"
#include "policy/values/letter_case.h"

namespace armature::policy {

namespace {

using Kind = GlobPiece::Kind;

constexpr int kColonsBeforeLastPart = 5;

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Where the sixth part of an ARN begins; the text's end if it has none.
size_t LastPartOf(std::string_view arn) {
  size_t at = 0;
  for (int colons = 0; colons < kColonsBeforeLastPart; ++colons) {
    at = arn.find(':', at);
    if (at == std::string_view::npos) return arn.size();
    ++at;
  }
  return at;
}

// Wildcards before the sixth part become such as end at colons. Colons are counted in what is put in for variables too.
void EndWildcardsAtColons(std::span<GlobPiece> pieces) {
  ptrdiff_t colons = 0;
  for (GlobPiece& piece : pieces) {
    if (colons >= kColonsBeforeLastPart) return;
    if (piece.kind == Kind::kLiteral) colons += std::ranges::count(piece.text, ':');
    if (piece.kind == Kind::kAny) piece.kind = Kind::kAnyInArnPart;
    if (piece.kind == Kind::kOne) piece.kind = Kind::kOneInArnPart;
  }
}

// The pieces of a pattern with its variables filled in; on the stack unless there are many.
class FilledPieces {
 public:
  FilledPieces() = default;
  FilledPieces(const FilledPieces&) = delete;
  FilledPieces& operator=(const FilledPieces&) = delete;

  // False: a variable has no value.
  bool Fill(std::span<const GlobPiece> pieces, std::span<const TextPattern::Variable> variables,
            const Question& question) {
    pieces_.assign(pieces.begin(), pieces.end());
    for (const TextPattern::Variable& variable : variables) {
      const ConditionValues values =
          IsMultivalued(variable.key.known) ? ConditionValues::None() : question.Find(variable.key);
      if (values.size() == 1) pieces_[variable.piece].text = values[0];
      else if (variable.otherwise) pieces_[variable.piece].text = *variable.otherwise;
      else return false;
    }
    return true;
  }
  std::span<GlobPiece> pieces() { return pieces_; }

 private:
  std::array<std::byte, 32 * sizeof(GlobPiece)> buffer_;
  std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
  std::pmr::vector<GlobPiece> pieces_{&memory_};
};

// Whether the text is the literals, one after the other.
bool AreIgnoringCase(std::span<const GlobPiece> literals, std::string_view text) {
  for (const GlobPiece& literal : literals) {
    if (!EqualsIgnoringCase(literal.text, text.substr(0, literal.text.size()))) return false;
    text.remove_prefix(literal.text.size());
  }
  return text.empty();
}

}  // namespace

// Takes a text apart from left to right.
class PatternCompiler {
 public:
  PatternCompiler(std::string_view text, TextPattern::Form form, bool has_variables, Arena& arena)
      : text_(arena.Copy(text)),
        last_part_(LastPartOf(text_)),
        form_(form),
        may_have_variables_(has_variables),
        arena_(arena) {}

  TextPattern Compile() {
    const size_t first_variable = form_ == TextPattern::Form::kResource ? last_part_ : 0;
    while (at_ < text_.size()) {
      const bool may_be_variable = may_have_variables_ && at_ >= first_variable;
      if (may_be_variable && text_.substr(at_).starts_with("${") && TakeVariable()) continue;
      if (form_ != TextPattern::Form::kPlain && (text_[at_] == '*' || text_[at_] == '?')) TakeWildcard();
      else ++at_;  // one more character of a literal
    }
    EndLiteral();
    if (form_ == TextPattern::Form::kResource) CompleteArn();
    TextPattern pattern;
    pattern.source_ = text_;
    pattern.form_ = form_;
    pattern.matches_all_ = form_ != TextPattern::Form::kArn && pieces_.size() == 1 && pieces_[0].kind == Kind::kAny;
    if (form_ == TextPattern::Form::kArn && variables_.empty()) EndWildcardsAtColons(pieces_);
    pattern.pieces_ = arena_.Copy(pieces_);
    pattern.variables_ = arena_.Copy(variables_);
    return pattern;
  }

 private:
  void EndLiteral() {
    if (at_ > literal_) pieces_.push_back({Kind::kLiteral, text_.substr(literal_, at_ - literal_)});
    literal_ = at_;
  }

  // "${…}", where at_ is. False: it never ends, and is text like any other.
  bool TakeVariable() {
    const size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) {
      may_have_variables_ = false;  // so that a text of nothing but "${" is not searched again and again
      return false;
    }
    EndLiteral();
    const std::string_view inside = text_.substr(at_ + 2, end - at_ - 2);
    if (inside == "*" || inside == "?" || inside == "$") pieces_.push_back({Kind::kLiteral, inside});
    else AddVariable(inside);
    at_ = literal_ = end + 1;
    return true;
  }

  void AddVariable(std::string_view inside) {
    TextPattern::Variable variable;
    variable.piece = pieces_.size();
    const size_t comma = inside.find(',');
    variable.name = Trimmed(inside.substr(0, comma));
    if (comma != std::string_view::npos) {
      const std::string_view quoted = Trimmed(inside.substr(comma + 1));
      if (quoted.size() >= 2 && quoted.front() == '\'' && quoted.back() == '\'')
        variable.otherwise = quoted.substr(1, quoted.size() - 2);
    }
    variable.key = ConditionKeyOf(arena_.Copy(LowerCase(variable.name)));
    variables_.push_back(variable);
    pieces_.push_back({Kind::kLiteral, {}});
  }

  void TakeWildcard() {
    EndLiteral();
    const bool is_any = text_[at_] == '*';
    ++at_;
    literal_ = at_;
    const bool repeats = is_any && !pieces_.empty() && pieces_.back().kind == Kind::kAny;
    if (repeats) return;
    // In a resource a `*` that ends its part reaches beyond it, as do all in the last part.
    const bool ends_part = is_any && (at_ == text_.size() || text_[at_] == ':');
    const bool is_within_part = form_ == TextPattern::Form::kResource && !ends_part && at_ <= last_part_;
    if (is_any) pieces_.push_back({is_within_part ? Kind::kAnyInArnPart : Kind::kAny, {}});
    else pieces_.push_back({is_within_part ? Kind::kOneInArnPart : Kind::kOne, {}});
  }

  // Parts that are missing at the end of an ARN may be anything.
  void CompleteArn() {
    if (text_ == "*" || !text_.starts_with("arn:")) return;
    for (auto colons = std::ranges::count(text_, ':'); colons < kColonsBeforeLastPart; ++colons) {
      pieces_.push_back({Kind::kLiteral, ":"});
      pieces_.push_back({Kind::kAny, {}});
    }
  }

  const std::string_view text_;
  const size_t last_part_;  // of an ARN: where it begins
  const TextPattern::Form form_;
  bool may_have_variables_;
  Arena& arena_;
  size_t at_ = 0;
  size_t literal_ = 0;  // where the literal that at_ is in begins
  std::vector<GlobPiece> pieces_;
  std::vector<TextPattern::Variable> variables_;
};

TextPattern TextPattern::Compile(std::string_view text, Form form, bool has_variables, Arena& arena) {
  return PatternCompiler(text, form, has_variables, arena).Compile();
}

MatchResult TextPattern::Match(std::string_view text, const Question& question) const {
  if (matches_all_) return MatchResult::kYes;
  if (variables_.empty()) return MatchGlob(pieces_, text) ? MatchResult::kYes : MatchResult::kNo;
  FilledPieces filled;
  if (!filled.Fill(pieces_, variables_, question)) return MatchResult::kUnresolved;
  if (form_ == Form::kArn) EndWildcardsAtColons(filled.pieces());
  return MatchGlob(filled.pieces(), text) ? MatchResult::kYes : MatchResult::kNo;
}

MatchResult TextPattern::MatchIgnoringCase(std::string_view text, const Question& question) const {
  FilledPieces filled;
  if (!filled.Fill(pieces_, variables_, question)) return MatchResult::kUnresolved;
  return AreIgnoringCase(filled.pieces(), text) ? MatchResult::kYes : MatchResult::kNo;
}

bool TextPattern::CanMatch(std::string_view text) const {
  std::vector<GlobPiece> pieces(pieces_.begin(), pieces_.end());
  for (const Variable& variable : variables_) pieces[variable.piece].kind = Kind::kAny;
  return MatchGlob(pieces, text);
}

bool TextPattern::has_wildcards() const {
  return std::ranges::any_of(pieces_, [](const GlobPiece& piece) { return piece.kind != Kind::kLiteral; });
}

}  // namespace armature::policy
