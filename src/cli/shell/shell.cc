#include "cli/shell/shell.h"

#include <clocale>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/client/client.h"
#include "cli/shell/catalog.h"
#include "cli/shell/line_editor.h"
#include "cli/shell/options.h"
#include "cli/shell/session.h"
#include "cli/shell/statements/statement_splitter.h"

namespace armature::cli {
namespace {

const char* PromptFor(shell::StatementSplitter::State state) {
  switch (state) {
    case shell::StatementSplitter::State::kBlank: return "armature> ";
    case shell::StatementSplitter::State::kStatement: return "      ... ";
    case shell::StatementSplitter::State::kString: return "      '.. ";
    case shell::StatementSplitter::State::kName: return "      \".. ";
    case shell::StatementSplitter::State::kComment: return "      /*. ";
  }
  return "";
}

// Ctrl-C at the prompt only has to interrupt the read; the loop does the rest.
void OnInterrupt(int /*signal*/) {}

void CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
}

int Prompt(const shell::Options& options, shell::Session& session, shell::Catalog& catalog) {
  CatchInterrupts();
  shell::StatementSplitter splitter;
  shell::LineEditor editor(shell::History(shell::HistoryPath(ProcessEnvironment())),
                           [&](std::string_view before, std::string_view after) {
                             return shell::Complete(splitter.pending(), before, after, catalog);
                           });
  fmt::print("PartiQL on {} ({}). Statements end with ;  \\help lists the commands.\n", options.endpoint.url,
             options.endpoint.region);
  if (!editor.has_editing()) fmt::print("No line editing: libedit2 is not installed.\n");
  std::fflush(stdout);
  std::string line;
  while (!session.wants_to_quit()) {
    const auto outcome = editor.Read(PromptFor(splitter.state()), line);
    if (outcome == shell::LineEditor::Outcome::kEnd) break;
    if (outcome == shell::LineEditor::Outcome::kInterrupted) {
      splitter.Clear();
      fmt::print("^C\n");
      std::fflush(stdout);
      continue;
    }
    std::vector<shell::Input> inputs;
    splitter.Feed(line, inputs);
    for (const shell::Input& input : inputs) {
      const bool is_command = input.kind == shell::Input::Kind::kCommand;
      editor.Remember(is_command ? input.text : shell::OnOneLine(input.text) + (input.is_vertical ? " \\G" : ";"));
      session.Run(input);
      if (session.wants_to_quit()) break;
    }
  }
  if (!session.wants_to_quit()) fmt::print("\n");
  return 0;
}

std::string ReadAll(std::istream& stream) {
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

int RunScripts(const shell::Options& options, shell::Session& session) {
  bool is_good = true;
  for (size_t i = 0; i < options.statements.size(); ++i) {
    const std::string name = options.statements.size() == 1 ? "-e" : fmt::format("-e {}", i + 1);
    is_good = session.RunScript(options.statements[i], name) && is_good;
    if ((!is_good && !options.keep_going) || session.wants_to_quit()) return is_good ? 0 : 1;
  }
  if (!options.file.empty()) {
    std::ifstream file(options.file, std::ios::binary);
    is_good = session.RunScript(ReadAll(file), options.file) && is_good;
  } else if (options.statements.empty()) {
    is_good = session.RunScript(ReadAll(std::cin), "stdin");
  }
  return is_good ? 0 : 1;
}

}  // namespace

int RunShell(int argc, char** argv) {
  const auto options = shell::ParseOptions(argc, argv);
  if (!options.has_value()) return options.error();
  std::setlocale(LC_CTYPE, "");
  const bool has_script = !options->statements.empty() || !options->file.empty();
  const bool is_interactive = !has_script && isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  Client client(options->endpoint);
  shell::Catalog catalog(client, options->has_sampling);
  shell::Session session(client, catalog, *options, is_interactive);
  return is_interactive ? Prompt(*options, session, catalog) : RunScripts(*options, session);
}

}  // namespace armature::cli
