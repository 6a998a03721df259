// What the names that come with a request may look like, besides those the schemas of wire/ describe.
//
// Region, account and access key are in no schema: they come with the signature, in ARNs and in options, and become
// keys of records, parts of URLs, labels of metrics and words in the log. Whoever takes one in asks here first; whoever
// has one may rely on it. Pure. Used by auth/, table/, triggers/, workers/ and server/.
#pragma once

#include <string_view>

namespace armature::model {

// Letters, digits, - and _; at most 63, as a label of a host name. Not only those Amazon has: "local" is one here.
bool IsRegionName(std::string_view text);
// Twelve digits.
bool IsAccountId(std::string_view text);
// What an account in a stored record may look like: digits, of any number.
bool IsStoredAccount(std::string_view text);
// Up to 128 visible ASCII characters.
bool IsAccessKeyId(std::string_view text);
// The name of a table or an index: letters, digits, _, . and -; 1 to 255 here (CreateTable's schema wants 3).
bool IsTableName(std::string_view text);
// Of a Kinesis stream: the same characters, at most 128.
bool IsKinesisStreamName(std::string_view text);

}  // namespace armature::model
