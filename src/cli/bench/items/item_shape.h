// The items the driver writes, and how it recognizes them again.
//
// An item is {pk: S, v: N, data: S}; `data` is a pseudo-random text that follows from the key's index and
// the version v, so any item read back can be checked in full without remembering what was written.
// Values; an ItemReader is not thread-safe (one per workload object). Knows DynamoDB's JSON, no HTTP.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace armature::cli::bench {

class ItemShape {
 public:
  static constexpr uint64_t kPartitionItems = 1000;

  // `item_size` as DynamoDB counts it: attribute names and values. `partition_items` of the items with a sort key lie
  // under each partition key.
  explicit ItemShape(uint32_t item_size, uint64_t partition_items = kPartitionItems);

  void AppendKey(uint64_t index, std::string& out) const;                     // {"pk":{"S":"…"}}
  void AppendItem(uint64_t index, uint64_t version, std::string& out) const;  // {"pk":…,"v":…,"data":…}
  void AppendKeyText(uint64_t index, std::string& out) const;                 // user000000000017
  void AppendData(uint64_t index, uint64_t version, std::string& out) const;

  // The same items with a sort key.
  uint64_t partition_items() const { return partition_items_; }
  void AppendOrderedKey(uint64_t index, std::string& out) const;  // {"pk":{"S":"…"},"sk":{"N":"…"}}
  void AppendOrderedItem(uint64_t index, uint64_t version, std::string& out) const;  // {"pk":…,"sk":…,"v":…,"data":…}
  void AppendPartitionText(uint64_t partition, std::string& out) const;              // list000000000017

  // And with a tag, for an index to go by: {"pk":…,"sk":…,"tag":…,"v":…,"data":…}. Tags follow from the key's index,
  // scattered, and change with `tag_version`.
  void AppendTaggedItem(uint64_t index, uint64_t version, uint64_t tag_version, std::string& out) const;
  void AppendTag(uint64_t index, uint64_t tag_version, std::string& out) const;

 private:
  uint32_t data_size_;
  uint64_t partition_items_;
};

// Reads answers with simdjson, attributes in any order. Every body must have the readable bytes
// behind it that ResponseParser promises.
class ItemReader {
 public:
  // True if the body is an object with no members, as a PutItem without ReturnValues answers.
  bool IsEmptyObject(std::string_view body);

  // True if `body` is {"<member>": item} where the item is exactly the one of `index` at some version,
  // which is stored; otherwise says why not. An answer without the member is "no item".
  bool ReadItem(std::string_view body, std::string_view member, const ItemShape& shape, uint64_t index,
                uint64_t& version, std::string& why);

  // True if `body` is a page of a Query or Scan: {"Items": […], "Count": their number, …}, every item one that was
  // written, with or without a sort key. Stores the indexes of the items in their order, and for who wants to go on
  // the JSON of LastEvaluatedKey, empty if there is none.
  bool ReadPage(std::string_view body, const ItemShape& shape, std::vector<uint64_t>& indexes, std::string& why,
                std::string* last_key = nullptr);

  // The same for the answer of a BatchGetItem of one table, with nothing left unprocessed.
  bool ReadBatch(std::string_view body, std::string_view table, const ItemShape& shape, std::vector<uint64_t>& indexes,
                 std::string& why);

  // True if `body` is an answer of GetRecords with `count` records in rising order, each new image one that was
  // written. Stores the next iterator.
  bool ReadRecords(std::string_view body, const ItemShape& shape, size_t count, std::string& next, std::string& why);

  // True if `body` is {"<member>": {"<attribute>": {"N": "…"}, …}}; stores the number.
  bool ReadNumber(std::string_view body, std::string_view member, std::string_view attribute, uint64_t& number,
                  std::string& why);

  // The part of __type behind '#', or an empty text. Valid until the next call.
  std::string_view ReadErrorType(std::string_view body);

 private:
  // False if the body is not one whole JSON object.
  bool Parse(std::string_view body, simdjson::dom::object& object);
  // The item's index, as its key says, and version; checks that all else in it belongs to them.
  bool CheckItem(simdjson::dom::object item, const ItemShape& shape, uint64_t& index, uint64_t& version,
                 std::string& why);

  simdjson::dom::parser parser_;  // not on-demand: that would not notice a truncated end
  std::string expected_;
};

}  // namespace armature::cli::bench
