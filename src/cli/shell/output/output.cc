#include "cli/shell/output/output.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/shell/output/text_width.h"

namespace armature::cli::shell {
namespace {

constexpr std::string_view kMissing = "·";
constexpr std::string_view kNull = "NULL";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";
// A table whose columns would be narrower than this is better read vertically.
constexpr size_t kNarrowest = 6;
constexpr size_t kSeparator = 3;  // " | "

struct Cell {
  std::string text;
  bool is_dim = false;  // NULL or MISSING
};

struct Column {
  std::string heading;
  size_t width = 0;
  bool align_right = false;
};

const Value* Find(const Row& row, std::string_view name) {
  for (const auto& [attribute, value] : row) {
    if (attribute == name) return &value;
  }
  return nullptr;
}

// In a table a string stands for itself; inside lists and maps it is a literal.
Cell TableCell(const Value* value) {
  if (value == nullptr) return {std::string(kMissing), true};
  if (value->kind == ValueKind::kNull) return {std::string(kNull), true};
  return {Printable(value->kind == ValueKind::kString ? value->text : ToLiteral(*value)), false};
}

std::string Paint(std::string text, std::string_view colour, const Style& style) {
  return style.has_colour && !text.empty() ? fmt::format("{}{}{}", colour, text, kPlain) : text;
}

// Narrows the widest columns until all fit; false when that leaves some too narrow to read.
bool FitColumns(std::vector<Column>& columns, size_t screen) {
  if (screen == 0 || columns.empty()) return true;
  const size_t frame = kSeparator * (columns.size() - 1) + 2;
  if (screen < frame + columns.size()) return false;
  const size_t room = screen - frame;
  std::vector<size_t> by_width;
  for (const Column& column : columns) by_width.push_back(column.width);
  std::sort(by_width.begin(), by_width.end());
  // The largest common ceiling under which the sum of all widths fits.
  size_t left = room;
  size_t ceiling = by_width.back();
  for (size_t i = 0; i < by_width.size(); ++i) {
    const size_t share = left / (by_width.size() - i);
    if (by_width[i] > share) {
      ceiling = share;
      break;
    }
    left -= by_width[i];
  }
  if (ceiling < std::min(kNarrowest, by_width.back())) return false;
  for (Column& column : columns) column.width = std::min(column.width, ceiling);
  return true;
}

std::string Repeat(std::string_view piece, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += piece;
  return out;
}

void AppendLine(std::string& out, const std::vector<Column>& columns, const std::vector<Cell>& cells,
                const Style& style, std::string_view colour = {}) {
  std::string line;
  for (size_t i = 0; i < columns.size(); ++i) {
    line += i == 0 ? " " : style.has_boxes ? " │ " : " | ";
    const std::string padded =
        Pad(CutToWidth(cells[i].text, columns[i].width), columns[i].width, columns[i].align_right);
    line += Paint(padded, cells[i].is_dim ? kDim : colour, cells[i].is_dim || !colour.empty() ? style : Style{});
  }
  const size_t end = line.find_last_not_of(' ');
  out += fmt::format("{}\n", std::string_view(line).substr(0, end == std::string::npos ? 0 : end + 1));
}

std::string Draw(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& lines, const Style& style) {
  std::string out;
  std::vector<Cell> headings;
  for (const Column& column : columns) headings.push_back({Printable(column.heading), false});
  AppendLine(out, columns, headings, style, kBold);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out += style.has_boxes ? "┼" : "+";
    out += Repeat(style.has_boxes ? "─" : "-", columns[i].width + 2);
  }
  out += "\n";
  for (const auto& line : lines) AppendLine(out, columns, line, style);
  return out;
}

size_t HeadingWidth(std::string_view heading) { return std::max<size_t>(1, TextWidth(Printable(heading))); }

}  // namespace

std::optional<OutputMode> ParseOutputMode(std::string_view name) {
  for (const OutputMode mode : {OutputMode::kTable, OutputMode::kVertical, OutputMode::kJson, OutputMode::kTyped}) {
    if (OutputModeName(mode) == name) return mode;
  }
  return std::nullopt;
}

