#include "dax/codec/item_blob.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "dax/codec/cbor.h"
#include "dax/codec/value_codec.h"

namespace armature::dax {

namespace {

bool IsKey(std::string_view name, const TableSchema& schema) {
  return std::ranges::any_of(schema.parts, [&](const KeyPart& part) { return part.name == name; });
}

model::ApiError NoItem() { return model::ValidationException("The item is not what its list of attribute names says"); }
model::ApiError NoSuchList() {
  return model::ValidationException("The list of attribute names of the item is not known");
}

}  // namespace

Status AppendItemBlob(std::string& out, model::Item item, const TableSchema& schema, const AccountLists& lists) {
  std::vector<std::string_view> names;
  names.reserve(item.size());
  for (const model::MapEntry& entry : item)
    if (!IsKey(entry.name, schema)) names.push_back(entry.name);
  const auto id = lists.Intern(names);
  if (!id) return id.error();
  AppendCborUnsigned(out, *id);
  for (const model::MapEntry& entry : item)
    if (!IsKey(entry.name, schema)) AppendValue(out, entry.value);
  return Status::Ok();
}

model::ApiResult<model::Item> DecodeItemBlob(std::string_view blob, model::Item key, const AccountLists& lists,
                                             Arena& arena, const model::Wording& wording) {
  CborReader reader(blob);
  const uint64_t id = reader.Unsigned();
  if (!reader.ok()) return NoItem();
  const auto names = lists.Find(id);
  if (!names) return NoSuchList();
  // Of a long list perhaps few have values, each of a byte at least.
  const size_t most = std::min(names->size(), reader.rest().size());
  const std::span<model::MapEntry> entries = arena.NewArray<model::MapEntry>(most + key.size());
  size_t count = 0;
  std::optional<model::ApiError> fault;
  for (; !reader.at_end(); ++count) {
    if (count == names->size()) return NoItem();
    auto value = DecodeValue(reader, arena, wording);
    if (!reader.ok()) return NoItem();
    entries[count].name = (*names)[count];
    if (value) entries[count].value = *value;
    else if (!fault) fault = std::move(value).error();
  }
  if (fault) return std::move(*fault);
  // Behind the others: should one have its name, the key's is the one that counts.
  std::ranges::copy(key, entries.begin() + static_cast<std::ptrdiff_t>(count));
  return model::Item(model::SortMap(entries.first(count + key.size())));
}

}  // namespace armature::dax
