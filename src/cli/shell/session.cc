#include "cli/shell/session.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/shell/completion.h"
#include "cli/shell/output/describe.h"
#include "cli/shell/statements/statement_scan.h"
#include "cli/shell/terminal.h"

namespace armature::cli::shell {
namespace {

// Describing a table is one request each: a longer list shows names only.
constexpr size_t kMaxDescribed = 50;
constexpr int kMaxDepth = 16;

std::string Plural(std::string_view number, bool is_one, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, is_one ? "" : "s");
}

// Moves the first `count` rows of `from` behind those of `to`.
void MoveRows(Page& from, size_t count, Page& to) {
  const auto move = [count](auto& source, auto& target) {
    const auto end = source.begin() + static_cast<std::ptrdiff_t>(std::min(count, source.size()));
    std::move(source.begin(), end, std::back_inserter(target));
    source.erase(source.begin(), end);
  };
  move(from.rows, to.rows);
  move(from.typed_rows, to.typed_rows);
}

std::string HelpText() {
  std::string text =
      "Statements are PartiQL and end with ';' (or \\G to see the rows vertically once):\n"
      "  SELECT * FROM \"Music\" WHERE \"Artist\" = 'Nina Simone';\n"
      "  INSERT INTO \"Music\" VALUE {'Artist': 'Nina Simone', 'Song': 'Sinnerman', 'Plays': 1};\n"
      "  UPDATE \"Music\" SET Plays = Plays + 1 WHERE \"Artist\" = 'Nina Simone' AND \"Song\" = 'Sinnerman';\n"
      "  DELETE FROM \"Music\" WHERE \"Artist\" = 'Nina Simone' AND \"Song\" = 'Sinnerman';\n\nCommands:\n";
  for (const CommandHelp& command : Commands()) {
    text += fmt::format("  {:<38}{}\n", fmt::format("{} {}", command.name, command.arguments), command.text);
  }
  return text +
         "\nIn tables NULL is a null value and · an attribute that the item does not have. TAB completes names.\n";
}

}  // namespace

Session::Session(Client& client, Catalog& catalog, const Options& options, bool is_interactive)
    : client_(client),
      catalog_(catalog),
      is_interactive_(is_interactive),
      keep_going_(options.keep_going),
      mode_(options.mode),
      page_size_(options.page_size),
      is_consistent_(options.is_consistent),
      has_timing_(options.has_timing) {
  if (isatty(STDOUT_FILENO) != 0) {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    style_.has_colour =
        (no_colour == nullptr || *no_colour == '\0') && term != nullptr && std::string_view(term) != "dumb";
    style_.has_boxes = IsUtf8Locale();
    style_.width = TerminalWidth();
  }
}

void Session::Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

bool Session::Fail(std::string_view message) {
  std::fflush(stdout);
  fmt::print(stderr, "{}{}\n", error_prefix_.empty() ? "error: " : error_prefix_, message);
  return false;
}

bool Session::Fail(const CallError& error, std::string_view statement) {
  std::string text = error.Text();
  for (const std::string& detail : error.details) text += "\n  " + detail;
  const std::string marks = PointAt(statement, error.message);
  if (!marks.empty()) text += "\n" + marks.substr(0, marks.size() - 1);
  return Fail(text);
}

bool Session::Run(const Input& input) {
  if (style_.width > 0) style_.width = TerminalWidth();
  return input.kind == Input::Kind::kCommand ? RunCommand(input.text) : RunStatement(input);
}

bool Session::RunScript(std::string_view text, std::string_view name) {
  StatementSplitter splitter;
  std::vector<Input> inputs;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    splitter.Feed(text.substr(0, newline), inputs);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  if (auto rest = splitter.Finish()) inputs.push_back(std::move(*rest));
  bool is_good = true;
  const std::string outer = error_prefix_;
  for (const Input& input : inputs) {
    error_prefix_ = fmt::format("{}:{}: ", name, input.line);
    if (!Run(input)) is_good = false;
    if ((!is_good && !keep_going_) || wants_to_quit_) break;
  }
  error_prefix_ = outer;
  return is_good;
}

