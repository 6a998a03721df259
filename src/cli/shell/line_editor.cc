#include "cli/shell/line_editor.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <histedit.h>
#include <unistd.h>

#include "base/shared_library.h"
#include "cli/shell/output/text_width.h"
#include "cli/shell/terminal.h"

namespace armature::cli::shell {
namespace {

constexpr int kHistoryLength = 2000;

// The functions of libedit that are used, found at run time.
struct Library {
  decltype(&::el_init) init = nullptr;
  decltype(&::el_end) end = nullptr;
  decltype(&::el_set) set = nullptr;
  decltype(&::el_get) get = nullptr;
  decltype(&::el_gets) gets = nullptr;
  decltype(&::el_line) line = nullptr;
  decltype(&::el_insertstr) insert = nullptr;
  decltype(&::el_deletestr) erase = nullptr;
  decltype(&::el_source) source = nullptr;
  decltype(&::history_init) history_init = nullptr;
  decltype(&::history_end) history_end = nullptr;
  decltype(&::history) history = nullptr;

  // Loaded once and never unloaded; null when libedit is not installed.
  static const Library* Get();
};

const Library* Library::Get() {
  static const Library* const loaded = []() -> const Library* {
    SharedLibrary libedit("libedit.so.2");
    static Library library;
    libedit.Find("el_init", library.init);
    libedit.Find("el_end", library.end);
    libedit.Find("el_set", library.set);
    libedit.Find("el_get", library.get);
    libedit.Find("el_gets", library.gets);
    libedit.Find("el_line", library.line);
    libedit.Find("el_insertstr", library.insert);
    libedit.Find("el_deletestr", library.erase);
    libedit.Find("el_source", library.source);
    libedit.Find("history_init", library.history_init);
    libedit.Find("history_end", library.history_end);
    libedit.Find("history", library.history);
    return libedit.is_whole() ? &library : nullptr;
  }();
  return loaded;
}

// The candidates in columns, as wide as the terminal.
std::string Columns(const std::vector<std::string>& candidates) {
  size_t width = 0;
  for (const std::string& text : candidates) width = std::max(width, TextWidth(text) + 2);
  const size_t per_line = std::max<size_t>(1, TerminalWidth() / width);
  std::string out;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const bool ends_line = (i + 1) % per_line == 0 || i + 1 == candidates.size();
    out += ends_line ? Printable(candidates[i]) + "\n" : Pad(Printable(candidates[i]), width, false);
  }
  return out;
}

}  // namespace

class LineEditor::Libedit {
 public:
  Libedit(const Library& library, Completer completer) : library_(library), completer_(std::move(completer)) {
    editor_ = library_.init("armature", stdin, stdout, stderr);
    history_ = library_.history_init();
    HistEvent event{};
    library_.history(history_, &event, H_SETSIZE, kHistoryLength);
    library_.history(history_, &event, H_SETUNIQUE, 1);
    library_.set(editor_, EL_CLIENTDATA, this);
    library_.set(editor_, EL_PROMPT, &Libedit::Prompt);
    library_.set(editor_, EL_EDITOR, "emacs");
    library_.set(editor_, EL_SIGNAL, 1);
    library_.set(editor_, EL_HIST, library_.history, history_);
    library_.set(editor_, EL_ADDFN, "armature-complete", "complete a name", &Libedit::OnTab);
    library_.set(editor_, EL_BIND, "^I", "armature-complete", nullptr);
    // What libedit does on SIGINT depends on when it comes, so that Ctrl-C is a key here; Ctrl-Z has to be one too
    // then.
    library_.set(editor_, EL_SETTY, "-d", "-isig", nullptr);
    library_.set(editor_, EL_ADDFN, "armature-suspend", "stop the program", &Libedit::OnSuspend);
    library_.set(editor_, EL_BIND, "^Z", "armature-suspend", nullptr);
    library_.set(editor_, EL_ADDFN, "armature-interrupt", "give the line up", &Libedit::OnInterrupt);
    library_.set(editor_, EL_BIND, "^C", "armature-interrupt", nullptr);
    library_.set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    library_.source(editor_, nullptr);  // the user's own ~/.editrc
  }
  ~Libedit() {
    library_.end(editor_);
    library_.history_end(history_);
  }
  Libedit(const Libedit&) = delete;
  Libedit& operator=(const Libedit&) = delete;

