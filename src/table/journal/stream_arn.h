// The name of a stream: "arn:aws:dynamodb:<region>:<account>:table/<table>/stream/<label>".
//
// Pure. Used by table/journal and api/streams.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace armature::table {

struct StreamArnParts {
  std::string_view region;
  std::string_view account;
  std::string_view table;
  std::string_view label;
};

// Nothing: not of that form.
std::optional<StreamArnParts> ParseStreamArn(std::string_view arn);
std::string MakeStreamArn(std::string_view table_arn, std::string_view label);

}  // namespace armature::table