Result<Page, CallError> Session::Fetch(const std::string& statement, const std::string& next_token, size_t limit,
                                       Totals& totals) {
  const auto start = std::chrono::steady_clock::now();
  auto page = [&] {
    const StatementRequest request{.statement = statement,
                                   .next_token = next_token,
                                   .limit = limit,
                                   .is_consistent = is_consistent_ && IsRead(statement)};
    // A script ends on Ctrl-C like any program; at the prompt only the statement does.
    if (!is_interactive_) return ExecuteStatement(client_, request);
    const InterruptWatch watch;
    auto result = ExecuteStatement(client_, request, watch.token());
    if (!result && watch.is_interrupted()) result.error().message = "interrupted";
    return result;
  }();
  totals.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (page) {
    totals.capacity_units += page->capacity_units;
    totals.has_capacity = totals.has_capacity || page->has_capacity;
  }
  return page;
}

bool Session::RunStatement(const Input& input) {
  const std::string& statement = input.text;
  const OutputMode mode = input.is_vertical ? OutputMode::kVertical : mode_;
  Totals totals;
  Page gathered;  // what was read and is not shown yet
  shows_all_ = !is_interactive_;
  size_t limit = is_interactive_ && IsRead(statement) ? page_size_ : 0;
  std::string next_token;
  do {
    auto page = Fetch(statement, next_token, limit, totals);
    if (!page) {
      Show(statement, gathered, mode, totals.rows + 1);
      return Fail(page.error(), statement);
    }
    // A filter that leaves few rows of many would take as many requests: let the server fill its pages.
    if (page->rows.size() < limit / 2) limit = 0;
    next_token = std::move(page->next_token);
    MoveRows(*page, page->rows.size(), gathered);
    if (!ShowGathered(statement, mode, next_token.empty(), gathered, totals)) break;
  } while (!next_token.empty());
  ShowFooter(statement, mode, totals);
  return true;
}

bool Session::ShowGathered(const std::string& statement, OutputMode mode, bool is_last, Page& gathered,
                           Totals& totals) {
  // Nobody has to wait for JSON to end, but the columns of a table depend on all of its rows.
  const bool is_streamed = mode == OutputMode::kJson || mode == OutputMode::kTyped;
  while (!gathered.rows.empty()) {
    const bool is_enough = shows_all_ ? is_streamed : gathered.rows.size() >= page_size_;
    if (!is_last && !is_enough) break;
    Page screen;
    MoveRows(gathered, shows_all_ ? gathered.rows.size() : page_size_, screen);
    Show(statement, screen, mode, totals.rows + 1);
    totals.rows += screen.rows.size();
    const bool is_end = is_last && gathered.rows.empty();
    if (!shows_all_ && !is_end && !AskForMore()) return false;
  }
  return true;
}

void Session::Show(const std::string& statement, const Page& page, OutputMode mode, size_t first_number) {
  if (page.rows.empty()) return;
  const std::string table = TableOf(statement);
  if (is_interactive_) catalog_.Learn(table, page.rows);
  if (mode == OutputMode::kJson) return Print(RenderJson(page.rows));
  if (mode == OutputMode::kTyped) {
    for (const std::string& row : page.typed_rows) Print(row + "\n");
    return;
  }
  std::vector<std::string> first = ProjectedNames(statement);
  if (first.empty() && !table.empty()) first = catalog_.Keys(table);
  const auto columns = ColumnsOf(page.rows, first);
  if (columns.empty()) return;
  Print(mode == OutputMode::kTable ? RenderTable(page.rows, columns, style_, first_number)
                                   : RenderVertical(page.rows, columns, style_, first_number));
}

void Session::ShowFooter(const std::string& statement, OutputMode mode, const Totals& totals) {
  const bool is_read = IsRead(statement);
  const std::string time = has_timing_ ? fmt::format("{:.1f} ms", totals.seconds * 1000) : std::string();
  // Machines read JSON: nothing but rows there, unless somebody sits at the prompt.
  if (!is_interactive_ && mode != OutputMode::kTable && mode != OutputMode::kVertical) {
    if (!time.empty()) fmt::print(stderr, "{}\n", time);
    return;
  }
  std::vector<std::string> parts;
  if (is_read || totals.rows > 0) parts.push_back(Plural(std::to_string(totals.rows), totals.rows == 1, "row"));
  if (has_capacity_ && totals.has_capacity) {
    parts.push_back(Plural(fmt::format("{}", totals.capacity_units), totals.capacity_units == 1,
                           is_read ? "read unit" : "write unit"));
  }
  if (!time.empty()) parts.push_back(time);
  std::string text;
  for (const std::string& part : parts) text += text.empty() ? part : ", " + part;
  if (is_read || totals.rows > 0) return Print(fmt::format("({})\n", text));
  Print(text.empty() ? std::string("OK\n") : fmt::format("OK ({})\n", text));
}