  Outcome Read(const std::string& prompt, std::string& line) {
    prompt_ = prompt;
    is_interrupted_ = false;
    // Before the prompt, not after it as libedit would: what is typed as soon as the prompt shows is for the editor.
    library_.set(editor_, EL_PREP_TERM, 1);
    int count = 0;
    const char* text = library_.gets(editor_, &count);
    if (is_interrupted_) return Outcome::kInterrupted;
    if (text == nullptr || count <= 0) return Outcome::kEnd;
    line.assign(text, static_cast<size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    return Outcome::kLine;
  }

  void Remember(const std::string& entry) {
    HistEvent event{};
    library_.history(history_, &event, H_ENTER, entry.c_str());
  }

 private:
  static Libedit& Self(EditLine* editor) {
    void* self = nullptr;
    Library::Get()->get(editor, EL_CLIENTDATA, &self);
    return *static_cast<Libedit*>(self);
  }

  static char* Prompt(EditLine* editor) { return Self(editor).prompt_.data(); }

  static unsigned char OnTab(EditLine* editor, int /*key*/) { return Self(editor).Complete(); }

  static unsigned char OnInterrupt(EditLine* editor, int /*key*/) {
    Self(editor).is_interrupted_ = true;
    return CC_NEWLINE;
  }

  static unsigned char OnSuspend(EditLine* /*editor*/, int /*key*/) {
    kill(0, SIGTSTP);  // libedit's own handler puts the terminal's mode back and restores it later
    return CC_REDISPLAY;
  }

  unsigned char Complete() {
    const LineInfo* info = library_.line(editor_);
    const std::string before(info->buffer, info->cursor);
    const std::string after(info->cursor, info->lastchar);
    const Completion completion = completer_(before, after);
    if (completion.candidates.empty()) return CC_REFRESH_BEEP;
    const std::string typed = before.substr(completion.begin);
    const bool has_progress = !completion.common.empty() && completion.common != typed;
    if (has_progress) {
      // libedit counts characters here, not bytes.
      size_t characters = 0;
      for (size_t at = 0; at < typed.size(); ++characters) NextCodePoint(typed, at);
      if (characters > 0) library_.erase(editor_, static_cast<int>(characters));
      library_.insert(editor_, completion.common.c_str());
      return CC_REFRESH;
    }
    if (completion.candidates.size() == 1) return CC_REFRESH;
    std::fputs(("\n" + Columns(completion.candidates)).c_str(), stdout);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  const Library& library_;
  Completer completer_;
  std::string prompt_;
  bool is_interrupted_ = false;
  EditLine* editor_ = nullptr;
  ::History* history_ = nullptr;
};

LineEditor::LineEditor(History history, Completer completer) : history_(std::move(history)) {
  const Library* library = Library::Get();
  if (library != nullptr) libedit_ = std::make_unique<Libedit>(*library, std::move(completer));
  for (std::string& entry : history_.Load()) {
    if (libedit_) libedit_->Remember(entry);
    last_ = std::move(entry);
  }
}

LineEditor::~LineEditor() = default;

bool LineEditor::has_editing() const { return libedit_ != nullptr; }

LineEditor::Outcome LineEditor::Read(const std::string& prompt, std::string& line) {
  if (libedit_) return libedit_->Read(prompt, line);
  std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  line.clear();
  for (;;) {
    char c = '\0';
    const ssize_t got = read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) return Outcome::kInterrupted;
    if (got <= 0) return line.empty() ? Outcome::kEnd : Outcome::kLine;
    if (c == '\n') return Outcome::kLine;
    line.push_back(c);
  }
}

void LineEditor::Remember(const std::string& entry) {
  if (entry.empty() || entry == last_) return;
  if (libedit_) libedit_->Remember(entry);
  history_.Append(entry);
  last_ = entry;
}

}  // namespace armature::cli::shell
