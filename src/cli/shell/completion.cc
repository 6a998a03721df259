#include "cli/shell/completion.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "cli/shell/statements/statement_scan.h"

namespace armature::cli::shell {
namespace {

bool HasPrefix(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && EqualsIgnoringCase(text.substr(0, prefix.size()), prefix);
}

std::string InCaseOf(std::string_view word, std::string_view typed) {
  std::string out(word);
  if (typed.empty() || std::islower(static_cast<unsigned char>(typed.front())) == 0) return out;
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// What all of `texts` begin with.
std::string CommonPrefix(const std::vector<std::string>& texts) {
  std::string shared = texts.empty() ? std::string() : texts.front();
  for (const std::string& text : texts) {
    shared.erase(std::mismatch(shared.begin(), shared.end(), text.begin(), text.end()).first, shared.end());
  }
  return shared;
}

// The names that `typed` begins. They are case-sensitive, but a user who types lower case still means them.
std::vector<std::string> Fitting(const std::vector<std::string>& names, std::string_view typed) {
  std::vector<std::string> exact;
  std::vector<std::string> loose;
  for (const std::string& name : names) {
    if (!HasPrefix(name, typed)) continue;
    loose.push_back(name);
    if (std::string_view(name).substr(0, typed.size()) == typed) exact.push_back(name);
  }
  return exact.empty() ? loose : exact;
}

bool IsBefore(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return lower(x) < lower(y); });
}

// Gathers what fits the part of a word that was typed.
class Candidates {
 public:
  // `quote` is the one the user opened before it, or 0.
  Candidates(std::string_view typed, char quote) : typed_(typed), quote_(quote) {}

  void AddWords(const std::vector<std::string_view>& words, std::string_view suffix = {}) {
    if (quote_ != '\0') return;
    for (const std::string_view word : words) {
      if (HasPrefix(word, typed_)) Add(InCaseOf(word, typed_), fmt::format("{}{}", InCaseOf(word, typed_), suffix));
    }
  }

  void AddNames(const std::vector<std::string>& names) {
    for (const std::string& name : Fitting(names, typed_)) Add(name, Spell(name));
  }

  Completion Take(size_t begin) {
    std::stable_sort(texts_.begin(), texts_.end(), IsBefore);
    texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
    Completion completion{begin, std::move(texts_), {}};
    const auto& list = completion.candidates;
    const std::string shared = CommonPrefix(names_);
    if (list.size() == 1) {
      completion.common = list.front() + (list.front().back() == '(' ? "" : " ");
    } else if (!list.empty() && shared.size() >= typed_.size()) {
      const char quote = quote_ != '\0' ? quote_ : needs_quotes_ ? '"' : '\0';
      completion.common = quote == '\0' ? shared : quote + shared;
    }
    return completion;
  }

 private:
  void Add(std::string name, std::string text) {
    names_.push_back(std::move(name));
    texts_.push_back(std::move(text));
  }

  std::string Spell(const std::string& name) {
    if (quote_ != '\0') return fmt::format("{}{}{}", quote_, name, quote_);
    std::string text = QuoteName(name);
    needs_quotes_ = needs_quotes_ || text != name;
    return text;
  }

  std::string_view typed_;
  char quote_;
  bool needs_quotes_ = false;
  std::vector<std::string> names_;  // as they are called
  std::vector<std::string> texts_;  // as they are written
};

Completion CompleteCommand(std::string_view before, NameSource& names) {
  const size_t start = before.find('\\');
  const size_t blank = before.find(' ', start);
  if (blank == std::string_view::npos) {
    Completion completion{start, {}, {}};
    for (const CommandHelp& command : Commands()) {
      if (command.name.substr(0, before.size() - start) == before.substr(start))
        completion.candidates.emplace_back(command.name);
    }
    if (completion.candidates.size() == 1) completion.common = completion.candidates.front() + " ";
    return completion;
  }
  const std::string_view command = before.substr(start, blank - start);
  const size_t word = before.find_last_of(' ') + 1;
  std::vector<std::string> values;
  if (command == "\\d") values = names.Tables();
  if (command == "\\o") values = {"json", "table", "typed", "vertical"};
  if (command == "\\timing" || command == "\\capacity" || command == "\\consistent") values = {"off", "on"};
  // Commands take names as they are, without quotes.
  Completion completion{word, Fitting(values, before.substr(word)), {}};
  completion.common = CommonPrefix(completion.candidates);
  return completion;
}

bool IsWord(const Token& token, std::string_view word) {
  return token.kind == Token::Kind::kWord && EqualsIgnoringCase(token.text, word);
}

// Whether a table name is due after tokens[0, count).
bool WantsTable(const std::vector<Token>& tokens, size_t count) {
  if (count == 0) return false;
  const Token& last = tokens[count - 1];
  return IsWord(last, "FROM") || IsWord(last, "INTO") || (count == 1 && IsWord(last, "UPDATE"));
}

// A table's name typed without quotes although it needs them (my-tab): completion adds them.
Completion CompleteBareTable(std::string_view head, std::string_view before, NameSource& names) {
  size_t begin = before.size();
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(before[begin - 1])) != 0 ||
                       std::string_view("_.-").find(before[begin - 1]) != std::string_view::npos)) {
    --begin;
  }
  const auto tokens = Tokenize(head.substr(0, head.size() - (before.size() - begin)));
  if (begin == before.size() || !WantsTable(tokens, tokens.size())) return {};
  Candidates candidates(before.substr(begin), '\0');
  candidates.AddNames(names.Tables());
  return candidates.Take(begin);
}

}  // namespace