bool Session::AskForMore() {
  Print("-- more: any key, a for all, q to stop --");
  const char key = ReadKey();
  Print("\r\x1b[K");
  shows_all_ = key == 'a';
  return key != 'q' && key != '\0';
}

bool Session::RunCommand(const std::string& text) {
  std::istringstream words(text);
  std::string command;
  std::string argument;
  words >> command;
  std::getline(words >> std::ws, argument);
  while (!argument.empty() && (argument.back() == ';' || argument.back() == ' ')) argument.pop_back();
  while (command.size() > 1 && command.back() == ';') command.pop_back();
  if (argument.size() > 1 && argument.front() == '"' && argument.back() == '"')
    argument = argument.substr(1, argument.size() - 2);
  if (command == "\\q" || command == "\\quit") return wants_to_quit_ = true;
  if (command == "\\help" || command == "\\?" || command == "\\h") return Print(HelpText()), true;
  if (command == "\\d") return argument.empty() ? ListTablesCommand() : DescribeCommand(argument);
  if (command == "\\timing") return Switch(has_timing_, "timing", argument);
  if (command == "\\capacity") return Switch(has_capacity_, "capacity", argument);
  if (command == "\\consistent") return Switch(is_consistent_, "consistent", argument);
  if (command == "\\refresh") return catalog_.Forget(), true;
  if (command == "\\i") return RunFile(argument);
  if (command == "\\o") {
    const auto mode = ParseOutputMode(argument);
    if (!mode) return Fail("\\o takes table, vertical, json or typed");
    mode_ = *mode;
    return true;
  }
  if (command == "\\pagesize") {
    const unsigned long rows = std::strtoul(argument.c_str(), nullptr, 10);
    if (rows == 0) return Fail("\\pagesize takes a number of rows");
    page_size_ = rows;
    return true;
  }
  return Fail(fmt::format("there is no command {} (see \\help)", command));
}

bool Session::Switch(bool& setting, std::string_view name, const std::string& argument) {
  if (!argument.empty() && argument != "on" && argument != "off")
    return Fail(fmt::format("\\{} takes on or off", name));
  setting = argument.empty() ? !setting : argument == "on";
  if (is_interactive_) Print(fmt::format("{} is {}\n", name, setting ? "on" : "off"));
  return true;
}

bool Session::RunFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) return Fail(fmt::format("cannot read '{}'", path));
  if (depth_ >= kMaxDepth) return Fail("too many scripts within scripts");
  std::ostringstream text;
  text << file.rdbuf();
  ++depth_;
  const bool is_good = RunScript(text.str(), path);
  --depth_;
  return is_good;
}

bool Session::ListTablesCommand() {
  const auto tables = ListTables(client_);
  if (!tables) return Fail(tables.error());
  if (tables->empty()) return Print("there are no tables\n"), true;
  std::vector<std::vector<std::string>> lines;
  for (const std::string& name : *tables) {
    simdjson::dom::element table;
    if (tables->size() > kMaxDescribed) {
      lines.push_back({name});
      continue;
    }
    const auto reply = DescribeTable(client_, name);
    if (reply && reply->root["Table"].get(table) == simdjson::SUCCESS) {
      lines.push_back(TableLine(table));
    } else {
      lines.push_back({name, "", "", "", "", reply ? "" : reply.error().type});
    }
  }
  Print(lines.front().size() == 1 ? RenderGrid({"table"}, lines, {}, style_) : RenderTableList(lines, style_));
  Print(fmt::format("({})\n", Plural(std::to_string(tables->size()), tables->size() == 1, "table")));
  return true;
}

bool Session::DescribeCommand(const std::string& table) {
  const auto reply = DescribeTable(client_, table);
  if (!reply) return Fail(reply.error());
  simdjson::dom::element description;
  if (reply->root["Table"].get(description) != simdjson::SUCCESS) return Fail("the endpoint described no table");
  Print(RenderTableDescription(description, style_));
  return true;
}

}  // namespace armature::cli::shell
