// Amazon Resource Names, taken apart and put together: "arn:<partition>:<service>:<region>:<account>:<resource>".
//
// The only place that knows their form. Parsing gives views into the text and looks at the form only: whether a table,
// an account or a Region exists is not asked. Where AWS's services differ in what they accept, each kind below says
// what it demands. What is made is always of the partition "aws". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace armature::model {

struct Arn {
  std::string_view partition;
  std::string_view service;
  std::string_view region;
  std::string_view account;
  std::string_view resource;  // may have colons and slashes of its own
};
// Any ARN: five colons, and "arn" before the first. Parts may be empty.
std::optional<Arn> ParseArn(std::string_view text);
std::string MakeArn(std::string_view service, std::string_view region, std::string_view account,
                    std::string_view resource);

// "arn:…:dynamodb:<region>:<account>:table/<table>", of any partition, and nothing behind the name.
struct TableArn {
  std::string_view region;
  std::string_view account;
  std::string_view table;
};
std::optional<TableArn> ParseTableArn(std::string_view text);
std::string MakeTableArn(std::string_view region, std::string_view account, std::string_view table);

// "<ARN of a table>/index/<index>".
std::string MakeIndexArn(std::string_view table_arn, std::string_view index);

// "<ARN of a table>/stream/<label>", of a partition whose name begins with "aws".
struct StreamArn {
  std::string_view region;
  std::string_view account;
  std::string_view table;
  std::string_view label;
};
std::optional<StreamArn> ParseStreamArn(std::string_view text);
std::string MakeStreamArn(std::string_view table_arn, std::string_view label);

// "arn:…:kinesis:<region>:<account>:stream/<name>". The Region and the name are well-formed: they can stand in a host
// and in a request.
struct KinesisStreamArn {
  std::string_view region;
  std::string_view account;
  std::string_view name;
};
std::optional<KinesisStreamArn> ParseKinesisStreamArn(std::string_view text);

}  // namespace armature::model
