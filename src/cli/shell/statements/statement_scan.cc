#include "cli/shell/statements/statement_scan.h"

#include <algorithm>
#include <cctype>

namespace armature::cli::shell {
namespace {

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Reads up to the closing quote; a doubled quote stands for one.
Token ReadQuoted(std::string_view text, size_t begin, Token::Kind kind) {
  Token token{kind, {}, begin, text.size(), false};
  const char quote = text[begin];
  for (size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] != quote) {
      token.text.push_back(text[at]);
    } else if (at + 1 < text.size() && text[at + 1] == quote) {
      token.text.push_back(quote);
      ++at;
    } else {
      token.end = at + 1;
      token.is_closed = true;
      return token;
    }
  }
  return token;
}

bool IsName(const Token& token) { return token.kind == Token::Kind::kWord || token.kind == Token::Kind::kQuotedName; }

bool IsWord(const Token& token, std::string_view word) {
  return token.kind == Token::Kind::kWord && EqualsIgnoringCase(token.text, word);
}

bool IsSymbol(const Token& token, std::string_view symbol) {
  return token.kind == Token::Kind::kSymbol && token.text == symbol;
}

}  // namespace

std::vector<Token> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
      continue;
    }
    if (c == '\'' || c == '"') {
      tokens.push_back(ReadQuoted(text, at, c == '"' ? Token::Kind::kQuotedName : Token::Kind::kString));
    } else if (IsLetter(c) || IsDigit(c)) {
      size_t end = at;
      const bool is_number = IsDigit(c);
      while (end < text.size() && (IsLetter(text[end]) || IsDigit(text[end]) || (is_number && text[end] == '.'))) ++end;
      tokens.push_back({is_number ? Token::Kind::kNumber : Token::Kind::kWord, std::string(text.substr(at, end - at)),
                        at, end, true});
    } else {
      tokens.push_back({Token::Kind::kSymbol, std::string(1, c), at, at + 1, true});
    }
    at = tokens.back().end;
  }
  return tokens;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

bool IsRead(std::string_view statement) {
  const auto tokens = Tokenize(statement);
  return !tokens.empty() && (IsWord(tokens[0], "SELECT") || IsWord(tokens[0], "EXISTS"));
}

std::string TableOf(std::string_view statement) {
  const auto tokens = Tokenize(statement);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool introduces =
        IsWord(tokens[i], "FROM") || IsWord(tokens[i], "INTO") || (i == 0 && IsWord(tokens[i], "UPDATE"));
    if (introduces && IsName(tokens[i + 1])) return tokens[i + 1].text;
  }
  return {};
}

std::vector<std::string> ProjectedNames(std::string_view statement) {
  const auto tokens = Tokenize(statement);
  std::vector<std::string> names;
  if (tokens.empty() || !IsWord(tokens[0], "SELECT")) return names;
  std::string leaf;
  for (size_t i = 1; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool ends = IsWord(token, "FROM");
    if (ends || IsSymbol(token, ",")) {
      if (leaf.empty()) return {};
      names.push_back(std::move(leaf));
      leaf.clear();
      if (ends) return names;
    } else if (IsName(token)) {
      leaf = token.text;
    } else if (token.kind == Token::Kind::kString && IsSymbol(tokens[i - 1], "[")) {
      leaf = token.text;
    } else if (token.kind == Token::Kind::kNumber && IsSymbol(tokens[i - 1], "[")) {
      leaf += "[" + token.text + "]";
    } else if (!IsSymbol(token, ".") && !IsSymbol(token, "[") && !IsSymbol(token, "]")) {
      return {};
    }
  }
  return {};
}

std::string QuoteName(std::string_view name) {
  bool is_bare = !name.empty() && IsLetter(name.front()) && name.front() != '_' &&
                 std::all_of(name.begin(), name.end(), [](char c) { return IsLetter(c) || IsDigit(c); });
  for (const std::string_view word : Keywords()) is_bare = is_bare && !EqualsIgnoringCase(name, word);
  if (is_bare) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

const std::vector<std::string_view>& Keywords() {
  static const std::vector<std::string_view> words = {
      "ALL", "AND",    "ASC",    "BETWEEN",   "BY",      "DELETE",   "DESC", "EXISTS", "FALSE", "FROM",
      "IN",  "INSERT", "INTO",   "IS",        "MISSING", "MODIFIED", "NEW",  "NOT",    "NULL",  "OLD",
      "OR",  "ORDER",  "REMOVE", "RETURNING", "SELECT",  "SET",      "TRUE", "UPDATE", "VALUE", "WHERE"};
  return words;
}

const std::vector<std::string_view>& Functions() {
  static const std::vector<std::string_view> names = {"attribute_type", "begins_with", "contains", "list_append",
                                                      "set_add",        "set_delete",  "size"};
  return names;
}

}  // namespace armature::cli::shell
