// Items without names, as DAX's clients send, get and cache them (5.4 of the protocol).
//
// The id of an attribute list, then the values of its names, in its order. Key attributes are not in it: whoever has a
// blob has its key. All functions are about the content of the byte string that a message has, without its head.
// `lists`: of the account whose item it is. Thread-safe as AttributeLists is.
#pragma once

#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "base/result.h"
#include "dax/attributes/attribute_lists.h"
#include "dax/table_schema.h"
#include "model/api_error.h"
#include "model/value.h"
#include "model/wording.h"

namespace armature::dax {

// All attributes of `item` but the key's. What may be wrong is that the list of their names has no id; then `out` is as
// before. The blob may leave the node when the lists are settled.
Status AppendItemBlob(std::string& out, model::Item item, const TableSchema& schema, const AccountLists& lists);

// The item with the attributes of `key`. The errors are DynamoDB's for values that it does not take, in the words of
// the operation, and a ValidationException for a blob that is none: values without names, or a list that nobody knows.
model::ApiResult<model::Item> DecodeItemBlob(std::string_view blob, model::Item key, const AccountLists& lists,
                                             Arena& arena, const model::Wording& wording = model::kReadWording);

}  // namespace armature::dax
