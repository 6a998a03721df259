// Descriptions of tables as text, from what DescribeTable answers, and marks under a statement where an error points.
//
// Pure functions over JSON and text. Used by the shell's session for \d and for errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "cli/shell/output/output.h"

namespace armature::cli::shell {

// One line of the list of tables: name, keys, indexes, items, size, status.
std::vector<std::string> TableLine(simdjson::dom::element table);
std::string RenderTableList(const std::vector<std::vector<std::string>>& lines, const Style& style);

// Everything of one table: attributes and keys, indexes, billing, stream, sizes.
std::string RenderTableDescription(simdjson::dom::element table, const Style& style);

// 1536 as "1.5 KiB".
std::string HumanSize(uint64_t bytes);

// If `message` names a position line:column:length in the statement, that line with marks below; else nothing.
std::string PointAt(std::string_view statement, std::string_view message);

}  // namespace armature::cli::shell
