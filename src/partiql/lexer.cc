#include "partiql/lexer.h"

#include <algorithm>
#include <array>
#include <string>

#include "partiql/keywords.h"

namespace armature::partiql {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

struct Phrase {
  std::string_view first;
  std::string_view second;
  std::string_view joined;
  TokenKind kind;
};

constexpr auto kPhrases = std::to_array<Phrase>({
    {"not", "in", "not_in", TokenKind::kOperator},
    {"is", "not", "is_not", TokenKind::kOperator},
    {"not", "between", "not_between", TokenKind::kOperator},
    {"not", "like", "not_like", TokenKind::kOperator},
    {"insert", "into", "insert_into", TokenKind::kKeyword},
    {"all", "old", "all_old", TokenKind::kKeyword},
    {"all", "new", "all_new", TokenKind::kKeyword},
    {"modified", "old", "modified_old", TokenKind::kKeyword},
    {"modified", "new", "modified_new", TokenKind::kKeyword},
    {"character", "varying", "character_varying", TokenKind::kKeyword},
    {"double", "precision", "double_precision", TokenKind::kKeyword},
});

constexpr auto kOperatorWords = std::to_array<std::string_view>(
    {"and", "between", "except", "in", "intersect", "is", "like", "not", "or", "union"});
static_assert(std::ranges::is_sorted(kOperatorWords));

class Lexer {
 public:
  Lexer(std::string_view source, Arena& arena) : source_(source), arena_(arena) {}

  std::optional<std::vector<Token>> Run() {
    while (SkipSpace()) {
      if (at_ == source_.size()) {
        Begin();
        Push(TokenKind::kEnd, {});
        return std::move(tokens_);
      }
      Begin();
      if (!Next()) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void Advance() {
    const char c = source_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<uint8_t>(c) & 0xc0) != 0x80) {
      ++column_;
    }
  }
  void Advance(size_t count) {
    for (size_t i = 0; i < count; ++i) Advance();
  }

  // False if a comment does not end.
  bool SkipSpace() {
    while (at_ < source_.size()) {
      if (IsSpace(Peek())) {
        Advance();
      } else if (Peek() == '-' && Peek(1) == '-') {
        while (at_ < source_.size() && Peek() != '\n' && Peek() != '\r') Advance();
      } else if (Peek() == '/' && Peek(1) == '*') {
        const size_t end = source_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return false;
        Advance(end + 2 - at_);
      } else {
        break;
      }
    }
    return true;
  }

  void Begin() {
    begin_ = at_;
    position_ = {.line = line_, .column = column_};
  }

  std::string_view Written() const { return source_.substr(begin_, at_ - begin_); }

