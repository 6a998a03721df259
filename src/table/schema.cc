#include "table/schema.h"

#include <algorithm>

namespace armature::table {

bool IndexSchema::Projects(std::string_view attribute) const {
  return projects_all() || std::binary_search(projected.begin(), projected.end(), attribute);
}

model::Item IndexSchema::Entry(model::Item item, Arena& arena) const {
  if (projects_all()) return item;
  auto entries = arena.NewArray<model::MapEntry>(std::min(item.size(), projected.size()));
  size_t count = 0;
  for (const auto& attribute : item)
    if (Projects(attribute.name)) entries[count++] = attribute;
  return entries.first(count);
}

namespace {

std::vector<std::string> ProjectedNames(const model::IndexDef& index, const Keyspace& keyspace) {
  std::vector<std::string> names = index.projection.non_key_attributes;
  keyspace.ForEachAttribute([&](const model::KeyAttribute& attribute) { names.push_back(attribute.name); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

TableSchema::TableSchema(std::shared_ptr<const model::TableDef> table, const TableSchema* previous,
                         const IndexPartitions& opened)
    : def_(std::move(table)), items_(ItemsKeyspace(*def_)) {
  // Global ones first: where an attribute is a key of both kinds, errors name the global one.
  for (const auto kind : {model::IndexKind::kGlobal, model::IndexKind::kLocal}) {
    for (const auto& index : def_->indexes)
      if (index.kind == kind) AddIndex(index, previous, opened);
  }
}

void TableSchema::AddIndex(const model::IndexDef& index, const TableSchema* previous, const IndexPartitions& opened) {
  IndexSchema schema;
  schema.def = &index;
  schema.keyspace = IndexKeyspace(*def_, index);
  schema.projected = ProjectedNames(index, schema.keyspace);
  const IndexSchema* before = previous ? previous->FindIndex(index.name) : nullptr;
  if (before && before->def->id == index.id) schema.partitions = before->partitions;
  if (const auto it = opened.find(index.keyspace); it != opened.end()) schema.partitions = it->second;
  has_local_indexes_ = has_local_indexes_ || index.kind == model::IndexKind::kLocal;
  has_unbuilt_indexes_ = has_unbuilt_indexes_ || index.status == model::ResourceStatus::kCreating;
  indexes_.push_back(std::move(schema));
}

const IndexSchema* TableSchema::FindIndex(std::string_view name) const {
  const auto it =
      std::find_if(indexes_.begin(), indexes_.end(), [&](const auto& index) { return index.def->name == name; });
  return it == indexes_.end() ? nullptr : &*it;
}

}  // namespace armature::table
