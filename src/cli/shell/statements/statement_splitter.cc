#include "cli/shell/statements/statement_splitter.h"

#include <utility>

namespace armature::cli::shell {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

void StatementSplitter::Feed(std::string_view line, std::vector<Input>& out) {
  const size_t number = next_line_++;
  if (state_ == State::kBlank) {
    const std::string_view trimmed = Trim(line);
    if (!trimmed.empty() && trimmed.front() == '\\') {
      out.push_back({Input::Kind::kCommand, std::string(trimmed), number, false});
      return;
    }
  } else {
    text_.push_back('\n');
  }
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    switch (state_) {
      case State::kString:
      case State::kName:
        // A doubled quote inside closes and opens again, which comes to the same.
        text_.push_back(c);
        if (c == (state_ == State::kString ? '\'' : '"')) state_ = State::kStatement;
        continue;
      case State::kComment:
        text_.push_back(' ');
        if (c == '*' && next == '/') {
          text_.push_back(' ');
          ++i;
          state_ = Trim(text_).empty() ? State::kBlank : State::kStatement;
          if (state_ == State::kBlank) text_.clear();
        }
        continue;
      case State::kBlank:
      case State::kStatement: break;
    }
    if (c == '-' && next == '-') break;
    if (c == '/' && next == '*') {
      text_ += "  ";
      ++i;
      state_ = State::kComment;
    } else if (c == ';' || (c == '\\' && next == 'G')) {
      TakeStatement(out, c == '\\');
      if (c == '\\') ++i;
    } else if (state_ == State::kStatement || !IsBlank(c)) {
      if (state_ == State::kBlank) first_line_ = number;
      text_.push_back(c);
      state_ = c == '\'' ? State::kString : c == '"' ? State::kName : State::kStatement;
    }
  }
}

void StatementSplitter::TakeStatement(std::vector<Input>& out, bool is_vertical) {
  const std::string_view text = Trim(text_);
  if (!text.empty()) out.push_back({Input::Kind::kStatement, std::string(text), first_line_, is_vertical});
  Clear();
}

std::optional<Input> StatementSplitter::Finish() {
  std::vector<Input> rest;
  TakeStatement(rest, false);
  if (rest.empty()) return std::nullopt;
  return std::move(rest.front());
}

void StatementSplitter::Clear() {
  text_.clear();
  state_ = State::kBlank;
}

std::string OnOneLine(std::string_view statement) {
  std::string out;
  char quote = '\0';
  for (const char c : Trim(statement)) {
    if (quote != '\0') {
      out.push_back(c == '\n' ? ' ' : c);
      if (c == quote) quote = '\0';
    } else if (IsBlank(c)) {
      if (!out.empty() && out.back() != ' ') out.push_back(' ');
    } else {
      out.push_back(c);
      if (c == '\'' || c == '"') quote = c;
    }
  }
  return out;
}

}  // namespace armature::cli::shell