Completion Complete(std::string_view pending, std::string_view before, std::string_view after, NameSource& names) {
  const size_t first = before.find_first_not_of(" \t");
  if (pending.empty() && first != std::string_view::npos && before[first] == '\\')
    return CompleteCommand(before, names);

  const std::string head = pending.empty() ? std::string(before) : fmt::format("{}\n{}", pending, before);
  const size_t line_start = head.size() - before.size();
  if (Completion table = CompleteBareTable(head, before, names); !table.candidates.empty()) return table;
  auto tokens = Tokenize(head);
  // The word the cursor stands at the end of, if any.
  Token typed{Token::Kind::kWord, {}, head.size(), head.size(), true};
  if (!tokens.empty() && tokens.back().end == head.size() && tokens.back().kind != Token::Kind::kSymbol) {
    const bool is_open = !tokens.back().is_closed;
    if (!is_open && tokens.back().kind != Token::Kind::kWord) return {before.size(), {}, {}};
    typed = tokens.back();
    tokens.pop_back();
  }
  if (typed.begin < line_start) return {before.size(), {}, {}};
  const size_t begin = typed.begin - line_start;
  const char quote = typed.kind == Token::Kind::kQuotedName ? '"' : typed.kind == Token::Kind::kString ? '\'' : '\0';
  Candidates candidates(typed.text, quote);
  const size_t count = tokens.size();
  const std::string table = TableOf(fmt::format("{}{}", head, after));

  if (quote == '\'') {
    // The attribute names of an INSERT are strings.
    const bool is_key = count > 0 && (tokens.back().text == "{" || tokens.back().text == ",");
    if (count > 0 && IsWord(tokens[0], "INSERT") && is_key) candidates.AddNames(names.Attributes(table));
  } else if (WantsTable(tokens, count)) {
    candidates.AddNames(names.Tables());
  } else if (count >= 2 && tokens.back().text == "." && WantsTable(tokens, count - 2)) {
    candidates.AddNames(names.Indexes(tokens[count - 2].text));
  } else if (count == 0) {
    candidates.AddWords({"DELETE", "INSERT", "SELECT", "UPDATE"});
  } else if (tokens.back().text != ".") {
    candidates.AddNames(names.Attributes(table));
    candidates.AddWords(Keywords());
    candidates.AddWords(Functions(), "(");
  }
  return candidates.Take(begin);
}

const std::vector<CommandHelp>& Commands() {
  static const std::vector<CommandHelp> commands = {
      {"\\d", "[TABLE]", "list the tables, or describe one"},
      {"\\o", "table|vertical|json|typed", "how rows are shown; typed is DynamoDB's own JSON"},
      {"\\timing", "[on|off]", "show how long statements take"},
      {"\\capacity", "[on|off]", "show the consumed capacity"},
      {"\\consistent", "[on|off]", "read strongly consistently"},
      {"\\pagesize", "ROWS", "how many rows to show before asking to go on"},
      {"\\i", "FILE", "run the statements of a file"},
      {"\\refresh", "", "forget the names learnt for completion"},
      {"\\help", "", "this text (also \\?)"},
      {"\\q", "", "quit (also Ctrl-D)"},
  };
  return commands;
}

}  // namespace armature::cli::shell
