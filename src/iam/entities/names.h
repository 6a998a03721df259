// What names, paths and tags of IAM may look like.
//
// The checks that hold for whoever makes an entity: the API, whose schema has checked some of it before, a seed file, a
// command. All of it must be readable again from a stored record: so texts are UTF-8. Pure.
#pragma once

#include <string>
#include <string_view>

#include "iam/entities/entities.h"
#include "iam/entities/iam_error.h"

namespace armature::iam {

// By which names are compared: ASCII letters in lower case.
std::string FoldCase(std::string_view name);

// `member` is how the API calls it ("userName").
IamResult<void> CheckName(std::string_view member, std::string_view name, size_t most);
IamResult<void> CheckPath(std::string_view path);
IamResult<void> CheckDescription(std::string_view description);
// At most fifty, of UTF-8, within their lengths, keys different without regard to case and none beginning with "aws:".
IamResult<void> CheckTags(const Tags& tags);
IamResult<void> CheckAccount(std::string_view account);
// Keys that somebody brings along.
IamResult<void> CheckAccessKey(std::string_view id, std::string_view secret);

}  // namespace armature::iam
