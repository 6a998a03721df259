#include "dax/translate/parsed_request.h"

#include <unordered_set>

#include <fmt/core.h>

namespace armature::dax {

namespace {

constexpr int64_t kServiceId = 1;
// A hundred times what DynamoDB allows; a message that lies about more shall not fill the memory.
constexpr size_t kMostItems = 10'000;

Status Malformed() {
  return Status::InvalidArgument("Request could not be read: a value is not what the method wants");
}

using MaybeBytes = std::optional<std::string_view>;

MaybeBytes BytesOrNull(CborReader& reader, Arena& arena) {
  if (reader.TakeNull()) return std::nullopt;
  return reader.Bytes(arena);
}

std::string_view TextOrNothing(CborReader& reader, Arena& arena) {
  if (reader.TakeNull()) return {};
  return reader.BytesOrText(arena);
}

// Reads one message; what is wrong with its bytes turns the reader bad and is asked at the end.
class MessageReader {
 public:
  MessageReader(std::string_view message, Arena& arena) : reader_(message), arena_(arena) {}

  Result<ParsedRequest> Read() {
    if (reader_.Int() != kServiceId || !reader_.ok()) return Malformed();
    const int64_t id = reader_.Int();
    if (!reader_.ok()) return Malformed();
    if (ArgumentCount(id) < 0) return Status::InvalidArgument(fmt::format("Unknown method: {}", id));
    request_.method = static_cast<Method>(id);
    Status status = ReadArguments();
    if (!status.ok()) return status;
    if (!reader_.ok() || !reader_.at_end()) return Malformed();
    return request_;
  }

 private:
  Status ReadArguments() {
    switch (request_.method) {
      case Method::kAuthorizeConnection: return ReadAuthorization();
      case Method::kEndpoints: return Status::Ok();
      case Method::kDefineKeySchema: request_.table = Name(); return Status::Ok();
      case Method::kDefineAttributeListId: return ReadNames();
      case Method::kDefineAttributeList: request_.list_id = reader_.Unsigned(); return Status::Ok();
      case Method::kGetItem:
      case Method::kUpdateItem:
      case Method::kDeleteItem: return ReadSingle(/*has_blob=*/false);
      case Method::kPutItem: return ReadSingle(/*has_blob=*/true);
      case Method::kQuery:
        request_.table = Name();
        request_.key_condition = BytesOrNull(reader_, arena_);
        return ReadOptionsHere();
      case Method::kScan: request_.table = Name(); return ReadOptionsHere();
      case Method::kBatchGetItem: return ReadBatch(&MessageReader::ReadKeysOfTable);
      case Method::kBatchWriteItem: return ReadBatch(&MessageReader::ReadWritesOfTable);
      case Method::kTransactGetItems: return ReadTransactGet();
      case Method::kTransactWriteItems: return ReadTransactWrite();
    }
    return Malformed();
  }

  std::string_view Name() { return reader_.BytesOrText(arena_); }
  std::string_view Bytes() { return reader_.Bytes(arena_); }
  Status ReadOptionsHere() { return ReadOptions(reader_, arena_, request_.options); }

  Status ReadAuthorization() {
    request_.access_key_id = Name();
    request_.signature = Name();
    request_.string_to_sign = Name();
    request_.session_token = TextOrNothing(reader_, arena_);
    request_.user_agent = TextOrNothing(reader_, arena_);
    return Status::Ok();
  }

  Status ReadNames() {
    std::vector<std::string_view> names;
    auto elements = reader_.Array();
    while (reader_.Next(elements)) names.push_back(Name());
    request_.names = arena_.Copy(names);
    return Status::Ok();
  }

  Status ReadSingle(bool has_blob) {
    RequestItem item;
    request_.table = item.table = Name();
    item.key = Bytes();
    if (has_blob) item.blob = Bytes();
    items_.push_back(item);
    KeepItems();
    return ReadOptionsHere();
  }

  // A map of tables, and the options.
  Status ReadBatch(void (MessageReader::*read_table)(BatchTable&)) {
    std::vector<BatchTable> tables;
    std::unordered_set<std::string_view> seen;
    auto entries = reader_.Map();
    while (reader_.Next(entries)) {
      BatchTable table{.table = Name(), .first = items_.size()};
      (this->*read_table)(table);
      table.count = items_.size() - table.first;
      // JSON has no two members of a name: one table would hide the other.
      if (!seen.insert(table.table).second) return Status::InvalidArgument("Request names a table twice");
      if (tables.size() == kMostItems) reader_.Fail();
      tables.push_back(table);
    }
    request_.tables = arena_.Copy(tables);
    KeepItems();
    return ReadOptionsHere();
  }

