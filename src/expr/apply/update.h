// Applies bound updates (UpdateExpression, AttributeUpdates) to an item.
//
// The old item is never changed; the new one shares its untouched values, so both must stay alive together. Every
// right-hand side and list index refers to the old item. Sizes and key attributes are the caller's checks. Pure;
// called by table/ under the item's latch, after the condition held.
#pragma once

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"

namespace armature::expr {

struct UpdatedItem {
  bool exists = false;  // false: the item was missing, and only removals do not create one
  model::Item item{};
};

// `old_item` is empty when `item_exists` is false; an item that comes into being starts from `key` (expressions do not
// see these attributes). With `item_exists`, `key` is not used.
model::ApiResult<UpdatedItem> ApplyUpdate(const BoundUpdate& update, model::Item old_item, bool item_exists,
                                          model::Item key, Arena& arena);

// The update of an UpdateItem without UpdateExpression and AttributeUpdates: makes a missing item, changes nothing.
const BoundUpdate& EmptyUpdate();

// ReturnValues UPDATED_OLD and UPDATED_NEW: the touched paths of the old or the new item, which may be nothing.
model::Item ProjectUpdatedOld(const BoundUpdate& update, model::Item old_item, Arena& arena);
model::Item ProjectUpdatedNew(const BoundUpdate& update, model::Item new_item, Arena& arena);

}  // namespace armature::expr
