#include "cli/shell/history.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace armature::cli::shell {
namespace {

constexpr size_t kKept = 2000;
// The file is rewritten only when it has grown well beyond what is kept.
constexpr size_t kRewriteAt = 3000;

void WriteLines(const std::string& path, int flags, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (file < 0) return;
  // One write: entries of several shells do not mix.
  [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
  close(file);
}

}  // namespace

std::string HistoryPath(const Environment& environment) {
  const std::string state = environment("XDG_STATE_HOME");
  if (!state.empty() && state.front() == '/') return state + "/armature/shell_history";
  const std::string home = environment("HOME");
  return home.empty() ? std::string() : home + "/.local/state/armature/shell_history";
}

std::vector<std::string> History::Load() {
  std::vector<std::string> entries;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) entries.push_back(std::move(line));
  }
  if (entries.size() > kKept) {
    const bool is_long = entries.size() > kRewriteAt;
    entries.erase(entries.begin(), entries.end() - kKept);
    if (is_long) WriteLines(path_, O_TRUNC, entries);
  }
  return entries;
}

void History::Append(const std::string& entry) {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  WriteLines(path_, O_APPEND, {entry});
}

}  // namespace armature::cli::shell
