// Rows as text: a table, vertical records, or JSON.
//
// Pure: rows in, text out; colours, borders and the width of the screen are options, so that a test sees what a user
// sees. NULL and MISSING are told apart: a null value reads NULL, an attribute that the item does not have reads `·`.
// Used by the shell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/output/value.h"

namespace armature::cli::shell {

enum class OutputMode { kTable, kVertical, kJson, kTyped };

std::optional<OutputMode> ParseOutputMode(std::string_view name);
std::string_view OutputModeName(OutputMode mode);

struct Style {
  size_t width = 0;         // columns of the screen; 0: unlimited
  bool has_colour = false;  // ANSI attributes for headings, NULL and MISSING
  bool has_boxes = false;   // lines drawn with ─ │ ┼ instead of - | +
};

// The columns of a table: `first` as far as they occur (keys, or what the statement projected), then the others by
// name.
std::vector<std::string> ColumnsOf(const std::vector<Row>& rows, const std::vector<std::string>& first);

// A grid with aligned columns, numbers to the right. Values that do not fit the screen are cut; with so many columns
// that nothing readable would be left, records are shown vertically instead, numbered from `first_number`.
std::string RenderTable(const std::vector<Row>& rows, const std::vector<std::string>& columns, const Style& style,
                        size_t first_number = 1);

// One block per row, one attribute per line; long values wrap. Rows are numbered from `first_number`.
std::string RenderVertical(const std::vector<Row>& rows, const std::vector<std::string>& columns, const Style& style,
                           size_t first_number = 1);

// One JSON object per line.
std::string RenderJson(const std::vector<Row>& rows);

// A grid of plain text, for lists of names and descriptions.
std::string RenderGrid(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& lines,
                       const std::vector<bool>& align_right, const Style& style);

}  // namespace armature::cli::shell
