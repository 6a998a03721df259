// Session: runs statements and backslash commands against one endpoint and prints what comes back.
//
// Owns the settings a user can change (output, timing, consistency, page size). Results go to the standard output,
// errors to the standard error. With a reader at a terminal it shows long results page by page; otherwise it reads
// every page. Used by the shell's prompt and by its scripts, from one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/client/client.h"
#include "cli/shell/catalog.h"
#include "cli/shell/execute_statement.h"
#include "cli/shell/options.h"
#include "cli/shell/statements/statement_splitter.h"

namespace armature::cli::shell {

class Session {
 public:
  Session(Client& client, Catalog& catalog, const Options& options, bool is_interactive);

  // False: it failed, and the error was printed.
  bool Run(const Input& input);
  // Every statement of a script; stops at the first error unless told to keep going. `name` introduces errors.
  bool RunScript(std::string_view text, std::string_view name);

  bool wants_to_quit() const { return wants_to_quit_; }

 private:
  struct Totals {
    size_t rows = 0;
    double capacity_units = 0;
    bool has_capacity = false;
    double seconds = 0;  // spent waiting for the endpoint
  };

  bool RunStatement(const Input& input);
  bool RunCommand(const std::string& text);
  bool RunFile(const std::string& path);
  bool ListTablesCommand();
  bool DescribeCommand(const std::string& table);
  bool Switch(bool& setting, std::string_view name, const std::string& argument);

  Result<Page, CallError> Fetch(const std::string& statement, const std::string& next_token, size_t limit,
                                Totals& totals);
  // Shows what can be shown; false when the reader has seen enough.
  bool ShowGathered(const std::string& statement, OutputMode mode, bool is_last, Page& gathered, Totals& totals);
  void Show(const std::string& statement, const Page& page, OutputMode mode, size_t first_number);
  void ShowFooter(const std::string& statement, OutputMode mode, const Totals& totals);
  bool AskForMore();
  bool Fail(std::string_view message);
  bool Fail(const CallError& error, std::string_view statement = {});
  void Print(std::string_view text);

  Client& client_;
  Catalog& catalog_;
  const bool is_interactive_;
  const bool keep_going_;
  Style style_;
  OutputMode mode_;
  size_t page_size_;
  bool is_consistent_;
  bool has_timing_;
  bool has_capacity_ = true;
  bool wants_to_quit_ = false;
  bool shows_all_ = false;    // the reader asked for the rest of this result
  int depth_ = 0;             // of scripts that run scripts
  std::string error_prefix_;  // "script.sql:12: " within a script
};

}  // namespace armature::cli::shell
