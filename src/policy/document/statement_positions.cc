#include "policy/document/statement_positions.h"

#include <utility>

namespace armature::policy {

namespace {

// Goes over JSON text character by character; knows how deep it is and what is inside strings.
class Scanner {
 public:
  explicit Scanner(std::string_view json) : json_(json) {}

  std::vector<StatementPosition> Run() {
    while (at_ < json_.size()) Step();
    return std::move(found_);
  }

 private:
  void Step() {
    switch (json_[at_]) {
      case '"': return SkipString();
      case '{':
      case '[': return Open();
      case '}':
      case ']': return Close();
      case ',':
        if (depth_ == 1) is_statement_member_ = false;
        return Advance();
      default: return Advance();
    }
  }

  void Advance() {
    if (json_[at_] == '\n') position_ = {position_.line + 1, 1};
    else ++position_.column;
    ++at_;
  }

  void SkipString() {
    const size_t begin = at_;
    Advance();
    while (at_ < json_.size() && json_[at_] != '"') {
      if (json_[at_] == '\\') Advance();
      if (at_ < json_.size()) Advance();
    }
    if (at_ < json_.size()) Advance();
    // A string at this depth is a member's name, or the value of a member that is of no interest.
    if (depth_ == 1 && json_.substr(begin, at_ - begin) == "\"Statement\"") is_statement_member_ = true;
  }

  // A statement is an object that is the member's value, or an element of the array that is.
  void Open() {
    if (is_statement_member_ && json_[at_] == '{' && (depth_ == 1 || (depth_ == 2 && is_in_array_))) {
      statement_depth_ = depth_;
      found_.push_back({position_, position_});
    } else if (is_statement_member_ && json_[at_] == '[' && depth_ == 1) {
      is_in_array_ = true;
    }
    ++depth_;
    Advance();
  }

  void Close() {
    if (depth_ > 0) --depth_;
    Advance();
    if (statement_depth_ == depth_ && depth_ > 0 && !found_.empty()) {
      found_.back().end = position_;
      statement_depth_ = 0;
    }
    if (depth_ == 1) is_in_array_ = false;
  }

  std::string_view json_;
  size_t at_ = 0;
  TextPosition position_;
  size_t depth_ = 0;
  bool is_statement_member_ = false;  // what stands here belongs to the top's "Statement"
  bool is_in_array_ = false;
  size_t statement_depth_ = 0;  // where the statement that is open began; 0: none is
  std::vector<StatementPosition> found_;
};

}  // namespace

std::vector<StatementPosition> StatementPositions(std::string_view json) { return Scanner(json).Run(); }

}  // namespace armature::policy
