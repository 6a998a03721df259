#include "policy/values/glob.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <vector>

namespace armature::policy {

namespace {

using Kind = GlobPiece::Kind;
using Pieces = std::span<const GlobPiece>;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the character (UTF-8) that begins, or ends, `text`. REQUIRES: it is not empty.
size_t FirstCharacterSize(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && IsContinuation(text[size])) ++size;
  return size;
}
size_t LastCharacterSize(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && IsContinuation(text[text.size() - size])) ++size;
  return size;
}

// --- without colons: pieces between two `*` are matched as far left as possible, which is never wrong

// Takes literals and single characters off the front, or the back, of `text`.
bool TakeFront(Pieces pieces, std::string_view& text) {
  for (const GlobPiece& piece : pieces) {
    if (piece.kind == Kind::kLiteral) {
      if (!text.starts_with(piece.text)) return false;
      text.remove_prefix(piece.text.size());
    } else {
      if (text.empty()) return false;
      text.remove_prefix(FirstCharacterSize(text));
    }
  }
  return true;
}

bool TakeBack(Pieces pieces, std::string_view& text) {
  for (size_t i = pieces.size(); i-- > 0;) {
    const GlobPiece& piece = pieces[i];
    if (piece.kind == Kind::kLiteral) {
      if (!text.ends_with(piece.text)) return false;
      text.remove_suffix(piece.text.size());
    } else {
      if (text.empty()) return false;
      text.remove_suffix(LastCharacterSize(text));
    }
  }
  return true;
}

// Takes everything up to and with the first place where the pieces match.
bool TakeThrough(Pieces pieces, std::string_view& text) {
  const GlobPiece& first = pieces.front();
  while (true) {
    if (first.kind == Kind::kLiteral && !first.text.empty()) {
      if (text.size() < first.text.size()) return false;
      // memmem is linear, whatever the texts; string_view::find is not.
      const void* found = memmem(text.data(), text.size(), first.text.data(), first.text.size());
      if (found == nullptr) return false;
      text.remove_prefix(static_cast<size_t>(static_cast<const char*>(found) - text.data()));
    }
    std::string_view rest = text;
    if (TakeFront(pieces, rest)) {
      text = rest;
      return true;
    }
    if (text.empty()) return false;
    text.remove_prefix(1);
  }
}

bool MatchAcrossColons(Pieces pieces, std::string_view text) {
  const auto is_any = [](const GlobPiece& piece) { return piece.kind == Kind::kAny; };
  const auto first_any = std::find_if(pieces.begin(), pieces.end(), is_any);
  if (!TakeFront(Pieces(pieces.begin(), first_any), text)) return false;
  if (first_any == pieces.end()) return text.empty();
  const auto last_any = std::find_if(pieces.rbegin(), pieces.rend(), is_any).base();  // behind it
  if (!TakeBack(Pieces(last_any, pieces.end()), text)) return false;
  for (auto begin = first_any; begin != last_any;) {
    begin = std::find_if_not(begin, last_any, is_any);
    const auto end = std::find_if(begin, last_any, is_any);
    if (begin != end && !TakeThrough(Pieces(begin, end), text)) return false;
    begin = end;
  }
  return true;
}

// --- with colons: all places that a piece can end at are kept, one piece after the other

class Places {
 public:
  explicit Places(std::string_view text) : text_(text), reached_(text.size() + 1, false, &memory_) {
    reached_[0] = true;
  }

  void Advance(const GlobPiece& piece) {
    switch (piece.kind) {
      case Kind::kLiteral: return AdvanceByLiteral(piece.text);
      case Kind::kOne: return AdvanceByOne(/*over_colons=*/true);
      case Kind::kOneInArnPart: return AdvanceByOne(/*over_colons=*/false);
      case Kind::kAny: return Spread(/*over_colons=*/true);
      case Kind::kAnyInArnPart: return Spread(/*over_colons=*/false);
    }
  }
  bool AtEnd() const { return reached_.back(); }

 private:
  // From the back, so that a place is left before it is reached anew.
  void AdvanceByLiteral(std::string_view literal) {
    for (size_t i = reached_.size(); i-- > 0;) {
      const bool fits = reached_[i] && text_.substr(i).starts_with(literal);
      if (!literal.empty()) reached_[i] = false;
      if (fits) reached_[i + literal.size()] = true;
    }
  }
  void AdvanceByOne(bool over_colons) {
    for (size_t i = reached_.size(); i-- > 0;) {
      const bool fits = i < text_.size() && reached_[i] && (over_colons || text_[i] != ':');
      reached_[i] = false;
      if (fits) reached_[i + FirstCharacterSize(text_.substr(i))] = true;
    }
  }
  void Spread(bool over_colons) {
    for (size_t i = 0; i < text_.size(); ++i)
      if (reached_[i] && (over_colons || text_[i] != ':')) reached_[i + 1] = true;
  }

  std::string_view text_;
  std::array<std::byte, 512> buffer_;
  std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
  std::pmr::vector<char> reached_;
};

bool MatchWithinColons(Pieces pieces, std::string_view text) {
  Places places(text);
  for (const GlobPiece& piece : pieces) places.Advance(piece);
  return places.AtEnd();
}

}  // namespace

bool MatchGlob(Pieces pieces, std::string_view text) {
  for (const GlobPiece& piece : pieces)
    if (piece.kind == Kind::kAnyInArnPart || piece.kind == Kind::kOneInArnPart) return MatchWithinColons(pieces, text);
  return MatchAcrossColons(pieces, text);
}

}  // namespace armature::policy