  // [consistent read, projection, [key, …]]
  void ReadKeysOfTable(BatchTable& table) {
    auto parts = reader_.Array();
    if (!reader_.Next(parts)) return reader_.Fail();
    table.consistent_read = !reader_.TakeNull() && reader_.Bool();
    if (!reader_.Next(parts)) return reader_.Fail();
    table.projection = BytesOrNull(reader_, arena_);
    if (!reader_.Next(parts)) return reader_.Fail();
    auto keys = reader_.Array();
    while (reader_.Next(keys)) AddItem() = {.table = table.table, .key = Bytes()};
    if (reader_.Next(parts)) reader_.Fail();
  }

  // [key, blob or null, …]
  void ReadWritesOfTable(BatchTable& table) {
    auto values = reader_.Array();
    while (reader_.Next(values)) {
      RequestItem item{.table = table.table, .key = Bytes()};
      if (!reader_.Next(values)) return reader_.Fail();
      item.blob = BytesOrNull(reader_, arena_);
      AddItem() = item;
    }
  }

  // One array of a transaction: as long as the others. `read` takes the element for its item.
  template <class ReadElement>
  void ReadColumn(ReadElement read) {
    if (reader_.TakeNull()) return;  // nothing for any of them
    size_t count = 0;
    auto elements = reader_.Array();
    while (reader_.Next(elements)) {
      if (count == items_.size()) return reader_.Fail();
      read(items_[count++]);
    }
    if (count != items_.size()) reader_.Fail();
  }

  // The first array says how many items there are.
  template <class ReadElement>
  void ReadFirstColumn(ReadElement read) {
    auto elements = reader_.Array();
    while (reader_.Next(elements)) read(AddItem());
  }

  Status ReadTransactGet() {
    ReadFirstColumn([this](RequestItem& item) { item.table = Name(); });
    ReadColumn([this](RequestItem& item) { item.key = Bytes(); });
    ReadColumn([this](RequestItem& item) { item.projection = BytesOrNull(reader_, arena_); });
    KeepItems();
    return ReadOptionsHere();
  }

  Status ReadTransactWrite() {
    ReadFirstColumn([this](RequestItem& item) { item.action = reader_.Int(); });
    ReadColumn([this](RequestItem& item) { item.table = Name(); });
    ReadColumn([this](RequestItem& item) { item.key = Bytes(); });
    ReadColumn([this](RequestItem& item) { item.blob = BytesOrNull(reader_, arena_); });
    reader_.Skip();  // return values, which no client sends
    ReadColumn([this](RequestItem& item) {
      if (!reader_.TakeNull()) item.return_values_on_failure = reader_.Int();
    });
    ReadColumn([this](RequestItem& item) { item.condition = BytesOrNull(reader_, arena_); });
    ReadColumn([this](RequestItem& item) { item.update = BytesOrNull(reader_, arena_); });
    KeepItems();
    return ReadOptionsHere();
  }

  RequestItem& AddItem() {
    if (items_.size() >= kMostItems) reader_.Fail();
    return items_.emplace_back();
  }
  void KeepItems() { request_.items = arena_.Copy(items_); }

  CborReader reader_;
  Arena& arena_;
  ParsedRequest request_;
  std::vector<RequestItem> items_;
};

}  // namespace

std::vector<std::string_view> TablesOf(const ParsedRequest& request) {
  std::vector<std::string_view> tables;
  switch (request.method) {
    case Method::kBatchGetItem:
    case Method::kBatchWriteItem:
      for (const BatchTable& table : request.tables) tables.push_back(table.table);
      break;
    case Method::kTransactGetItems:
    case Method::kTransactWriteItems:
      for (const RequestItem& item : request.items) tables.push_back(item.table);
      break;
    case Method::kAuthorizeConnection:
    case Method::kEndpoints:
    case Method::kDefineAttributeListId:
    case Method::kDefineAttributeList: break;
    default: tables.push_back(request.table);
  }
  return tables;
}

Result<ParsedRequest> ReadRequest(std::string_view message, Arena& arena) {
  return MessageReader(message, arena).Read();
}

}  // namespace armature::dax