std::string_view OutputModeName(OutputMode mode) {
  switch (mode) {
    case OutputMode::kTable: return "table";
    case OutputMode::kVertical: return "vertical";
    case OutputMode::kJson: return "json";
    case OutputMode::kTyped: return "typed";
  }
  return {};
}

std::vector<std::string> ColumnsOf(const std::vector<Row>& rows, const std::vector<std::string>& first) {
  std::set<std::string> names;
  for (const Row& row : rows) {
    for (const auto& [name, value] : row) names.insert(name);
  }
  std::vector<std::string> columns;
  for (const std::string& name : first) {
    if (names.erase(name) > 0) columns.push_back(name);
  }
  columns.insert(columns.end(), names.begin(), names.end());
  return columns;
}

std::string RenderTable(const std::vector<Row>& rows, const std::vector<std::string>& names, const Style& style,
                        size_t first_number) {
  if (rows.empty() || names.empty()) return {};
  std::vector<std::vector<Cell>> lines(rows.size());
  std::vector<Column> columns;
  for (const std::string& name : names) {
    Column column{name, HeadingWidth(name), false};
    bool has_number = false;
    bool has_other = false;
    for (size_t i = 0; i < rows.size(); ++i) {
      const Value* value = Find(rows[i], name);
      Cell cell = TableCell(value);
      column.width = std::max(column.width, TextWidth(cell.text));
      if (!cell.is_dim) (value->IsNumber() ? has_number : has_other) = true;
      lines[i].push_back(std::move(cell));
    }
    column.align_right = has_number && !has_other;
    columns.push_back(std::move(column));
  }
  if (!FitColumns(columns, style.width)) return RenderVertical(rows, names, style, first_number);
  return Draw(columns, lines, style);
}

std::string RenderVertical(const std::vector<Row>& rows, const std::vector<std::string>& columns, const Style& style,
                           size_t first_number) {
  size_t label = 0;
  for (const std::string& name : columns) label = std::max(label, HeadingWidth(name));
  if (style.width > 0) label = std::min(label, std::max<size_t>(style.width / 2, 8));
  const std::string_view bar = style.has_boxes ? " │ " : " | ";
  std::string out;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string title = fmt::format("row {}", first_number + i);
    const std::string line = style.has_boxes ? "──" : "--";
    out += fmt::format("{} {} {}\n", line, Paint(title, kBold, style), Repeat(style.has_boxes ? "─" : "-", label + 2));
    for (const std::string& name : columns) {
      const Value* value = Find(rows[i], name);
      if (value == nullptr) continue;
      const std::string text = Printable(ToLiteral(*value));
      const size_t room = style.width > label + 2 * kSeparator ? style.width - label - kSeparator : 0;
      const auto pieces = room == 0 ? std::vector<std::string>{text} : WrapToWidth(text, room);
      for (size_t piece = 0; piece < pieces.size(); ++piece) {
        const std::string heading = Pad(piece == 0 ? CutToWidth(Printable(name), label) : "", label, false);
        out += fmt::format("{}{}{}\n", Paint(heading, kBold, style), bar,
                           value->kind == ValueKind::kNull ? Paint(pieces[piece], kDim, style) : pieces[piece]);
      }
    }
  }
  return out;
}

std::string RenderJson(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) out += ToJson(row) + "\n";
  return out;
}

std::string RenderGrid(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& lines,
                       const std::vector<bool>& align_right, const Style& style) {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> cells(lines.size());
  for (size_t i = 0; i < headings.size(); ++i) {
    Column column{headings[i], HeadingWidth(headings[i]), i < align_right.size() && align_right[i]};
    for (size_t line = 0; line < lines.size(); ++line) {
      std::string text = Printable(lines[line][i]);
      column.width = std::max(column.width, TextWidth(text));
      cells[line].push_back({std::move(text), false});
    }
    columns.push_back(std::move(column));
  }
  Style unlimited = style;
  if (!FitColumns(columns, style.width)) unlimited.width = 0;
  return Draw(columns, cells, unlimited);
}

}  // namespace armature::cli::shell
