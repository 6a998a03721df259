// RefreshItems: what became of items that were written is asked of the table, so that caches have it again.
//
// In the background, behind the client's answer: after a transaction, as with AWS, and after updates whose reply did
// not tell the new item. Read consistently, because an eventually consistent read could bring the older item back for
// as long as entries live. What is written meanwhile wins (cache/tickets.h). A refresh that fails leaves nothing in the
// cache.
#pragma once

#include <string>
#include <vector>

#include "dax/backend/backend.h"
#include "dax/table_schema.h"

namespace armature::dax {

class DaxCluster;

struct RefreshedItem {
  TableSchemaPtr schema;
  std::string key;  // canonical
};

// On the calling reactor. The cluster must outlive what it asks of its backend.
void RefreshItems(DaxCluster& cluster, std::vector<RefreshedItem> items, const Scope& scope);

}  // namespace armature::dax