  void Push(TokenKind kind, std::string_view text) {
    position_.length = static_cast<uint32_t>(
        std::ranges::count_if(Written(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
    tokens_.push_back({kind, text, position_});
  }
  bool Take(TokenKind kind, size_t count) {
    Advance(count);
    Push(kind, Written());
    return true;
  }

  bool Next() {
    const char c = Peek();
    if (IsLetter(c)) return Word();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return NumberLiteral();
    if (c == '\'') return Quoted(TokenKind::kString);
    if (c == '"') return Quoted(TokenKind::kQuotedIdentifier);
    return Sign();
  }

  bool Sign() {
    switch (Peek()) {
      case '*': return Take(TokenKind::kStar, 1);
      case ',': return Take(TokenKind::kComma, 1);
      case '.': return Take(TokenKind::kDot, 1);
      case ':': return Take(TokenKind::kColon, 1);
      case ';': return Take(TokenKind::kSemicolon, 1);
      case '(': return Take(TokenKind::kLeftParen, 1);
      case ')': return Take(TokenKind::kRightParen, 1);
      case '[': return Take(TokenKind::kLeftBracket, 1);
      case ']': return Take(TokenKind::kRightBracket, 1);
      case '{': return Take(TokenKind::kLeftCurly, 1);
      case '}': return Take(TokenKind::kRightCurly, 1);
      case '?': return Take(TokenKind::kParameter, 1);
      case '+':
      case '-':
      case '/':
      case '%':
      case '=': return Take(TokenKind::kOperator, 1);
      case '<':
        if (Peek(1) == '<') return Take(TokenKind::kLeftBag, 2);
        return Take(TokenKind::kOperator, Peek(1) == '=' || Peek(1) == '>' ? 2 : 1);
      case '>':
        if (Peek(1) == '>') return Take(TokenKind::kRightBag, 2);
        return Take(TokenKind::kOperator, Peek(1) == '=' ? 2 : 1);
      case '!':
        if (Peek(1) != '=') return false;
        Advance(2);
        Push(TokenKind::kOperator, "<>");
        return true;
      case '|': return Peek(1) == '|' && Take(TokenKind::kOperator, 2);
      default: return false;
    }
  }

  bool Quoted(TokenKind kind) {
    const char quote = Peek();
    Advance();
    bool has_escape = false;
    while (true) {
      if (at_ == source_.size()) return false;
      if (Peek() == quote) {
        if (Peek(1) != quote) break;
        has_escape = true;
        Advance();
      }
      Advance();
    }
    std::string_view text = source_.substr(begin_ + 1, at_ - begin_ - 1);
    Advance();
    if (has_escape) {
      std::string plain;
      for (size_t i = 0; i < text.size(); ++i) {
        plain.push_back(text[i]);
        if (text[i] == quote) ++i;
      }
      text = arena_.Copy(plain);
    }
    Push(kind, text);
    return true;
  }

  bool NumberLiteral() {
    while (IsDigit(Peek())) Advance();
    size_t decimals = 0;
    if (Peek() == '.') {
      Advance();
      for (; IsDigit(Peek()); ++decimals) Advance();
    }
    if (Peek() == 'e' || Peek() == 'E') {
      const size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (!IsDigit(Peek(1 + sign))) return false;
      const bool is_negative = Peek(1) == '-';
      Advance(1 + sign);
      // The scale, decimals minus exponent, is a 32-bit number in AWS's own representation.
      int64_t exponent = 0;
      for (; IsDigit(Peek()); Advance()) exponent = std::min<int64_t>(exponent * 10 + (Peek() - '0'), int64_t{1} << 40);
      if (is_negative) exponent = -exponent;
      const int64_t scale = static_cast<int64_t>(decimals) - exponent;
      if (exponent > INT32_MAX || exponent < INT32_MIN || scale > INT32_MAX || scale < INT32_MIN) return false;
    }
    if (IsLetter(Peek())) return false;
    Push(TokenKind::kNumber, Written());
    return true;
  }

  bool Word() {
    while (IsLetter(Peek()) || IsDigit(Peek())) Advance();
    const std::string_view written = Written();
    char lower[32];
    if (written.size() > sizeof(lower)) return Identifier();
    std::ranges::transform(written, lower, [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const std::string_view word(lower, written.size());
    if (!IsKeyword(word)) return Identifier();
    if (word == "true") return Take(TokenKind::kTrue, 0);
    if (word == "false") return Take(TokenKind::kFalse, 0);
    if (word == "null") return Take(TokenKind::kNull, 0);
    if (word == "missing") return Take(TokenKind::kMissing, 0);
    const bool is_operator = std::ranges::binary_search(kOperatorWords, word);
    if (!Join(word)) Push(is_operator ? TokenKind::kOperator : TokenKind::kKeyword, arena_.Copy(word));
    return true;
  }

  bool Identifier() { return Take(TokenKind::kIdentifier, 0); }

  // Makes one token of the last and this word, where they belong together.
  bool Join(std::string_view word) {
    if (tokens_.empty()) return false;
    Token& last = tokens_.back();
    if (last.kind != TokenKind::kKeyword && last.kind != TokenKind::kOperator) return false;
    const auto phrase = std::ranges::find_if(
        kPhrases, [&](const Phrase& candidate) { return candidate.first == last.text && candidate.second == word; });
    if (phrase == kPhrases.end()) return false;
    last.kind = phrase->kind;
    last.text = phrase->joined;
    return true;
  }

  const std::string_view source_;
  Arena& arena_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t begin_ = 0;
  uint32_t line_ = 1;
  uint32_t column_ = 1;
  Position position_;
};

}  // namespace

std::optional<std::vector<Token>> Tokenize(std::string_view source, Arena& arena) { return Lexer(source, arena).Run(); }

}  // namespace armature::partiql
